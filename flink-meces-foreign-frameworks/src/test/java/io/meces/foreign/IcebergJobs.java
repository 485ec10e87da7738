// SPDX-License-Identifier: Apache-2.0
package io.meces.foreign;

import static io.meces.foreign.Comparison.RESULTS;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.apache.flink.api.common.functions.RichFlatMapFunction;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple4;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.types.RowKind;
import org.apache.flink.util.Collector;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.DistributionMode;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.flink.TableLoader;
import org.apache.iceberg.flink.sink.FlinkSink;
import org.apache.iceberg.hadoop.HadoopTables;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.types.Types.IntegerType;
import org.apache.iceberg.types.Types.LongType;
import org.apache.iceberg.types.Types.NestedField;

/** Counts of keys that are written to a table in a folder, which is read when the job has ended. */
final class IcebergJobs {

    private static final String KEY = "k";
    private static final String COUNT = "n";
    private static final Schema SCHEMA =
            new Schema(
                    NestedField.required(1, KEY, IntegerType.get()),
                    NestedField.required(2, COUNT, LongType.get()));
    private static final PartitionSpec ONE_PARTITION = PartitionSpec.unpartitioned();
    private static final PartitionSpec BUCKETS =
            PartitionSpec.builderFor(SCHEMA).bucket(KEY, 4).build();

    private IcebergJobs() {}

    static List<FrameworkJob> all() {
        return Arrays.asList(
                appends("Iceberg, rows added", ONE_PARTITION, sink -> sink).growing(),
                appends(
                        "Iceberg, rows added, another writeParallelism",
                        ONE_PARTITION,
                        sink -> sink.writeParallelism(1)),
                appends(
                                "Iceberg, rows added, distributed by partition",
                                BUCKETS,
                                sink -> sink.distributionMode(DistributionMode.HASH))
                        .growing(),
                upserts("Iceberg, equality fields", ONE_PARTITION, rows -> rows, sink -> sink),
                upserts(
                        "Iceberg, equality fields, another writeParallelism",
                        ONE_PARTITION,
                        rows -> rows,
                        sink -> sink.writeParallelism(1)),
                upserts(
                        "Iceberg, equality fields, keyBy before the sink",
                        ONE_PARTITION,
                        rows -> rows.keyBy(row -> row.getInt(0), Types.INT),
                        sink -> sink),
                upserts(
                        "Iceberg, equality fields, distributed by partition",
                        BUCKETS,
                        rows -> rows,
                        sink -> sink.distributionMode(DistributionMode.HASH)));
    }

    /** Each count of a key is a row. */
    private static FrameworkJob appends(
            String name, PartitionSpec partitions, UnaryOperator<FlinkSink.Builder> sink) {
        return new FrameworkJob(
                name,
                RESULTS,
                run -> {
                    String table = create(partitions);
                    write(run, name, counts(run, false), table, sink);
                    return () -> rows(new HadoopTables().load(table), null);
                });
    }

    /** The last count of a key is its row: each but the first one deletes that before. */
    private static FrameworkJob upserts(
            String name,
            PartitionSpec partitions,
            UnaryOperator<DataStream<RowData>> exchange,
            UnaryOperator<FlinkSink.Builder> sink) {
        return new FrameworkJob(
                name,
                RESULTS,
                run -> {
                    String table = create(partitions);
                    TableOperations operations =
                            ((BaseTable) new HadoopTables().load(table)).operations();
                    TableMetadata current = operations.current();
                    operations.commit(current, current.upgradeToFormatVersion(2));
                    write(
                            run,
                            name,
                            exchange.apply(counts(run, true)),
                            table,
                            builder ->
                                    sink.apply(
                                            builder.equalityFieldColumns(
                                                    Collections.singletonList(KEY))));
                    return () -> rowsAndViolations(new HadoopTables().load(table));
                });
    }

    /** A table that is gone after mvn clean. */
    private static String create(PartitionSpec partitions) throws IOException {
        Path all = Files.createDirectories(Paths.get("target", "iceberg").toAbsolutePath());
        String table = Files.createTempDirectory(all, "job").resolve("table").toString();
        new HadoopTables().create(SCHEMA, partitions, Collections.emptyMap(), table);
        return table;
    }

    private static DataStream<RowData> counts(Run run, boolean retracted) {
        return run.events("A", 2)
                .keyBy(event -> event.f1)
                .flatMap(new Count(retracted))
                .name("count")
                .returns(InternalTypeInfo.ofFields(new IntType(false), new BigIntType(false)));
    }

    private static void write(
            Run run,
            String name,
            DataStream<RowData> rows,
            String table,
            UnaryOperator<FlinkSink.Builder> sink)
            throws Exception {
        sink.apply(FlinkSink.forRowData(rows).tableLoader(TableLoader.fromHadoopTable(table)))
                .build();
        run.env.execute(name);
    }

    /**
     * Rows of a table as its readers see them.
     *
     * @param snapshot null: the latest one
     */
    private static List<String> rows(Table table, Long snapshot) throws IOException {
        IcebergGenerics.ScanBuilder scan = IcebergGenerics.read(table);
        List<String> rows = new ArrayList<>();
        try (CloseableIterable<Record> records =
                (snapshot == null ? scan : scan.useSnapshot(snapshot)).build()) {
            records.forEach(row -> rows.add(row.getField(KEY) + ": " + row.getField(COUNT)));
        }
        return rows;
    }

    /** The rows at the end, and keys that have had several ones at any time. */
    private static List<String> rowsAndViolations(Table table) throws IOException {
        List<String> found = rows(table, null);
        for (Snapshot snapshot : table.snapshots()) {
            Map<String, List<String>> byKey = new TreeMap<>();
            for (String row : rows(table, snapshot.snapshotId())) {
                byKey.computeIfAbsent(row.split(": ")[0], key -> new ArrayList<>()).add(row);
            }
            byKey.values().stream()
                    .filter(ofKey -> ofKey.size() > 1)
                    .forEach(ofKey -> found.add("at the same time: " + ofKey));
        }
        return found;
    }

    /** Counts the events of a key, and gives each count as a row of table. */
    private static final class Count
            extends RichFlatMapFunction<Tuple4<Long, Integer, Integer, Long>, RowData> {
        private static final long serialVersionUID = 1L;
        private final boolean retracted;
        private transient ValueState<Long> count;

        /**
         * @param retracted whether a row is retracted before the next one of its key
         */
        Count(boolean retracted) {
            this.retracted = retracted;
        }

        @Override
        public void open(Configuration parameters) {
            count = getRuntimeContext().getState(new ValueStateDescriptor<>("count", Types.LONG));
        }

        @Override
        public void flatMap(Tuple4<Long, Integer, Integer, Long> event, Collector<RowData> out)
                throws Exception {
            Long before = count.value();
            long now = before == null ? 1 : before + 1;
            count.update(now);
            if (retracted && before != null) {
                out.collect(GenericRowData.ofKind(RowKind.UPDATE_BEFORE, event.f1, before));
                out.collect(GenericRowData.ofKind(RowKind.UPDATE_AFTER, event.f1, now));
            } else {
                out.collect(GenericRowData.ofKind(RowKind.INSERT, event.f1, now));
            }
        }
    }
}
