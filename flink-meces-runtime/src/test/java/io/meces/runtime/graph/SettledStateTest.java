// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.graph;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.MecesOptions;
import io.meces.state.MecesStateBackend;
import java.lang.reflect.Field;
import java.util.List;
import java.util.Optional;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.VoidSerializer;
import org.apache.flink.api.connector.sink.Committer;
import org.apache.flink.api.connector.sink.GlobalCommitter;
import org.apache.flink.api.connector.sink.Sink;
import org.apache.flink.api.connector.sink.SinkWriter;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.DiscardingSink;
import org.apache.flink.streaming.api.functions.sink.TwoPhaseCommitSinkFunction;
import org.apache.flink.streaming.runtime.operators.sink.StreamingCommitterOperatorFactory;
import org.junit.jupiter.api.Test;

/** Whose list state is settled when a checkpoint is complete. */
class SettledStateTest {

    private final StreamExecutionEnvironment env =
            StreamExecutionEnvironment.getExecutionEnvironment();
    private final DataStream<Long> counted =
            env.fromSequence(0, 10).keyBy(n -> n, Types.LONG).map(n -> n).returns(Types.LONG);

    private Iterable<String> names() throws Exception {
        TestGraphs.setStateBackend(env, new MecesStateBackend());
        Configuration accepting = new Configuration();
        accepting.set(MecesOptions.UNKNOWN_SINKS, MecesOptions.UnknownSinks.ACCEPT);
        return ElasticJobGraph.rewrite(
                        TestGraphs.of(env, "settled"),
                        accepting,
                        SettledStateTest.class.getClassLoader(),
                        RestoredState.NONE)
                .vertices()
                .get(0)
                .settledState()
                .values();
    }

    @Test
    void transactionsOfATwoPhaseCommitSinkAre() throws Exception {
        counted.addSink(new Transactions());

        // RetirementTest holds the name
        assertThat(names()).containsExactly("state");
    }

    @Test
    void committablesOfASinkAre() throws Exception {
        counted.sinkTo(new Committing());

        Field descriptor =
                Class.forName(
                                StreamingCommitterOperatorFactory.class.getPackage().getName()
                                        + ".AbstractStreamingCommitterOperator")
                        .getDeclaredField("STREAMING_COMMITTER_RAW_STATES_DESC");
        descriptor.setAccessible(true);
        assertThat(names())
                .containsExactly(((ListStateDescriptor<?>) descriptor.get(null)).getName());
    }

    @Test
    void nothingOfOtherSinksIs() throws Exception {
        counted.addSink(new DiscardingSink<>());

        assertThat(names()).isEmpty();
    }

    /** Is never run. */
    private static final class Transactions extends TwoPhaseCommitSinkFunction<Long, Long, Void> {
        private static final long serialVersionUID = 1L;

        Transactions() {
            super(LongSerializer.INSTANCE, VoidSerializer.INSTANCE);
        }

        @Override
        protected void invoke(Long transaction, Long number, Context context) {
            throw new UnsupportedOperationException();
        }

        @Override
        protected Long beginTransaction() {
            throw new UnsupportedOperationException();
        }

        @Override
        protected void preCommit(Long transaction) {
            throw new UnsupportedOperationException();
        }

        @Override
        protected void commit(Long transaction) {
            throw new UnsupportedOperationException();
        }

        @Override
        protected void abort(Long transaction) {
            throw new UnsupportedOperationException();
        }
    }

    /** Is never run. */
    private static final class Committing implements Sink<Long, Long, Void, Void> {
        private static final long serialVersionUID = 1L;

        @Override
        public SinkWriter<Long, Long, Void> createWriter(InitContext context, List<Void> states) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Optional<Committer<Long>> createCommitter() {
            return Optional.of(new NoCommitter());
        }

        @Override
        public Optional<GlobalCommitter<Long, Void>> createGlobalCommitter() {
            return Optional.empty();
        }

        @Override
        public Optional<SimpleVersionedSerializer<Long>> getCommittableSerializer() {
            return Optional.of(new NoSerializer());
        }

        @Override
        public Optional<SimpleVersionedSerializer<Void>> getGlobalCommittableSerializer() {
            return Optional.empty();
        }

        @Override
        public Optional<SimpleVersionedSerializer<Void>> getWriterStateSerializer() {
            return Optional.empty();
        }
    }

    private static final class NoCommitter implements Committer<Long> {

        @Override
        public List<Long> commit(List<Long> committables) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {
            throw new UnsupportedOperationException();
        }
    }

    private static final class NoSerializer implements SimpleVersionedSerializer<Long> {

        @Override
        public int getVersion() {
            throw new UnsupportedOperationException();
        }

        @Override
        public byte[] serialize(Long number) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Long deserialize(int version, byte[] bytes) {
            throw new UnsupportedOperationException();
        }
    }
}
