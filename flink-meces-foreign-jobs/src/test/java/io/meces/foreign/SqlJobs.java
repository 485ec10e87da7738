// SPDX-License-Identifier: Apache-2.0
package io.meces.foreign;

import static io.meces.foreign.Comparison.CHANGELOG;
import static io.meces.foreign.Comparison.RESULTS;
import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toSet;
import static org.apache.flink.table.api.Expressions.$;
import static org.apache.flink.table.api.Expressions.call;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.Table;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.table.functions.AggregateFunction;
import org.apache.flink.table.functions.TableAggregateFunction;
import org.apache.flink.table.functions.TableFunction;
import org.apache.flink.table.functions.TemporalTableFunction;
import org.apache.flink.types.Row;
import org.apache.flink.util.Collector;

/** Queries by the Blink planner. */
final class SqlJobs {

    private static final String COUNT_PER_KEY =
            "SELECT k, COUNT(*) AS n, SUM(v) AS s, MAX(v) AS m FROM A GROUP BY k";
    private static final String DISTINCT_VALUES =
            "SELECT k, COUNT(DISTINCT v) AS n, SUM(v) AS s FROM A GROUP BY k";
    private static final String COUNTS_OF_COUNTS =
            "SELECT n, COUNT(*) FROM (SELECT k, COUNT(*) AS n FROM A GROUP BY k) GROUP BY n";
    private static final String JOIN_OF_AGGREGATES =
            "SELECT x.k, x.n, y.s FROM (SELECT k, COUNT(*) AS n FROM A GROUP BY k) x"
                    + " LEFT JOIN (SELECT k, SUM(v) AS s FROM B GROUP BY k) y ON x.k = y.k";
    private static final String HOT_ITEMS =
            "SELECT x.k, x.n FROM"
                    + " (SELECT k, COUNT(*) AS n, HOP_END(ts, INTERVAL '1' SECOND, INTERVAL '3'"
                    + " SECOND) AS e FROM A GROUP BY k, HOP(ts, INTERVAL '1' SECOND, INTERVAL '3'"
                    + " SECOND)) x"
                    + " JOIN (SELECT MAX(n) AS m, e FROM (SELECT k, COUNT(*) AS n, HOP_END(ts,"
                    + " INTERVAL '1' SECOND, INTERVAL '3' SECOND) AS e FROM A GROUP BY k, HOP(ts,"
                    + " INTERVAL '1' SECOND, INTERVAL '3' SECOND)) GROUP BY e) y"
                    + " ON x.e = y.e AND x.n >= y.m";
    private static final String FULL_JOIN =
            "SELECT a.id, b.id FROM A a FULL JOIN B b ON a.k = b.k AND a.v = b.v";
    private static final String LOOKUP =
            "SELECT x.k, x.n, d.v FROM (SELECT k, n, PROCTIME() AS pt FROM (SELECT k, COUNT(*) AS n"
                    + " FROM A GROUP BY k)) x LEFT JOIN D FOR SYSTEM_TIME AS OF x.pt AS d ON x.k ="
                    + " d.k";
    private static final String GROUP_OF_LOOKUP =
            "SELECT v, SUM(n) FROM (" + LOOKUP + ") GROUP BY v";
    private static final String TOP =
            "SELECT k, v, id FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v DESC, id)"
                    + " AS r FROM %s) WHERE r <= 3";

    /** The largest id of a key can only grow: Flink keeps the first rows only. */
    private static final String TOP_OF_UPDATES =
            "SELECT %s FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY b ORDER BY m DESC) AS r FROM"
                    + " (SELECT k, MOD(k, 8) AS b, MAX(id) AS m FROM A1 GROUP BY k, MOD(k, 8)))"
                    + " WHERE r <= 2";

