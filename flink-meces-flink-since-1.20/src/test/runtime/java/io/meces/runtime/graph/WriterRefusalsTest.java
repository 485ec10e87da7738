// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.graph;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.flink.runtime.SinkOfWriters;
import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.MecesOptions;
import io.meces.state.MecesStateBackend;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Collection;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.sink2.Committer;
import org.apache.flink.api.connector.sink2.CommitterInitContext;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.StatefulSinkWriter;
import org.apache.flink.api.connector.sink2.SupportsCommitter;
import org.apache.flink.api.connector.sink2.SupportsWriterState;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.streaming.api.connector.sink2.CommittableMessage;
import org.apache.flink.streaming.api.connector.sink2.StandardSinkTopologies;
import org.apache.flink.streaming.api.connector.sink2.SupportsPostCommitTopology;
import org.apache.flink.streaming.api.connector.sink2.SupportsPreCommitTopology;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.Test;

/** Which sinks of the API V2 in the chain are refused, and what a user reads then. */
class WriterRefusalsTest {

    private static final String UNKNOWN =
            "is a sink that may hold records back, and it is not known how to have it write them"
                    + " before keys move: results of a key could get outside in the wrong order."
                    + " Put partitionCustom() by the same key before it, bring an"
                    + " io.meces.runtime.sink.SinkDrain for its function, or set"
                    + " meces.rescale.unknown-sinks: ACCEPT.";

    private static final String COUNTED =
            "sends committables to another vertex, which counts on a fixed number of subtasks (such"
                    + " as a sink with a global committer, or with a topology of its own before or"
                    + " behind its committer). If the operator needs no keyed state, put"
                    + " partitionCustom() by the same key before it, or rebalance() where the order"
                    + " of a key does not matter.";

    private static ElasticJobGraph rewrite(Sink<Long> sink, MecesOptions.UnknownSinks unknown)
            throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.setParallelism(2);
        TestGraphs.setStateBackend(env, new MecesStateBackend());
        env.enableCheckpointing(1_000);
        env.fromSequence(0, 9)
                .keyBy(n -> n, Types.LONG)
                .reduce(Long::sum)
                .name("count")
                .sinkTo(sink)
                .name("out");
        Configuration configuration = new Configuration();
        configuration.set(MecesOptions.UNKNOWN_SINKS, unknown);
        return ElasticJobGraph.rewrite(
                TestGraphs.of(env, "sinks"),
                configuration,
                WriterRefusalsTest.class.getClassLoader(),
                RestoredState.NONE);
    }

    @Test
    void aWriterThatOnlyFlushesIsKnown() throws Exception {
        ElasticJobGraph elastic = rewrite(new Plain(), MecesOptions.UnknownSinks.REFUSE);
        assertThat(elastic.refusal()).isNull();
        assertThat(elastic.vertices()).hasSize(1);
    }

    @Test
    void oneWithStateOrACommitterIsNot() throws Exception {
        for (Sink<Long> sink : new Plain[] {new Stateful(), new Committing()}) {
            assertThat(rewrite(sink, MecesOptions.UnknownSinks.REFUSE).refusal()).contains(UNKNOWN);
            assertThat(rewrite(sink, MecesOptions.UnknownSinks.ACCEPT).vertices()).hasSize(1);
        }
        assertDocumented(UNKNOWN);
    }

    @Test
    void committablesStayInTheVertex() throws Exception {
        for (Sink<Long> sink : new Plain[] {new Aggregating(), new GloballyCommitted()}) {
            assertThat(rewrite(sink, MecesOptions.UnknownSinks.ACCEPT).refusal()).endsWith(COUNTED);
        }
        assertDocumented(COUNTED);
    }

    private static void assertDocumented(String text) throws IOException {
        String document =
                new String(
                        Files.readAllBytes(Paths.get("..", "docs", "refusals.md")),
                        StandardCharsets.UTF_8);
        assertThat(document).contains(text);
    }

    private static class Plain implements SinkOfWriters<Long> {
        private static final long serialVersionUID = 1L;

        @Override
        public SinkWriter<Long> writer() {
            throw new UnsupportedOperationException();
        }
    }

    private static final class Stateful extends Plain implements SupportsWriterState<Long, Long> {
        private static final long serialVersionUID = 1L;

        @Override
        public StatefulSinkWriter<Long, Long> restoreWriter(
                WriterInitContext context, Collection<Long> before) {
            throw new UnsupportedOperationException();
        }

        @Override
        public SimpleVersionedSerializer<Long> getWriterStateSerializer() {
            return new Numbers();
        }
    }

    private static class Committing extends Plain implements SupportsCommitter<Long> {
        private static final long serialVersionUID = 1L;

        @Override
        public Committer<Long> createCommitter(CommitterInitContext context) {
            throw new UnsupportedOperationException();
        }

        @Override
        public SimpleVersionedSerializer<Long> getCommittableSerializer() {
            return new Numbers();
        }
    }

    private static final class Aggregating extends Committing
            implements SupportsPreCommitTopology<Long, Long> {
        private static final long serialVersionUID = 1L;

        @Override
        public DataStream<CommittableMessage<Long>> addPreCommitTopology(
                DataStream<CommittableMessage<Long>> committables) {
            return committables.rebalance();
        }

        @Override
        public SimpleVersionedSerializer<Long> getWriteResultSerializer() {
            return new Numbers();
        }
    }

    private static final class GloballyCommitted extends Committing
            implements SupportsPostCommitTopology<Long> {
        private static final long serialVersionUID = 1L;

        @Override
        public void addPostCommitTopology(DataStream<CommittableMessage<Long>> committables) {
            StandardSinkTopologies.addGlobalCommitter(
                    committables,
                    () -> {
                        throw new UnsupportedOperationException();
                    },
                    Numbers::new);
        }
    }

    private static final class Numbers implements SimpleVersionedSerializer<Long> {
        @Override
        public int getVersion() {
            return 1;
        }

        @Override
        public byte[] serialize(Long number) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Long deserialize(int version, byte[] serialized) {
            throw new UnsupportedOperationException();
        }
    }
}
