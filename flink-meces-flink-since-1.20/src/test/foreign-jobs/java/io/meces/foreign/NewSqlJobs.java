// SPDX-License-Identifier: Apache-2.0
package io.meces.foreign;

import static io.meces.foreign.GeneratedTables.changes;
import static io.meces.foreign.GeneratedTables.results;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.types.RowKind;

/** Queries that Flink runs by other operators than 1.12, or that 1.12 does not have. */
final class NewSqlJobs {

    private static final String TOP_1 =
            "SELECT id, k, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v DESC, id)"
                    + " AS r FROM A) WHERE r = 1";
    private static final String TOP_1_OF_UPDATES =
            "SELECT b, k, m FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY b ORDER BY m DESC) AS r"
                    + " FROM (SELECT k, MOD(k, 8) AS b, MAX(id) AS m FROM A1 GROUP BY k, MOD(k,"
                    + " 8))) WHERE r = 1";
    private static final String FULL_JOIN =
            "SELECT a.id, b.id FROM A a FULL JOIN B b ON a.k = b.k AND a.v = b.v";
    private static final String UNIQUE_JOIN =
            "SELECT x.k, x.n, y.s FROM (SELECT k, COUNT(*) AS n FROM A GROUP BY k) x JOIN (SELECT"
                    + " k, SUM(v) AS s FROM B GROUP BY k) y ON x.k = y.k";

    /** As the table of counts per key, but Flink cannot tell that each key has one row. */
    static final String KEYS_IT_CANNOT_TELL =
            "SELECT MOD(k, 1000) AS k, n FROM (SELECT k, COUNT(*) AS n FROM A GROUP BY k)";

    private NewSqlJobs() {}

    static List<ForeignJob> all() {
        List<ForeignJob> jobs = new ArrayList<>();
        jobs.add(top1("SQL Top-1", TOP_1, SqlJobs::plain));
        jobs.add(top1("SQL Top-1, mini-batch", TOP_1, SqlJobs::miniBatch));
        jobs.add(top1("SQL Top-1, small cache", TOP_1, settings -> cache(settings, 2)));
        jobs.add(
                top1(
                        "SQL Top-1 with rank",
                        TOP_1.replace("SELECT id, k, v", "SELECT r, id, k, v"),
                        SqlJobs::plain));
        jobs.add(changes("SQL Top-1 of updates", TOP_1_OF_UPDATES));
        jobs.add(
                changes(
                        "SQL Top-1 of updates, small cache",
                        TOP_1_OF_UPDATES,
                        settings -> cache(settings, 2)));
        jobs.add(
                changes(
                        "SQL Top-N, large cache",
                        "SELECT k, v, id FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY"
                                + " v DESC, id) AS r FROM A) WHERE r <= 10"));
        jobs.add(changes("SQL full join, mini-batch", FULL_JOIN, SqlJobs::miniBatch));
        jobs.add(changes("SQL join of unique keys, mini-batch", UNIQUE_JOIN, SqlJobs::miniBatch));
        jobs.add(
                changes(
                        "SQL join with TTL hints",
                        "SELECT /*+ STATE_TTL('a' = '1h', 'b' = '2h') */ a.id, b.id FROM A a JOIN B"
                                + " b ON a.k = b.k AND a.v = b.v"));
        jobs.add(changes("SQL lists per key", "SELECT k, ARRAY_AGG(id) FROM A1 GROUP BY k"));
        jobs.add(
                changes(
                        "SQL counts with filters (NEXMark 16)",
                        "SELECT k, COUNT(*), COUNT(*) FILTER (WHERE v < 30), COUNT(DISTINCT v),"
                                + " COUNT(DISTINCT v) FILTER (WHERE MOD(id, 2) = 0), COUNT(DISTINCT"
                                + " MOD(id, 17)) FILTER (WHERE v > 50) FROM A GROUP BY k",
                        SqlJobs::twoPhase));
        jobs.add(
                results(
                        "SQL over, lag",
                        "SELECT id, k, LAG(v, 2) OVER (PARTITION BY k ORDER BY ts), FIRST_VALUE(v)"
                                + " OVER (PARTITION BY k ORDER BY ts) FROM A1"));
        jobs.add(
                results(
                        "SQL over all rows before",
                        "SELECT id, k, SUM(v) OVER (PARTITION BY k ORDER BY ts ROWS BETWEEN"
                                + " UNBOUNDED PRECEDING AND CURRENT ROW) FROM A1"));
        jobs.add(
                results(
                        "SQL interval join of generated tables",
                        "SELECT a.id, b.id FROM A a JOIN B b ON a.k = b.k AND b.ts BETWEEN a.ts -"
                                + " INTERVAL '0.2' SECOND AND a.ts + INTERVAL '0.5' SECOND"));
        jobs.add(upserts("SQL upserts of a group by", KEYS_IT_CANNOT_TELL, SqlJobs::plain));
        jobs.add(
                upserts(
                        "SQL upserts of a group by, mini-batch",
                        KEYS_IT_CANNOT_TELL,
                        SqlJobs::miniBatch));
        return jobs;
    }

    /** Flink 2.3 retracts no row of a key that has another one by now. */
    private static ForeignJob top1(String name, String query, Consumer<Configuration> settings) {
        return new ForeignJob(
                name,
                Comparison.UPSERTS,
                run -> {
                    StreamTableEnvironment tables = GeneratedTables.of(run, settings, query);
                    run.collect(
                            tables.toChangelogStream(tables.sqlQuery(query))
                                    .filter(row -> row.getKind() != RowKind.UPDATE_BEFORE)
                                    .map(row -> row.getField("k") + ": " + row.getField("id")));
                });
    }

    private static void cache(Configuration settings, int size) {
        SqlJobs.plain(settings);
        settings.setString("table.exec.rank.topn-cache-size", String.valueOf(size));
    }

    /**
     * As a sink with a primary key gets it: Flink puts an operator with the rows of each key
     * before.
     */
    static ForeignJob upserts(String name, String query, Consumer<Configuration> settings) {
        return new ForeignJob(
                name,
                Comparison.UPSERTS,
                run -> {
                    StreamTableEnvironment tables =
                            GeneratedTables.of(
                                    run,
                                    all -> {
                                        settings.accept(all);
                                        all.setString(
                                                "table.exec.sink.upsert-materialize", "FORCE");
                                    },
                                    query);
                    Schema schema =
                            Schema.newBuilder()
                                    .column("k", "INT NOT NULL")
                                    .column("n", "BIGINT NOT NULL")
                                    .primaryKey("k")
                                    .build();
                    run.collect(
                            tables.toChangelogStream(
                                            tables.sqlQuery(query), schema, ChangelogMode.upsert())
                                    .map(
                                            row ->
                                                    row.getField("k")
                                                            + ": "
                                                            + (row.getKind() == RowKind.DELETE
                                                                    ? ""
                                                                    : row.getField("n"))));
                });
    }
}