    private static final String MATCHES =
            "SELECT * FROM %s MATCH_RECOGNIZE (PARTITION BY k ORDER BY %s MEASURES X.id AS x, Z.id"
                    + " AS z ONE ROW PER MATCH AFTER MATCH SKIP PAST LAST ROW PATTERN (X Y* Z)"
                    + " DEFINE X AS X.v < 30, Y AS Y.v BETWEEN 30 AND 80, Z AS Z.v > 80)";

    private SqlJobs() {}

    static List<ForeignJob> all() {
        List<ForeignJob> jobs = new ArrayList<>();
        jobs.add(changes("SQL group by", COUNT_PER_KEY));
        jobs.add(changes("SQL group by, mini-batch", COUNT_PER_KEY, SqlJobs::miniBatch));
        jobs.add(changes("SQL group by, two-phase", COUNT_PER_KEY, SqlJobs::twoPhase));
        jobs.add(changes("SQL select distinct", "SELECT DISTINCT k, v FROM A"));
        jobs.add(changes("SQL count distinct", DISTINCT_VALUES));
        jobs.add(
                changes(
                        "SQL count distinct, split, two-phase",
                        DISTINCT_VALUES,
                        settings -> {
                            twoPhase(settings);
                            settings.setString(
                                    "table.optimizer.distinct-agg.split.enabled", "true");
                        }));
        jobs.add(
                changes(
                        "SQL having",
                        "SELECT k, SUM(v) FROM A GROUP BY k HAVING MOD(SUM(v), 3) = 0"));
        jobs.add(changes("SQL group by of group by", COUNTS_OF_COUNTS));
        jobs.add(
                changes(
                        "SQL group by of group by, mini-batch",
                        COUNTS_OF_COUNTS,
                        SqlJobs::miniBatch));
        jobs.add(
                changes(
                        "SQL group by of group by, two-phase",
                        COUNTS_OF_COUNTS,
                        SqlJobs::twoPhase));
        jobs.add(changes("SQL own aggregate", "SELECT k, spread(v) FROM A GROUP BY k"));
        jobs.add(
                results(
                        "SQL tumble",
                        "SELECT k, COUNT(*), SUM(v), TUMBLE_END(ts, INTERVAL '1' SECOND) FROM A"
                                + " GROUP BY k, TUMBLE(ts, INTERVAL '1' SECOND)",
                        SqlJobs::plain));
        jobs.add(
                results(
                        "SQL hop",
                        "SELECT k, COUNT(*), HOP_END(ts, INTERVAL '1' SECOND, INTERVAL '3' SECOND)"
                                + " FROM A GROUP BY k,"
                                + " HOP(ts, INTERVAL '1' SECOND, INTERVAL '3' SECOND)",
                        SqlJobs::plain));
        jobs.add(
                results(
                        "SQL session",
                        "SELECT k, COUNT(*), SESSION_END(ts, INTERVAL '0.3' SECOND) FROM A"
                                + " GROUP BY k, SESSION(ts, INTERVAL '0.3' SECOND)",
                        SqlJobs::plain));
        jobs.add(
                results(
                        "SQL session, mini-batch",
                        "SELECT k, COUNT(*), SESSION_END(ts, INTERVAL '0.3' SECOND) FROM A"
                                + " GROUP BY k, SESSION(ts, INTERVAL '0.3' SECOND)",
                        SqlJobs::miniBatch));
        jobs.add(
                results(
                        "SQL session of distinct values",
                        "SELECT k, COUNT(DISTINCT v), MIN(v), SESSION_START(ts, INTERVAL '0.3'"
                                + " SECOND) FROM A GROUP BY k, SESSION(ts, INTERVAL '0.3' SECOND)",
                        SqlJobs::plain));
        jobs.add(sessionsInProcessingTime());
        jobs.add(
                results(
                        "SQL over rows",
                        "SELECT id, k, SUM(v) OVER (PARTITION BY k ORDER BY ts ROWS BETWEEN 5"
                                + " PRECEDING AND CURRENT ROW) FROM A1",
                        SqlJobs::plain));
        jobs.add(
                results(
                        "SQL over range",
                        "SELECT id, k, COUNT(*) OVER w, MAX(v) OVER w FROM A WINDOW w AS"
                                + " (PARTITION BY k ORDER BY ts RANGE BETWEEN INTERVAL '2' SECOND"
                                + " PRECEDING AND CURRENT ROW)",
                        SqlJobs::plain));
        jobs.add(
                results(
                        "SQL over all in processing time",
                        "SELECT id, k, SUM(v) OVER (PARTITION BY k ORDER BY pt) FROM A1",
                        SqlJobs::plain));
        jobs.add(
                changes(
                        "SQL join",
                        "SELECT a.id, b.id, a.v FROM A a JOIN B b ON a.k = b.k AND a.v = b.v"));
        jobs.add(
                changes(
                        "SQL left join",
                        "SELECT a.id, b.id, a.v FROM A a LEFT JOIN B b ON a.k = b.k AND a.v = b.v"));
        jobs.add(changes("SQL full join", FULL_JOIN));
        jobs.add(
                changes(
                        "SQL in (semi join)",
                        "SELECT id, k, v FROM A WHERE v IN (SELECT v FROM B WHERE k = 3)"));
        jobs.add(
                changes(
                        "SQL not exists (anti join)",
                        "SELECT id, k, v FROM A WHERE NOT EXISTS"
                                + " (SELECT 1 FROM B WHERE B.k = A.k AND B.v = A.v)"));
        jobs.add(changes("SQL left join of group by", JOIN_OF_AGGREGATES));
        jobs.add(
                changes(
                        "SQL left join of group by, mini-batch",
                        JOIN_OF_AGGREGATES,
                        SqlJobs::miniBatch));
        jobs.add(
                changes(
                        "SQL full join of group by",
                        JOIN_OF_AGGREGATES.replace("LEFT JOIN", "FULL JOIN")));
        jobs.add(
                changes(
                        "SQL join of three tables",
                        "SELECT a.id, b.id, c.v FROM A a JOIN B b ON a.k = b.k AND a.v = b.v"
                                + " LEFT JOIN A1 c ON c.v = a.v AND c.k = a.k"));
        jobs.add(
                changes(
                        "SQL average of largest per key (NEXMark 4)",
                        "SELECT c, AVG(m) FROM (SELECT a.id, MOD(a.k, 5) AS c, MAX(b.v) AS m FROM A"
                                + " a JOIN B b ON a.k = b.k AND b.ts BETWEEN a.ts AND a.ts +"
                                + " INTERVAL '0.5' SECOND GROUP BY a.id, MOD(a.k, 5)) GROUP BY c"));
        jobs.add(
                changes(
                        "SQL grouping sets",
                        "SELECT k, MOD(v, 3), COUNT(*) FROM A GROUP BY GROUPING SETS ((k), (k,"
                                + " MOD(v, 3)))"));
        jobs.add(
                changes(
                        "SQL largest of counts",
                        "SELECT MAX(n), MIN(n), COUNT(*) FROM"
                                + " (SELECT k, COUNT(*) AS n FROM A GROUP BY k)"));
        jobs.add(changes("SQL hot items (NEXMark 5)", HOT_ITEMS));
        jobs.add(
                results(
                        "SQL interval join",
                        "SELECT a.id, b.id FROM A a JOIN B b ON a.k = b.k AND b.ts BETWEEN"
                                + " a.ts - INTERVAL '0.2' SECOND AND a.ts + INTERVAL '0.5' SECOND",
                        SqlJobs::plain));
        jobs.add(
                results(
                        "SQL temporal join",
                        "SELECT a.id, r.v FROM A a JOIN R FOR SYSTEM_TIME AS OF a.ts AS r"
                                + " ON a.k = r.k",
                        SqlJobs::plain));
        jobs.add(
                results(
                        "SQL temporal table function",
                        "SELECT a.id, r.v FROM A a, LATERAL TABLE (rates(a.ts)) AS r"
                                + " WHERE a.k = r.k",
                        SqlJobs::plain));
        jobs.add(
                changes(
                        "SQL first row",
                        "SELECT id, k, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k, v ORDER"
                                + " BY pt) AS r FROM A1) WHERE r = 1"));
        jobs.add(
                changes(
                        "SQL last row",
                        "SELECT id, k, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY"
                                + " pt DESC) AS r FROM A1) WHERE r = 1"));
        jobs.add(
                changes(
                        "SQL last row, mini-batch",
                        "SELECT id, k, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY"
                                + " pt DESC) AS r FROM A1) WHERE r = 1",
                        SqlJobs::miniBatch));
        jobs.add(
                changes(
                        "SQL last row in event time",
                        "SELECT id, k, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY"
                                + " ts DESC) AS r FROM A1) WHERE r = 1"));
        jobs.add(
                changes(
                        "SQL group by of last row",
                        "SELECT v, COUNT(*) FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER"
                                + " BY pt DESC) AS r FROM A1) WHERE r = 1 GROUP BY v"));
        jobs.add(
                changes(
                        "SQL first row, mini-batch",
                        "SELECT id, k, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k, v ORDER"
                                + " BY pt) AS r FROM A1) WHERE r = 1",
                        SqlJobs::miniBatch));
        jobs.add(
                changes(
                        "SQL first row in event time",
                        "SELECT id, k, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k, v ORDER"
                                + " BY ts) AS r FROM A1) WHERE r = 1"));
        jobs.add(
                changes(
                        "SQL last row in event time, mini-batch",
                        "SELECT id, k, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY"
                                + " ts DESC) AS r FROM A1) WHERE r = 1",
                        SqlJobs::miniBatch));
        jobs.add(changes("SQL Top-N", String.format(TOP, "A")));
        jobs.add(changes("SQL Top-N, mini-batch", String.format(TOP, "A"), SqlJobs::miniBatch));
        jobs.add(changes("SQL Top-N, small cache", String.format(TOP, "A"), SqlJobs::smallCache));
        jobs.add(
                changes(
                        "SQL Top-N with rank",
                        "SELECT r, k, v, id FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER"
                                + " BY v DESC, id) AS r FROM A) WHERE r <= 3"));
        jobs.add(changes("SQL Top-N of updates", String.format(TOP_OF_UPDATES, "b, k, m")));
        jobs.add(
                changes(
                        "SQL Top-N of updates, mini-batch",
                        String.format(TOP_OF_UPDATES, "b, k, m"),
                        SqlJobs::miniBatch));
        jobs.add(
                changes(
                        "SQL Top-N of updates, small cache",
                        String.format(TOP_OF_UPDATES, "b, k, m"),
                        SqlJobs::smallCache));
        jobs.add(
                changes(
                        "SQL Top-N of updates with rank",
                        String.format(TOP_OF_UPDATES, "r, b, k, m")));
        jobs.add(
                changes(
                        "SQL Top-N of retractions",
                        "SELECT b, n, k FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY b ORDER BY n"
                                + " ASC, k) AS r FROM (SELECT k, MOD(k, 4) AS b, COUNT(*) AS n FROM"
                                + " A GROUP BY k)) WHERE r <= 3"));
        jobs.add(
                changes(
                        "SQL Top-N of retractions, mini-batch",
                        "SELECT b, n, k FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY b ORDER BY n"
                                + " ASC, k) AS r FROM (SELECT k, MOD(k, 4) AS b, COUNT(*) AS n FROM"
                                + " A GROUP BY k)) WHERE r <= 3",
                        SqlJobs::miniBatch));
        jobs.add(
                results(
                        "SQL union all",
                        "SELECT k, v FROM A UNION ALL SELECT k, v FROM B",
                        SqlJobs::plain));
        jobs.add(changes("SQL union", "SELECT k, v FROM A UNION SELECT k, v FROM B"));
        jobs.add(changes("SQL intersect", "SELECT k, v FROM A INTERSECT SELECT k, v FROM B"));
        jobs.add(changes("SQL except", "SELECT k, v FROM A EXCEPT SELECT k, v FROM B"));
        jobs.add(
                results("SQL match_recognize", String.format(MATCHES, "A1", "ts"), SqlJobs::plain));
        jobs.add(
                results(
                        "SQL match_recognize in processing time",
                        String.format(MATCHES, "A1", "pt"),
                        SqlJobs::plain));
        jobs.add(
                changes(
                        "SQL filters",
                        "SELECT k, COUNT(*) FILTER (WHERE v > 50), COUNT(DISTINCT v) FILTER (WHERE"
                                + " v < 30), SUM(v) FILTER (WHERE MOD(id, 2) = 0) FROM A GROUP BY k"));
        jobs.add(
                changes(
                        "SQL values in order",
                        "SELECT k, FIRST_VALUE(v), LAST_VALUE(v), LISTAGG(CAST(v AS VARCHAR)) FROM"
                                + " A1 GROUP BY k"));
        jobs.add(
                changes(
                        "SQL values in order, two-phase",
                        "SELECT k, MAX(v), MIN(id), AVG(v), COUNT(DISTINCT v) FROM A1 GROUP BY k",
                        SqlJobs::twoPhase));
        jobs.add(changes("SQL group by with TTL", COUNT_PER_KEY, SqlJobs::timeToLive));
        jobs.add(changes("SQL full join with TTL", FULL_JOIN, SqlJobs::timeToLive));
        jobs.add(
                changes(
                        "SQL tumble, early and late firings",
                        "SELECT k, COUNT(*), TUMBLE_END(ts, INTERVAL '1' SECOND) FROM A"
                                + " GROUP BY k, TUMBLE(ts, INTERVAL '1' SECOND)",
                        SqlJobs::earlyAndLate));
        jobs.add(
                results(
                        "SQL full interval join",
                        "SELECT a.id, b.id FROM A a FULL JOIN B b ON a.k = b.k AND a.v = b.v AND"
                                + " b.ts BETWEEN a.ts - INTERVAL '0.2' SECOND AND a.ts + INTERVAL"
                                + " '0.5' SECOND",
                        SqlJobs::plain));
        jobs.add(
                results(
                        "SQL tumble of tumble",
                        "SELECT MOD(k, 3), SUM(n), TUMBLE_END(t, INTERVAL '2' SECOND) FROM (SELECT"
                                + " k, COUNT(*) AS n, TUMBLE_ROWTIME(ts, INTERVAL '1' SECOND) AS t"
                                + " FROM A GROUP BY k, TUMBLE(ts, INTERVAL '1' SECOND)) GROUP BY"
                                + " MOD(k, 3), TUMBLE(t, INTERVAL '2' SECOND)",
                        SqlJobs::plain));
        jobs.add(
                results(
                        "SQL over of distinct values",
                        "SELECT id, k, COUNT(DISTINCT v) OVER (PARTITION BY k ORDER BY ts ROWS"
                                + " BETWEEN 20 PRECEDING AND CURRENT ROW) FROM A1",
                        SqlJobs::plain));
        jobs.add(
                changes(
                        "SQL upserts",
                        "SELECT MOD(k, 5), SUM(v), COUNT(*) FROM U GROUP BY MOD(k, 5)"));
        jobs.add(
                changes(
                        "SQL join of upserts",
                        "SELECT a.id, u.v FROM A a LEFT JOIN U u ON a.k = u.k"));
        jobs.add(changes("SQL lookup of group by", LOOKUP));
        jobs.add(changes("SQL group by of lookup of group by", GROUP_OF_LOOKUP));
        jobs.add(
                changes(
                        "SQL rows of a function",
                        "SELECT k, part, COUNT(*) FROM A, LATERAL TABLE(parts(v)) AS t(part) GROUP"
                                + " BY k, part"));
        jobs.add(twoLargest());
        return jobs;
    }

