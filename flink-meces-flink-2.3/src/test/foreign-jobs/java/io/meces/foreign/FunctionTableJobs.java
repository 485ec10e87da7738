// SPDX-License-Identifier: Apache-2.0
package io.meces.foreign;

import static io.meces.foreign.Comparison.RESULTS;
import static org.apache.flink.table.annotation.ArgumentTrait.REQUIRE_ON_TIME;
import static org.apache.flink.table.annotation.ArgumentTrait.ROW_SEMANTIC_TABLE;
import static org.apache.flink.table.annotation.ArgumentTrait.SET_SEMANTIC_TABLE;

import java.util.Arrays;
import java.util.List;
import org.apache.flink.table.annotation.ArgumentHint;
import org.apache.flink.table.annotation.StateHint;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.table.api.dataview.ListView;
import org.apache.flink.table.api.dataview.MapView;
import org.apache.flink.table.functions.ProcessTableFunction;
import org.apache.flink.types.Row;

/** Functions of tables, with state and timers of their keys (process table functions). */
final class FunctionTableJobs {

    private static final long WINDOW_MS = 500;

    private FunctionTableJobs() {}

    static List<ForeignJob> all() {
        return Arrays.asList(
                job(
                        "SQL function of a table",
                        new Numbering(),
                        "SELECT * FROM f(input => TABLE A1 PARTITION BY k)"),
                job(
                        "SQL function with timers",
                        new Sums(),
                        "SELECT * FROM f(input => TABLE A PARTITION BY k, on_time =>"
                                + " DESCRIPTOR(ts))"),
                job(
                        "SQL function of ordered rows",
                        new InOrder(),
                        "SELECT * FROM f(input => TABLE A PARTITION BY k ORDER BY (ts, id), on_time"
                                + " => DESCRIPTOR(ts))"),
                job(
                        "SQL function of two tables",
                        new Pairs(),
                        "SELECT * FROM f(a => TABLE A PARTITION BY k, b => TABLE B PARTITION BY"
                                + " k)"),
                job(
                        "SQL count of results of a function",
                        new Numbering(),
                        "SELECT k, number, COUNT(*) FROM f(input => TABLE A1 PARTITION BY k) AS"
                                + " t(k, number) GROUP BY k, number HAVING COUNT(*) = 1"),
                job(
                        "SQL function of single rows",
                        new Halves(),
                        "SELECT * FROM f(input => TABLE A)"),
                late(
                        "late: SQL function of ordered rows",
                        new Late(),
                        "SELECT claim FROM f(input => TABLE A PARTITION BY k ORDER BY ts, on_time"
                                + " => DESCRIPTOR(ts)) AS t(k, claim, rowtime)"),
                late(
                        "late: SQL function with times",
                        new Late(),
                        "SELECT claim FROM f(input => TABLE A PARTITION BY k, on_time =>"
                                + " DESCRIPTOR(ts)) AS t(k, claim, rowtime)"));
    }

    private static ForeignJob late(String name, ProcessTableFunction<?> function, String query) {
        return new ForeignJob(
                name,
                RESULTS,
                run -> {
                    StreamTableEnvironment tables = LateJobs.tables(run, query);
                    tables.createTemporarySystemFunction("f", function);
                    LateJobs.judge(run, tables.toDataStream(tables.sqlQuery(query), String.class));
                });
    }

    private static ForeignJob job(String name, ProcessTableFunction<?> function, String query) {
        return new ForeignJob(
                name,
                RESULTS,
                run -> {
                    StreamTableEnvironment tables = GeneratedTables.of(run, SqlJobs::plain, query);
                    tables.createTemporarySystemFunction("f", function);
                    run.collect(tables.toChangelogStream(tables.sqlQuery(query)));
                });
    }

    /** How many rows a key has had, by three kinds of state. */
    public static final class Numbering extends ProcessTableFunction<String> {
        private static final long serialVersionUID = 1L;

        /** Of a key. */
        public static final class Memory {
            public long rows;
        }

        public void eval(
                @StateHint(name = "memory") Memory memory,
                @StateHint(name = "perValue") MapView<Integer, Integer> perValue,
                @StateHint(name = "ids") ListView<Long> ids,
                @ArgumentHint(value = SET_SEMANTIC_TABLE, name = "input") Row input)
                throws Exception {
            Integer value = input.getFieldAs("v");
            Integer before = perValue.get(value);
            perValue.put(value, before == null ? 1 : before + 1);
            ids.add(input.getFieldAs("id"));
            int listed = ids.getList().size();
            memory.rows++;
            collect(memory.rows + " " + listed + " " + perValue.get(value));
        }
    }

