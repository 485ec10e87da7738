#!/usr/bin/env bash
# Flink 1.20.5, DataGeneratorSource with RateLimiterStrategy.perSecond(400), endless.
# Expected: 400 records/s at every parallelism; more subtasks share the same rate.
# Seen: stopped with a savepoint at parallelism 2 and started again at 4, the source makes 200 records/s, and at 8 it
#   makes 100: the sequence was cut into two splits when the job first started, the added subtasks find none and
#   finish at once, while each subtask is still limited to its share (rate / parallelism). A test or a demo that
#   scales such a job out sees the load fall.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
flink=1.20.5
cat > pom.xml <<POM
<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>finding</groupId><artifactId>finding</artifactId><version>1</version><packaging>pom</packaging>
  <dependencies>
    <dependency><groupId>org.apache.flink</groupId><artifactId>flink-clients</artifactId><version>$flink</version></dependency>
    <dependency><groupId>org.apache.flink</groupId><artifactId>flink-connector-datagen</artifactId><version>$flink</version></dependency>
  </dependencies>
</project>
POM
mvn -q -B dependency:copy-dependencies -DoutputDirectory=lib > /dev/null
cat > Rate.java <<'JAVA'
import java.nio.file.Files;
import java.util.concurrent.atomic.LongAdder;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.util.ratelimit.RateLimiterStrategy;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.execution.ExecutionState;
import org.apache.flink.runtime.executiongraph.AccessExecutionVertex;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.SavepointRestoreSettings;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;

public class Rate {
    static final LongAdder RECORDS = new LongAdder();

    static JobGraph job(int parallelism, String savepoint) {
        var env = StreamExecutionEnvironment.getExecutionEnvironment(new Configuration());
        env.setParallelism(parallelism);
        var source = new DataGeneratorSource<Long>(
                i -> i, Long.MAX_VALUE, RateLimiterStrategy.perSecond(400), Types.LONG);
        env.fromSource(source, WatermarkStrategy.noWatermarks(), "numbers")
                .uid("numbers")
                .map(
                        number -> {
                            RECORDS.increment();
                            return number;
                        })
                .returns(Types.LONG)
                .uid("count")
                .sinkTo(new DiscardingSink<>());
        var graph = env.getStreamGraph().getJobGraph();
        if (savepoint != null) {
            graph.setSavepointRestoreSettings(SavepointRestoreSettings.forPath(savepoint));
        }
        return graph;
    }

    public static void main(String[] args) throws Exception {
        var configuration = new Configuration();
        configuration.setString("rest.bind-port", "0");
        var folder = Files.createTempDirectory("savepoints").toUri().toString();
        var setting = new MiniClusterConfiguration.Builder()
                .setConfiguration(configuration)
                .setNumTaskManagers(1)
                .setNumSlotsPerTaskManager(8)
                .build();
        var asSeen = true;
        try (var cluster = new MiniCluster(setting)) {
            cluster.start();
            String savepoint = null;
            for (int parallelism : new int[] {2, 4, 8}) {
                var graph = job(parallelism, savepoint);
                cluster.submitJob(graph).get();
                Thread.sleep(5_000);
                long before = RECORDS.sum();
                Thread.sleep(10_000);
                long rate = (RECORDS.sum() - before) / 10;
                long finished = 0;
                for (AccessExecutionVertex subtask : cluster.getExecutionGraph(graph.getJobID()).get().getAllExecutionVertices()) {
                    finished += subtask.getExecutionState() == ExecutionState.FINISHED ? 1 : 0;
                }
                System.out.printf(
                        "parallelism %d: %d records/s, %d subtasks have finished%n", parallelism, rate, finished);
                double expected = 400 * 2.0 / parallelism;
                asSeen &= Math.abs(rate - expected) < expected / 4 && finished == parallelism - 2;
                savepoint = cluster.stopWithSavepoint(
                                graph.getJobID(), folder, false, SavepointFormatType.CANONICAL)
                        .get();
            }
        }
        System.out.println(asSeen ? "as seen before" : "DIFFERENT from what was seen");
        Runtime.getRuntime().halt(asSeen ? 0 : 1);
    }
}
JAVA
javac --release 17 -nowarn -cp 'lib/*' Rate.java
echo "Flink $flink"
timeout 300 java -Xmx700m -Djava.io.tmpdir="$work" --add-opens java.base/java.util=ALL-UNNAMED \
  --add-opens java.base/java.lang=ALL-UNNAMED -cp 'lib/*:.' Rate 2> /dev/null
