#!/usr/bin/env bash
# Flink 2.3.0, Flink SQL: SUM(...) OVER (PARTITION BY k ORDER BY v ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW),
# where v is an ordinary column and not a time, state on the heap (hashmap, the default). The map function before the
# query throws once after a completed checkpoint; the job may restart three times.
# Expected: the job restores the checkpoint, goes on, and finishes, as it does with state in RocksDB.
# Seen: on the heap it never gets over the restore. Each restart ends in the same NullPointerException, until no restart
#   is left. The function (NonTimeRowsUnboundedPrecedingFunction) looks its map of accumulators up by a GenericRowData;
#   a key of that map which has been read from a checkpoint is a BinaryRowData, and the two are never equal. Each
#   accumulator of before the checkpoint is missing, and null takes its place in a row that is sent.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
flink=2.3.0
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
cat > Over.java <<'JAVA'
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;

public class Over {
    static final int RECORDS = 4_000;

    /** Slow enough that there are checkpoints; fails once behind one. */
    static class FailsOnce implements MapFunction<Long, Row>, CheckpointListener {
        static volatile boolean failed;
        private boolean completed;

        @Override
        public Row map(Long i) throws Exception {
            if (!failed) {
                Thread.sleep(5);
            }
            if (completed && !failed) {
                failed = true;
                throw new IllegalStateException("once");
            }
            return Row.of("key " + i % 5, (int) (i % 97), 1);
        }

        @Override
        public void notifyCheckpointComplete(long checkpoint) {
            completed = true;
        }
    }

    static String run(String backend) {
        FailsOnce.failed = false;
        var configuration = new Configuration();
        configuration.setString("state.backend.type", backend);
        configuration.setString("taskmanager.memory.managed.size", "128m");
        configuration.setString("restart-strategy.type", "fixed-delay");
        configuration.setString("restart-strategy.fixed-delay.attempts", "3");
        configuration.setString("restart-strategy.fixed-delay.delay", "100 ms");
        configuration.setString("execution.checkpointing.interval", "300 ms");
        var env = StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        env.setParallelism(1);
        var table = StreamTableEnvironment.create(env);
        var rows = env.fromSource(
                        new NumberSequenceSource(0, RECORDS - 1), WatermarkStrategy.noWatermarks(), "numbers")
                .map(new FailsOnce())
                .returns(Types.ROW_NAMED(new String[] {"k", "v", "n"}, Types.STRING, Types.INT, Types.INT));
        table.createTemporaryView("r", rows);
        long seen = 0;
        try (var results = table.executeSql("SELECT k, v, SUM(n) OVER (PARTITION BY k ORDER BY v"
                + " ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) FROM r").collect()) {
            while (results.hasNext()) {
                results.next();
                seen++;
            }
        } catch (Exception e) {
            Throwable cause = e;
            while (cause.getCause() != null) {
                cause = cause.getCause();
            }
            String where = cause.getStackTrace().length == 0 ? "" : cause.getStackTrace()[0].getClassName();
            return "fails: " + cause.getClass().getSimpleName() + " in "
                    + where.substring(where.lastIndexOf('.') + 1);
        }
        return "finishes" + (FailsOnce.failed ? " after one restart" : " without a restart")
                + (seen >= RECORDS ? "" : ", with too few rows");
    }

    public static void main(String[] args) {
        String rocksdb = run("rocksdb");
        System.out.println("state in RocksDB:  " + rocksdb);
        String heap = run("hashmap");
        System.out.println("state on the heap: " + heap);
        boolean asSeen = rocksdb.equals("finishes after one restart")
                && heap.startsWith("fails: NullPointerException");
        System.out.println(asSeen ? "as seen before" : "DIFFERENT from what was seen");
        Runtime.getRuntime().halt(asSeen ? 0 : 1);
    }
}
JAVA
javac --release 17 -nowarn -cp 'lib/*' Over.java 2> /dev/null
echo "Flink $flink"
timeout 300 java -Xmx700m -Djava.io.tmpdir="$work" --add-opens java.base/java.util=ALL-UNNAMED \
  --add-opens java.base/java.lang=ALL-UNNAMED --add-opens java.base/java.nio=ALL-UNNAMED -cp 'lib/*:.' Over 2> /dev/null
