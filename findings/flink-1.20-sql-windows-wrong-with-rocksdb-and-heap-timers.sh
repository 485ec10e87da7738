#!/usr/bin/env bash
# Flink 1.20.4, Flink SQL: a tumbling window (TVF) with GROUP BY a key, state in RocksDB (EmbeddedRocksDBStateBackend),
# and timers on the heap, as state.backend.rocksdb.timer-service.factory: HEAP chooses (the documented remedy where
# timers in RocksDB are slow). No failure, no restore, parallelism 1.
# Expected: the choice is one of speed alone. Each key has one row for each window, with the number of its records.
# Seen: with ROCKSDB (the default) that is so. With HEAP, nothing fails and nothing is logged: of 50 keys each window
#   has 50 rows of one and the same key, and 19,600 of 20,000 records are in none of them. The operator uses one key
#   object again and again, as it takes RocksDB for a store that copies what it is given (isSafeToReuseKVState() is true
#   whatever the timers are), and a timer on the heap keeps that object. Flink 2.3.0 asks for the kind of timers, too.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
flink=1.20.4
cat > pom.xml <<POM
<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>finding</groupId><artifactId>finding</artifactId><version>1</version><packaging>pom</packaging>
  <dependencies>
    <dependency><groupId>org.apache.flink</groupId><artifactId>flink-clients</artifactId><version>$flink</version></dependency>
    <dependency><groupId>org.apache.flink</groupId><artifactId>flink-statebackend-rocksdb</artifactId><version>$flink</version></dependency>
    <dependency><groupId>org.apache.flink</groupId><artifactId>flink-table-api-java-bridge</artifactId><version>$flink</version></dependency>
    <dependency><groupId>org.apache.flink</groupId><artifactId>flink-table-planner_2.12</artifactId><version>$flink</version></dependency>
    <dependency><groupId>org.apache.flink</groupId><artifactId>flink-table-runtime</artifactId><version>$flink</version></dependency>
  </dependencies>
</project>
POM
mvn -q -B dependency:copy-dependencies -DoutputDirectory=lib > /dev/null
cat > Windows.java <<'JAVA'
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;

public class Windows {
    static final int RECORDS = 20_000;
    static final int KEYS = 50;

    /** Records by the number of rows that have them; or how it failed. */
    static String run(String timers) {
        var configuration = new Configuration();
        configuration.setString("state.backend.type", "rocksdb");
        configuration.setString("state.backend.rocksdb.timer-service.factory", timers);
        configuration.setString("taskmanager.memory.managed.size", "128m");
        configuration.setString("restart-strategy.type", "none");
        configuration.setString("table.exec.mini-batch.enabled", "false");
        var env = StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        env.setParallelism(1);
        var table = StreamTableEnvironment.create(env);
        // one record every 10 ms of event time, keys in turn
        var rows = env.fromSource(
                        new NumberSequenceSource(0, RECORDS - 1), WatermarkStrategy.noWatermarks(), "numbers")
                .map(i -> Row.of("key " + i % KEYS, Instant.ofEpochMilli(i * 10)))
                .returns(Types.ROW_NAMED(new String[] {"k", "t"}, Types.STRING, Types.INSTANT));
        table.createTemporaryView("r", rows, Schema.newBuilder()
                .column("k", "STRING")
                .column("t", "TIMESTAMP_LTZ(3)")
                .watermark("t", "t - INTERVAL '1' SECOND")
                .build());
        var counts = new TreeMap<String, Long>();
        long rowsSeen = 0;
        try (var results = table.executeSql("SELECT k, window_start, COUNT(*) FROM TABLE(TUMBLE(TABLE r, DESCRIPTOR(t),"
                + " INTERVAL '10' SECOND)) GROUP BY k, window_start, window_end").collect()) {
            while (results.hasNext()) {
                Row row = results.next();
                rowsSeen++;
                counts.merge(row.getField(0) + " " + row.getField(1), (Long) row.getField(2), Long::sum);
            }
        } catch (Exception e) {
            Throwable cause = e;
            while (cause.getCause() != null) {
                cause = cause.getCause();
            }
            return "fails: " + cause.getClass().getSimpleName();
        }
        long sum = counts.values().stream().mapToLong(Long::longValue).sum();
        boolean even = counts.values().stream().allMatch(n -> n == 20);
        return rowsSeen + " rows, " + counts.size() + " windows of a key, " + sum + " records, each 20: " + even;
    }

    public static void main(String[] args) {
        String right = RECORDS / 20 + " rows, " + RECORDS / 20 + " windows of a key, " + RECORDS + " records, each 20: true";
        String rocksdb = run("ROCKSDB");
        System.out.println("timers in RocksDB:  " + rocksdb);
        String heap = run("HEAP");
        System.out.println("timers on the heap: " + heap);
        boolean asSeen = rocksdb.equals(right) && !heap.equals(right);
        System.out.println(asSeen ? "as seen before" : "DIFFERENT from what was seen");
        Runtime.getRuntime().halt(asSeen ? 0 : 1);
    }
}
JAVA
javac --release 17 -nowarn -cp 'lib/*' Windows.java 2> /dev/null
echo "Flink $flink"
timeout 300 java -Xmx700m -Djava.io.tmpdir="$work" --add-opens java.base/java.util=ALL-UNNAMED \
  --add-opens java.base/java.lang=ALL-UNNAMED --add-opens java.base/java.nio=ALL-UNNAMED -cp 'lib/*:.' Windows 2> /dev/null
