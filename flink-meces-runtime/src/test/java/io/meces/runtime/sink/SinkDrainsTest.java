/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

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
        assertThatThrownBy(() -> Hidden.get("text", String.class.getName(), "noSuchField"))
                .hasMessageContaining("java.lang.String.noSuchField");
    }
}