    /** A table aggregate, which SQL does not have. */
    private static ForeignJob twoLargest() {
        return new ForeignJob(
                "Table API, table aggregate",
                CHANGELOG,
                run -> {
                    StreamTableEnvironment tables = tables(run, SqlJobs::plain, " A1");
                    tables.createTemporarySystemFunction("largest", new Largest());
                    run.collect(
                            tables.toRetractStream(
                                    tables.from("A1")
                                            .groupBy($("k"))
                                            .flatAggregate(call("largest", $("v")).as("v", "r"))
                                            .select($("k"), $("v"), $("r")),
                                    Row.class));
                });
    }

    private static ForeignJob changes(String name, String query) {
        return changes(name, query, SqlJobs::plain);
    }

    private static ForeignJob changes(String name, String query, Consumer<Configuration> settings) {
        return new ForeignJob(
                name,
                CHANGELOG,
                run -> {
                    StreamTableEnvironment tables = tables(run, settings, query);
                    run.collect(tables.toRetractStream(tables.sqlQuery(query), Row.class));
                });
    }

    private static ForeignJob results(String name, String query, Consumer<Configuration> settings) {
        return new ForeignJob(
                name,
                RESULTS,
                run -> {
                    StreamTableEnvironment tables = tables(run, settings, query);
                    run.collect(tables.toAppendStream(tables.sqlQuery(query), Row.class));
                });
    }

