// SPDX-License-Identifier: Apache-2.0
package io.meces.foreign;

import static io.meces.foreign.Comparison.CHANGELOG;
import static io.meces.foreign.Comparison.RESULTS;

import java.util.function.Consumer;
import org.apache.flink.api.java.tuple.Tuple4;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;

/** Queries of tables that {@link Generated} fills, as one writes them since Flink 1.13. */
final class GeneratedTables {

    private static final Schema SCHEMA =
            Schema.newBuilder()
                    .columnByExpression("id", "f0")
                    .columnByExpression("k", "f1")
                    .columnByExpression("v", "f2")
                    .columnByMetadata("ts", DataTypes.TIMESTAMP_LTZ(3), "rowtime")
                    .columnByExpression("pt", "PROCTIME()")
                    .watermark("ts", "SOURCE_WATERMARK()")
                    .build();

    private GeneratedTables() {}

    /** A query whose rows are only added. */
    static ForeignJob results(String name, String query, Consumer<Configuration> settings) {
        return new ForeignJob(
                name,
                RESULTS,
                run -> {
                    StreamTableEnvironment tables = of(run, settings, query);
                    run.collect(tables.toDataStream(tables.sqlQuery(query)));
                });
    }

    /** A query of a view T as well. */
    static ForeignJob results(
            String name, String query, Consumer<Configuration> settings, String view) {
        return new ForeignJob(
                name,
                RESULTS,
                run -> {
                    StreamTableEnvironment tables = of(run, settings, view);
                    tables.createTemporaryView("T", tables.sqlQuery(view));
                    run.collect(tables.toDataStream(tables.sqlQuery(query)));
                });
    }

    static ForeignJob results(String name, String query) {
        return results(name, query, SqlJobs::plain);
    }

    /** A query whose rows are updated. */
    static ForeignJob changes(String name, String query, Consumer<Configuration> settings) {
        return new ForeignJob(
                name,
                CHANGELOG,
                run -> {
                    StreamTableEnvironment tables = of(run, settings, query);
                    run.collect(tables.toRetractStream(tables.sqlQuery(query), Row.class));
                });
    }

    static ForeignJob changes(String name, String query) {
        return changes(name, query, SqlJobs::plain);
    }

    /** Tables A and B by two source subtasks each, A1 by one; only those that the query names. */
    static StreamTableEnvironment of(Run run, Consumer<Configuration> settings, String query) {
        StreamTableEnvironment tables = StreamTableEnvironment.create(run.env);
        settings.accept(tables.getConfig().getConfiguration());
        for (String table : new String[] {"A", "B", "A1"}) {
            if (query.matches("(?s).* " + table + "\\b.*")) {
                DataStream<Tuple4<Long, Integer, Integer, Long>> events =
                        Generated.events(run, table, table.endsWith("1") ? 1 : Run.PARALLELISM);
                tables.createTemporaryView(table, events, SCHEMA);
            }
        }
        return tables;
    }
}
