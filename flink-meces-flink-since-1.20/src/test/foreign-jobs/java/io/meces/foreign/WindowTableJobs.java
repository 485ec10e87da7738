// SPDX-License-Identifier: Apache-2.0
package io.meces.foreign;

import static io.meces.foreign.GeneratedTables.changes;
import static io.meces.foreign.GeneratedTables.results;

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.configuration.Configuration;

/** Windows as table-valued functions, which take the place of those in GROUP BY since 1.13. */
final class WindowTableJobs {

    private static final String WINDOW = "window_start, window_end";
    private static final String TUMBLE =
            "TABLE(TUMBLE(TABLE %s, DESCRIPTOR(ts), INTERVAL '1' SECOND))";
    private static final String HOP =
            "TABLE(HOP(TABLE A, DESCRIPTOR(ts), INTERVAL '1' SECOND, INTERVAL '3' SECOND))";
    private static final String CUMULATE =
            "TABLE(CUMULATE(TABLE A, DESCRIPTOR(ts), INTERVAL '0.5' SECOND, INTERVAL '4' SECOND))";
    private static final String SESSION =
            "TABLE(SESSION(TABLE A PARTITION BY k, DESCRIPTOR(ts), INTERVAL '0.3' SECOND))";
    private static final String AGGREGATES =
            "SELECT k, " + WINDOW + ", COUNT(*), SUM(v), MIN(id), AVG(v) FROM ";
    private static final String PER_KEY = " GROUP BY k, " + WINDOW;
    private static final String COUNTS =
            "SELECT k, " + WINDOW + ", COUNT(*) AS n FROM " + HOP + PER_KEY;
    private static final String DISTINCT =
            "SELECT k, " + WINDOW + ", COUNT(DISTINCT v), COUNT(*) FROM " + tumble("A") + PER_KEY;

    private WindowTableJobs() {}

    static List<ForeignJob> all() {
        List<ForeignJob> jobs = new ArrayList<>();
        both(jobs, "SQL TVF tumble", AGGREGATES + tumble("A") + PER_KEY);
        both(jobs, "SQL TVF hop", AGGREGATES + HOP + PER_KEY);
        both(jobs, "SQL TVF cumulate", AGGREGATES + CUMULATE + PER_KEY);
        jobs.add(results("SQL TVF session", AGGREGATES + SESSION + PER_KEY));
        jobs.add(
                results(
                        "SQL TVF session of distinct values",
                        "SELECT k, "
                                + WINDOW
                                + ", COUNT(DISTINCT v), MAX(v) FROM "
                                + SESSION
                                + PER_KEY));
        jobs.add(
                results(
                        "SQL TVF rows of sessions",
                        "SELECT id, k, " + WINDOW + " FROM " + SESSION));
        both(jobs, "SQL TVF tumble of distinct values", DISTINCT);
        jobs.add(
                results(
                        "SQL TVF tumble of distinct values, split",
                        DISTINCT,
                        settings ->
                                settings.setString(
                                        "table.optimizer.distinct-agg.split.enabled", "true")));
        jobs.add(
                results(
                        "SQL TVF hop of tumble",
                        "SELECT b, "
                                + WINDOW
                                + ", SUM(n) FROM TABLE(HOP(TABLE T, DESCRIPTOR(t), INTERVAL '2'"
                                + " SECOND, INTERVAL '4' SECOND)) GROUP BY b, "
                                + WINDOW,
                        SqlJobs::plain,
                        "SELECT MOD(k, 5) AS b, COUNT(*) AS n, window_time AS t FROM "
                                + tumble("A")
                                + " GROUP BY MOD(k, 5), window_time, "
                                + WINDOW));
        jobs.add(
                results(
                        "SQL TVF grouping sets",
                        "SELECT k, MOD(v, 3), "
                                + WINDOW
                                + ", COUNT(*) FROM "
                                + tumble("A")
                                + " GROUP BY "
                                + WINDOW
                                + ", GROUPING SETS ((k), (k, MOD(v, 3)))"));
        jobs.add(
                results(
                        "SQL TVF Top-N per window",
                        top(
                                "SELECT *, "
                                        + "ROW_NUMBER() OVER (PARTITION BY "
                                        + WINDOW
                                        + " ORDER BY n DESC, k) AS r FROM ("
                                        + COUNTS
                                        + ")")));
        jobs.add(
                results(
                        "SQL TVF Top-N per window and key",
                        "SELECT id, k, v, r, "
                                + WINDOW
                                + " FROM ("
                                + "SELECT *, ROW_NUMBER() OVER (PARTITION BY k, "
                                + WINDOW
                                + " ORDER BY v DESC, id) AS r FROM "
                                + tumble("A")
                                + ") WHERE r <= 2"));
        jobs.add(results("SQL TVF first row per window and key", deduplicated("ASC")));
        jobs.add(results("SQL TVF last row per window and key", deduplicated("DESC")));
        jobs.add(results("SQL TVF join", join("JOIN")));
        jobs.add(results("SQL TVF full join", join("FULL JOIN")));
        jobs.add(
                results(
                        "SQL TVF anti join",
                        "SELECT id, k, v FROM (SELECT * FROM "
                                + tumble("A")
                                + ") L WHERE NOT EXISTS (SELECT 1 FROM (SELECT * FROM "
                                + tumble("B")
                                + ") R WHERE L.k = R.k AND L.v = R.v AND L.window_start ="
                                + " R.window_start AND L.window_end = R.window_end)"));
        jobs.add(
                results(
                        "SQL TVF hot items (NEXMark 5)",
                        "SELECT x.k, x.n, x.window_end FROM ("
                                + COUNTS
                                + ") x JOIN (SELECT MAX(n) AS m, "
                                + WINDOW
                                + " FROM ("
                                + COUNTS
                                + ") GROUP BY "
                                + WINDOW
                                + ") y ON x.window_start = y.window_start AND x.window_end ="
                                + " y.window_end AND x.n >= y.m"));
        jobs.add(
                changes(
                        "SQL TVF group by of tumble",
                        "SELECT n, COUNT(*) FROM (SELECT k, "
                                + WINDOW
                                + ", COUNT(*) AS n FROM "
                                + tumble("A")
                                + PER_KEY
                                + ") GROUP BY n",
                        SqlJobs::miniBatch));
        return jobs;
    }

    private static String tumble(String table) {
        return String.format(TUMBLE, table);
    }

    private static String top(String ranked) {
        return "SELECT k, n, r, window_end FROM (" + ranked + ") WHERE r <= 3";
    }

    private static String deduplicated(String order) {
        return "SELECT id, k, v, window_end FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k, "
                + WINDOW
                + " ORDER BY ts "
                + order
                + ") AS r FROM "
                + tumble("A1")
                + ") WHERE r = 1";
    }

    private static String join(String kind) {
        return "SELECT L.id, R.id, L.window_end, R.window_end FROM (SELECT * FROM "
                + tumble("A")
                + ") L "
                + kind
                + " (SELECT * FROM "
                + tumble("B")
                + ") R ON L.k = R.k AND L.v = R.v AND L.window_start = R.window_start AND"
                + " L.window_end = R.window_end";
    }

    /** With and without an aggregation before the exchange. */
    private static void both(List<ForeignJob> jobs, String name, String query) {
        jobs.add(results(name, query));
        jobs.add(results(name + ", one-phase", query, WindowTableJobs::onePhase));
    }

    private static void onePhase(Configuration settings) {
        settings.setString("table.optimizer.agg-phase-strategy", "ONE_PHASE");
    }
}
