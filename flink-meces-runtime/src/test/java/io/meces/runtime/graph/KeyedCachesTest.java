// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.graph;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.flink.streaming.api.operators.StreamMap;
import org.apache.flink.table.runtime.operators.python.aggregate.PythonStreamGroupAggregateOperator;
import org.junit.jupiter.api.Test;

class KeyedCachesTest {

    @Test
    void aggregatesInPythonAreFound() {
        assertThat(KeyedCaches.areUsedBy(new PythonStreamGroupAggregateOperator() {})).isTrue();
    }

    @Test
    void operatorsOfDataStreamsAreNotFound() {
        assertThat(KeyedCaches.areUsedBy(new StreamMap<Long, Long>(n -> n))).isFalse();
    }
}
