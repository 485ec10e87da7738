// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.operator;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.streaming.api.operators.StreamMap;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.keyselector.EmptyRowDataKeySelector;
import org.apache.flink.table.runtime.operators.rank.AppendOnlyTopNFunction;
import org.apache.flink.table.runtime.operators.rank.ComparableRecordComparator;
import org.apache.flink.table.runtime.operators.rank.ConstantRankRange;
import org.apache.flink.table.runtime.operators.rank.RankType;
import org.apache.flink.table.runtime.operators.rank.RetractableTopNFunction;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.junit.jupiter.api.Test;

/**
 * With functions of Flink's Table API as they are. What becomes of results, also with session
 * windows, is seen by {@code ForeignJobsTest}.
 */
class TableAdapterTest {

    private static final InternalTypeInfo<RowData> ROWS =
            InternalTypeInfo.ofFields(new BigIntType(), new BigIntType());
    private static final ConstantRankRange THREE = new ConstantRankRange(1, 3);

    @Test
    void theCacheOfTopNIsDropped() throws Exception {
        AppendOnlyTopNFunction function =
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
        Map<RowData, Object> cache = new HashMap<>();
        cache.put(GenericRowData.of(1L), "rows");
        Field field = AppendOnlyTopNFunction.class.getDeclaredField("kvSortedMap");
        field.setAccessible(true);
        field.set(function, cache);

        new TableAdapter().adapt(operator(function)).forgetKeys();

        assertThat(cache).isEmpty();
    }

    @Test
    void topNThatHasAllInStateHasNone() {
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

        assertThat(new TableAdapter().knows(operator(function))).isFalse();
    }

    @Test
    void operatorsOfDataStreamsHaveNone() {
        assertThat(new TableAdapter().knows(new StreamMap<Long, Long>(n -> n))).isFalse();
    }

    private static KeyedProcessOperator<RowData, RowData, RowData> operator(
            KeyedProcessFunction<RowData, RowData, RowData> function) {
        return new KeyedProcessOperator<>(function);
    }
}