    /** A window by hand, whose timer has its name. */
    public static final class Sums extends ProcessTableFunction<String> {
        private static final long serialVersionUID = 1L;

        public void eval(
                Context context,
                @StateHint(name = "sums") MapView<Long, Long> sums,
                @ArgumentHint(
                                value = {SET_SEMANTIC_TABLE, REQUIRE_ON_TIME},
                                name = "input")
                        Row input)
                throws Exception {
            TimeContext<Long> time = context.timeContext(Long.class);
            long end = time.time() / WINDOW_MS * WINDOW_MS + WINDOW_MS - 1;
            Long before = sums.get(end);
            int value = input.getFieldAs("v");
            sums.put(end, (before == null ? 0 : before) + value);
            if (end % 2 == 0) {
                time.registerOnTime(end);
            } else {
                time.registerOnTime("end of " + end, end);
            }
        }

        public void onTimer(OnTimerContext context, MapView<Long, Long> sums) throws Exception {
            long end = context.timeContext(Long.class).time();
            collect(context.currentTimer() + " " + end + " " + sums.get(end));
            sums.remove(end);
        }
    }

    /** Numbers rows in their order. */
    public static final class InOrder extends ProcessTableFunction<String> {
        private static final long serialVersionUID = 1L;

        /** Of a key. */
        public static final class Memory {
            public long rows;
            public long last;
        }

        public void eval(
                @StateHint(name = "memory") Memory memory,
                @ArgumentHint(
                                value = {SET_SEMANTIC_TABLE, REQUIRE_ON_TIME},
                                name = "input")
                        Row input) {
            memory.rows++;
            collect(memory.rows + ": " + memory.last + " " + input.getField("id"));
            memory.last = input.getFieldAs("id");
        }
    }

    /** Each row of a table with each of the other one. */
    public static final class Pairs extends ProcessTableFunction<String> {
        private static final long serialVersionUID = 1L;

        public void eval(
                @StateHint(name = "ofA") ListView<Long> ofA,
                @StateHint(name = "ofB") ListView<Long> ofB,
                @ArgumentHint(value = SET_SEMANTIC_TABLE, name = "a") Row a,
                @ArgumentHint(value = SET_SEMANTIC_TABLE, name = "b") Row b)
                throws Exception {
            if (a != null) {
                ofA.add(a.getFieldAs("id"));
                for (Long other : ofB.get()) {
                    collect(a.getField("id") + " " + other);
                }
            } else {
                ofB.add(b.getFieldAs("id"));
                for (Long other : ofA.get()) {
                    collect(other + " " + b.getField("id"));
                }
            }
        }
    }

    /** Without state. */
    public static final class Halves extends ProcessTableFunction<Integer> {
        private static final long serialVersionUID = 1L;

        public void eval(@ArgumentHint(value = ROW_SEMANTIC_TABLE, name = "input") Row input) {
            int value = input.getFieldAs("v");
            collect(value / 2);
        }
    }

    /**
     * Claims that rows come in order of time, those in time for certain, and that no time goes
     * back.
     */
    public static final class Late extends ProcessTableFunction<String> {
        private static final long serialVersionUID = 1L;

        /** Of a key. */
        public static final class Memory {
            public long last;
            public long watermark = Long.MIN_VALUE;
        }

        public void eval(
                Context context,
                @StateHint(name = "memory") Memory memory,
                @ArgumentHint(
                                value = {SET_SEMANTIC_TABLE, REQUIRE_ON_TIME},
                                name = "input")
                        Row input) {
            TimeContext<Long> time = context.timeContext(Long.class);
            boolean ordered = context.tableSemanticsFor("input").orderByColumns().length > 0;
            if (ordered && time.time() < memory.last) {
                collect("!" + memory.last + " before " + time.time() + " for " + input);
            }
            memory.last = time.time();
            Long watermark = time.currentWatermark();
            if (watermark != null) {
                if (watermark < memory.watermark) {
                    collect(
                            "!time back from "
                                    + memory.watermark
                                    + " to "
                                    + watermark
                                    + " for "
                                    + input);
                }
                memory.watermark = watermark;
            }
            long id = input.getFieldAs("id");
            collect(LateJobs.onceIfInTime(id, id));
        }
    }
}