    /**
     * Which session a record is in depends on the clock, how many records a key has does not. Flink
     * fails the job if a thread stands still for as long as a session's gap.
     */
    private static ForeignJob sessionsInProcessingTime() {
        String query =
                "SELECT k, SUM(n) FROM (SELECT k, COUNT(*) AS n FROM A1"
                        + " GROUP BY k, SESSION(pt, INTERVAL '0.4' SECOND)) GROUP BY k";
        return new ForeignJob(
                "SQL session in processing time",
                CHANGELOG,
                run -> {
                    Run.Events events = new Run.Events("A1".hashCode());
                    Map<Integer, Long> counts =
                            LongStream.range(0, Run.RECORDS)
                                    .mapToObj(number -> events.record(number).f1)
                                    .collect(groupingBy(key -> key, counting()));
                    Set<String> last =
                            counts.entrySet().stream()
                                    .map(e -> "(true," + e.getKey() + "," + e.getValue() + ")")
                                    .collect(toSet());
                    run.results.endWith(last.size(), last::contains);
                    StreamTableEnvironment tables = tables(run, SqlJobs::plain, query);
                    run.collect(tables.toRetractStream(tables.sqlQuery(query), Row.class));
                });
    }

    static void plain(Configuration settings) {
        settings.setString("table.exec.mini-batch.enabled", "false");
    }

