// SPDX-License-Identifier: Apache-2.0
package io.meces.foreign;

import static io.meces.foreign.GeneratedTables.changes;

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.configuration.Configuration;

/** Queries that Flink runs by other operators than 1.20, or that 1.20 does not have. */
final class NewestSqlJobs {

    private static final String JOIN_OF_THREE =
            "SELECT a.id, b.id, c.id FROM A a LEFT JOIN B b ON a.k = b.k AND a.v = b.v LEFT JOIN"
                    + " A1 c ON a.k = c.k AND a.v = c.v";

    private static final String OVER_ROWS =
            "SELECT id, k, SUM(v) OVER (PARTITION BY k ORDER BY v ROWS BETWEEN UNBOUNDED PRECEDING"
                    + " AND CURRENT ROW) FROM A1";

    private NewestSqlJobs() {}

    static List<ForeignJob> all() {
        List<ForeignJob> jobs = new ArrayList<>();
        jobs.add(
                changes(
                        "SQL left joins of three tables, multi-join",
                        JOIN_OF_THREE,
                        NewestSqlJobs::multiJoin));
        jobs.add(
                changes(
                        "SQL join of three tables, multi-join",
                        JOIN_OF_THREE.replace("LEFT JOIN", "JOIN"),
                        NewestSqlJobs::multiJoin));
        jobs.add(
                changes(
                        "SQL join of group by, multi-join",
                        "SELECT x.k, x.n, y.s, z.v FROM (SELECT k, COUNT(*) AS n FROM A GROUP BY k)"
                                + " x JOIN (SELECT k, SUM(v) AS s FROM B GROUP BY k) y ON x.k = y.k"
                                + " JOIN (SELECT k, MAX(v) AS v FROM A1 GROUP BY k) z ON x.k = z.k",
                        NewestSqlJobs::multiJoin));
        jobs.add(
                changes(
                        "SQL over values, range",
                        "SELECT id, k, SUM(v) OVER (PARTITION BY k ORDER BY v RANGE BETWEEN"
                                + " UNBOUNDED PRECEDING AND CURRENT ROW) FROM A1"));
        jobs.add(
                inCode(
                        "SQL over values, rows, on the heap",
                        run -> StateInCode.setHeap(run.env, Backend.newDirectory())));
        jobs.add(
                inCode(
                        "SQL over values, rows, in RocksDB",
                        run -> StateInCode.set(run.env, Backend.newDirectory(), true)));
        for (String strategy : new String[] {"MAP", "VALUE", "ADAPTIVE"}) {
            jobs.add(
                    NewSqlJobs.upserts(
                            "SQL upserts of a group by, strategy " + strategy,
                            NewSqlJobs.KEYS_IT_CANNOT_TELL,
                            settings -> materialize(settings, strategy)));
        }
        jobs.add(
                changes(
                        "SQL group by, asynchronous state",
                        "SELECT k, COUNT(*), SUM(v) FROM A GROUP BY k",
                        NewestSqlJobs::asynchronous));
        jobs.add(
                changes(
                        "SQL join, asynchronous state",
                        "SELECT a.id, b.id FROM A a JOIN B b ON a.k = b.k AND a.v = b.v",
                        NewestSqlJobs::asynchronous));
        return jobs;
    }

    private static ForeignJob inCode(String name, ForeignJob.Definition backend) {
        ForeignJob job = changes(name, OVER_ROWS);
        return new ForeignJob(
                name,
                job.comparison,
                run -> {
                    backend.build(run);
                    job.definition.build(run);
                });
    }

    private static void multiJoin(Configuration settings) {
        SqlJobs.plain(settings);
        settings.setString("table.optimizer.multi-join.enabled", "true");
    }

    private static void materialize(Configuration settings, String strategy) {
        SqlJobs.plain(settings);
        settings.setString("table.exec.sink.upsert-materialize-strategy.type", strategy);
        settings.setString(
                "table.exec.sink.upsert-materialize-strategy.adaptive.threshold.low", "1");
        settings.setString(
                "table.exec.sink.upsert-materialize-strategy.adaptive.threshold.high", "2");
    }

    private static void asynchronous(Configuration settings) {
        SqlJobs.plain(settings);
        settings.setString("table.exec.async-state.enabled", "true");
    }
}
