// SPDX-License-Identifier: Apache-2.0
package io.meces.examples.sinks;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.runtime.graph.ElasticJobGraph;
import io.meces.runtime.graph.RestoredState;
import io.meces.state.MecesStateBackend;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.connectors.kafka.FlinkKafkaProducer;
import org.junit.jupiter.api.Test;

/** A Kafka sink that writes by its own index is warned of: keys change partitions with subtasks. */
class FixedPartitionsTest {

    private static final String WARNING =
            "chooses the partition by the index of its subtask (FlinkFixedPartitioner, the default"
                    + " for records without a key). After a rescale results of a key that has moved"
                    + " go to another partition, as after a restart at another parallelism. Write"
                    + " records with keys, or give the sink a partitioner that goes by the key, if"
                    + " readers need the order of a key.";

    private static List<String> warnings(FlinkKafkaProducer<String> sink) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.setStateBackend(new MecesStateBackend());
        env.fromElements("a", "b")
                .keyBy(word -> word, Types.STRING)
                .reduce((a, b) -> a + b)
                .addSink(sink)
                .name("out");
        ElasticJobGraph elastic =
                ElasticJobGraph.rewrite(
                        env.getStreamGraph("words").getJobGraph(),
                        new Configuration(),
                        FixedPartitionsTest.class.getClassLoader(),
                        RestoredState.NONE);
        assertThat(elastic.refusal()).isNull();
        return elastic.warnings();
    }

    private static Properties broker() {
        Properties properties = new Properties();
        properties.setProperty("bootstrap.servers", "localhost:1");
        return properties;
    }

    @Test
    void theDefaultForRecordsWithoutAKeyIs() throws Exception {
        assertThat(warnings(new FlinkKafkaProducer<>("topic", new SimpleStringSchema(), broker())))
                .singleElement()
                .asString()
                .startsWith("Operator 'Sink: out' of vertex '")
                .endsWith(WARNING);
        assertThat(
                        new String(
                                Files.readAllBytes(Paths.get("..", "docs", "refusals.md")),
                                StandardCharsets.UTF_8))
                .contains(WARNING);
    }

    @Test
    void aSinkThatLeavesTheChoiceToKafkaIsNot() throws Exception {
        assertThat(
                        warnings(
                                new FlinkKafkaProducer<>(
                                        "topic",
                                        new SimpleStringSchema(),
                                        broker(),
                                        Optional.empty())))
                .isEmpty();
    }
}