    static void miniBatch(Configuration settings) {
        settings.setString("table.exec.mini-batch.enabled", "true");
        settings.setString("table.exec.mini-batch.allow-latency", "50 ms");
        settings.setString("table.exec.mini-batch.size", "30");
        settings.setString("table.optimizer.agg-phase-strategy", "ONE_PHASE");
    }

    /** Of Top-N: of the partition keys of a subtask only some fit. */
    private static void smallCache(Configuration settings) {
        plain(settings);
        settings.setString("table.exec.topn.cache-size", "6");
        // as later lines call it
        settings.setString("table.exec.rank.topn-cache-size", "6");
    }

    /** So long that nothing expires. */
    private static void timeToLive(Configuration settings) {
        plain(settings);
        settings.setString("table.exec.state.ttl", "1 h");
    }

    private static void earlyAndLate(Configuration settings) {
        plain(settings);
        settings.setString("table.exec.emit.early-fire.enabled", "true");
        settings.setString("table.exec.emit.early-fire.delay", "20 ms");
        settings.setString("table.exec.emit.late-fire.enabled", "true");
        settings.setString("table.exec.emit.late-fire.delay", "0 ms");
        settings.setString("table.exec.state.ttl", "1 h");
    }

    static void twoPhase(Configuration settings) {
        miniBatch(settings);
        settings.setString("table.optimizer.agg-phase-strategy", "TWO_PHASE");
    }

