// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** Where operators of the Table API keep values of keys in fields on this line. */
public final class TableCaches {

    private static final String OPERATORS = "org.apache.flink.table.runtime.operators.";
    private static final String RANK = OPERATORS + "rank.";
    private static final String WINDOWS = OPERATORS + "window.groupwindow.";
    private static final String MERGING =
            WINDOWS + "internal.MergingWindowProcessFunction.mergingWindows";
    private static final String SORTED_WINDOWS =
            WINDOWS + "internal.MergingWindowSet.cachedSortedWindows";

    /**
     * Fields by the class that declares them, each of the value of the one before it; the first is
     * of an operator, or of its function. The value of the last is the cache: a map, or a cache of
     * Flink's Guava.
     */
    public static final List<List<String>> PATHS =
            Collections.unmodifiableList(
                    Arrays.asList(
                            Collections.singletonList(RANK + "AppendOnlyTopNFunction.kvSortedMap"),
                            Collections.singletonList(RANK + "UpdatableTopNFunction.kvRowKeyMap"),
                            Collections.singletonList(RANK + "FastTop1Function.kvCache"),
                            Arrays.asList(
                                    WINDOWS + "operator.WindowOperator.windowFunction",
                                    MERGING,
                                    SORTED_WINDOWS),
                            Arrays.asList(
                                    OPERATORS
                                            + "window.tvf.operator.UnalignedWindowTableFunctionOperator.windowFunction",
                                    MERGING,
                                    SORTED_WINDOWS),
                            Arrays.asList(
                                    OPERATORS
                                            + "window.tvf.common.WindowAggOperator.windowProcessor",
                                    OPERATORS
                                            + "aggregate.window.processors.UnsliceWindowAggProcessor.windowFunction",
                                    MERGING,
                                    SORTED_WINDOWS)));

    private TableCaches() {}
}
