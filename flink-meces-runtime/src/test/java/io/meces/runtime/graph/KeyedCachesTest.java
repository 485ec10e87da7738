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

package io.meces.runtime.graph;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.time.Duration;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.streaming.api.operators.StreamMap;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.generated.NamespaceAggsHandleFunction;
import org.apache.flink.table.runtime.generated.RecordEqualiser;
import org.apache.flink.table.runtime.keyselector.EmptyRowDataKeySelector;
import org.apache.flink.table.runtime.operators.rank.AppendOnlyTopNFunction;
import org.apache.flink.table.runtime.operators.rank.ComparableRecordComparator;
import org.apache.flink.table.runtime.operators.rank.ConstantRankRange;
import org.apache.flink.table.runtime.operators.rank.RankType;
import org.apache.flink.table.runtime.operators.rank.RetractableTopNFunction;
import org.apache.flink.table.runtime.operators.rank.UpdatableTopNFunction;
import org.apache.flink.table.runtime.operators.window.WindowOperator;
import org.apache.flink.table.runtime.operators.window.WindowOperatorBuilder;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.junit.jupiter.api.Test;

/** With the operators of Flink's Table API as they are. */
class KeyedCachesTest {

    private static final InternalTypeInfo<RowData> ROWS =
            InternalTypeInfo.ofFields(new BigIntType(), new BigIntType());
    private static final ConstantRankRange THREE = new ConstantRankRange(1, 3);

    @Test
    void topNThatReadsThroughACacheIsFound() {
        AppendOnlyTopNFunction ofAdditions =
                new AppendOnlyTopNFunction(
                        0,
                        0,
                        ROWS,
                        null,
                        EmptyRowDataKeySelector.INSTANCE,
                        RankType.ROW_NUMBER,
                        THREE,
                        true,
                        true,
                        100);
        UpdatableTopNFunction ofUpdates =
                new UpdatableTopNFunction(
                        0,
                        0,
                        ROWS,
                        EmptyRowDataKeySelector.INSTANCE,
                        null,
                        EmptyRowDataKeySelector.INSTANCE,
                        RankType.ROW_NUMBER,
                        THREE,
                        true,
                        true,
                        100);

        assertThat(KeyedCaches.areUsedBy(operator(ofAdditions))).isTrue();
        assertThat(KeyedCaches.areUsedBy(operator(ofUpdates))).isTrue();
    }

    @Test
    void topNThatHasAllInStateIsNotFound() {
        RetractableTopNFunction function =
                new RetractableTopNFunction(
                        0,
                        0,
                        ROWS,
                        new ComparableRecordComparator(
                                null, new int[0], new LogicalType[0], new boolean[0], null),
                        EmptyRowDataKeySelector.INSTANCE,
                        RankType.ROW_NUMBER,
                        THREE,
                        null,
                        true,
                        true);

        assertThat(KeyedCaches.areUsedBy(operator(function))).isFalse();
    }

    @Test
    void windowsThatMergeAreFoundAndOthersNot() {
        assertThat(
                        KeyedCaches.areUsedBy(
                                windows(windows().session(Duration.ofSeconds(1)).withEventTime(0))))
                .isTrue();
        assertThat(
                        KeyedCaches.areUsedBy(
                                windows(windows().tumble(Duration.ofSeconds(1)).withEventTime(0))))
                .isFalse();
    }

    @Test
    void operatorsOfDataStreamsAreNotFound() {
        assertThat(KeyedCaches.areUsedBy(new StreamMap<Long, Long>(n -> n))).isFalse();
    }

    private static KeyedProcessOperator<RowData, RowData, RowData> operator(
            KeyedProcessFunction<RowData, RowData, RowData> function) {
        return new KeyedProcessOperator<>(function);
    }

    private static WindowOperatorBuilder windows() {
        return WindowOperatorBuilder.builder().withInputFields(types());
    }

    private static WindowOperator<?, ?> windows(WindowOperatorBuilder builder) {
        return builder.aggregate(
                        unused(NamespaceAggsHandleFunction.class),
                        unused(RecordEqualiser.class),
                        types(),
                        types(),
                        types())
                .build();
    }

    private static LogicalType[] types() {
        return new LogicalType[] {new BigIntType()};
    }

    private static <T> T unused(Class<T> type) {
        return type.cast(
                Proxy.newProxyInstance(
                        type.getClassLoader(),
                        new Class<?>[] {type},
                        (proxy, method, args) -> {
                            throw new UnsupportedOperationException(method.getName());
                        }));
    }
}