    /**
     * Tables A and B by two source subtasks each, A1 by one, and the versioned table R; only those
     * that the query names.
     */
    private static StreamTableEnvironment tables(
            Run run, Consumer<Configuration> settings, String query) {
        StreamTableEnvironment tables =
                StreamTableEnvironment.create(
                        run.env, EnvironmentSettings.newInstance().inStreamingMode().build());
        settings.accept(tables.getConfig().getConfiguration());
        tables.createTemporarySystemFunction("spread", new Spread());
        tables.createTemporarySystemFunction("parts", new Parts());
        if (query.matches("(?s).* A\\b.*")) {
            table(tables, "A", run.events("A", 2));
        }
        if (query.contains(" A1")) {
            table(tables, "A1", run.events("A1"));
        }
        if (query.matches("(?s).* B\\b.*")) {
            table(tables, "B", run.events("B", 2));
        }
        if (query.contains(" R ") || query.contains("rates")) {
            table(tables, "History", run.events("rates"));
            Table history = tables.from("History");
            TemporalTableFunction rates = history.createTemporalTableFunction($("ts"), $("k"));
            tables.createTemporarySystemFunction("rates", rates);
            tables.executeSql(
                    "CREATE VIEW R AS SELECT k, v, ts FROM (SELECT *, ROW_NUMBER() OVER"
                            + " (PARTITION BY k ORDER BY ts DESC) AS r FROM History)"
                            + " WHERE r = 1");
        }
        if (query.contains(" U ")) {
            tables.executeSql(FeedTables.upserts(run, "U"));
        }
        if (query.contains(" D ")) {
            tables.executeSql(FeedTables.lookedUp("D"));
        }
        return tables;
    }

