// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.flink.connector.hbase.sink.HBaseSinkFunction;
import org.apache.flink.streaming.connectors.elasticsearch.ElasticsearchSinkBase;
import org.junit.jupiter.api.Test;

/** JDBC and Kafka are tested with their connectors, by the tests of examples. */
class SinkDrainsTest {

    @Test
    void flushesTheMutatorOfHBase() throws Exception {
        HBaseSinkFunction sink = new HBaseSinkFunction();
        HBaseDrain drain = new HBaseDrain();
        assertThat(drain.knows(sink)).isTrue();
        assertThat(drain.knows(new ElasticsearchSinkBase())).isFalse();
        drain.workToDrain(sink).run();
        assertThat(sink.mutator.flushed).isOne();
        sink.failureThrowable.set(new IllegalStateException("of the test"));
        assertThatThrownBy(() -> drain.workToDrain(sink).run()).hasRootCauseMessage("of the test");
    }

    @Test
    void sendsTheBulkRequestOfElasticsearch() throws Exception {
        ElasticsearchSinkBase sink = new ElasticsearchSinkBase() {};
        ElasticsearchDrain drain = new ElasticsearchDrain();
        assertThat(drain.knows(sink)).as("a subclass").isTrue();
        assertThat(drain.knows(new HBaseSinkFunction())).isFalse();
        drain.workToDrain(sink).run();
        assertThat(sink.bulkProcessor.flushed).isOne();
        sink.failureThrowable.set(new IllegalStateException("of the test"));
        assertThatThrownBy(() -> drain.workToDrain(sink).run()).hasRootCauseMessage("of the test");
    }

    @Test
    void saysWhichMemberAConnectorLacks() {
        assertThatThrownBy(
                        () ->
                                ConnectorReflection.get(
                                        "text", String.class.getName(), "noSuchField"))
                .hasMessageContaining("java.lang.String.noSuchField");
    }
}