    private static void table(StreamTableEnvironment tables, String name, DataStream<?> events) {
        tables.createTemporaryView(
                name,
                events,
                $("id"),
                $("k"),
                $("v"),
                $("at"),
                $("ts").rowtime(),
                $("pt").proctime());
    }

    /** The largest value less the smallest, and how many there were. */
    public static final class Spread extends AggregateFunction<Integer, Spread.Values> {
        private static final long serialVersionUID = 1L;

        /** What has come. */
        public static final class Values {
            public int min = Integer.MAX_VALUE;
            public int max = Integer.MIN_VALUE;
        }

        @Override
        public Values createAccumulator() {
            return new Values();
        }

        public void accumulate(Values values, Integer value) {
            values.min = Math.min(values.min, value);
            values.max = Math.max(values.max, value);
        }

        @Override
        public Integer getValue(Values values) {
            return values.max - values.min;
        }
    }

    /** The digits of a number. */
    public static final class Parts extends TableFunction<String> {
        private static final long serialVersionUID = 1L;

        public void eval(Integer value) {
            for (String digit : value.toString().split("")) {
                collect(digit);
            }
        }
    }

    /** The two largest values, and which of them each is. */
    public static final class Largest
            extends TableAggregateFunction<Tuple2<Integer, Integer>, Largest.Values> {
        private static final long serialVersionUID = 1L;

        /** What has come. */
        public static final class Values {
            public int first = Integer.MIN_VALUE;
            public int second = Integer.MIN_VALUE;
        }

        @Override
        public Values createAccumulator() {
            return new Values();
        }

        public void accumulate(Values values, Integer value) {
            if (value > values.first) {
                values.second = values.first;
                values.first = value;
            } else if (value > values.second) {
                values.second = value;
            }
        }

        public void emitValue(Values values, Collector<Tuple2<Integer, Integer>> out) {
            out.collect(Tuple2.of(values.first, 1));
            out.collect(Tuple2.of(values.second, 2));
        }
    }
}
