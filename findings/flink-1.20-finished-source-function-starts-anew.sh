#!/usr/bin/env bash
# Flink 1.20.5, a parallel SourceFunction that keeps its position in operator list state, as its interface asks for;
# exactly-once checkpoints. Subtask 0 emits 100 records and returns; subtask 1 goes on. Checkpoints complete (since
# Flink 1.15 they do after some subtasks have finished). Then subtask 1 fails once.
# Expected: the job recovers from the last checkpoint, and each record is counted once in the keyed state behind it.
# Seen: a checkpoint that is taken after subtask 0 has finished holds no list state of it. After the failure the subtask
#   is started again, restores an empty list, and emits all of its records once more: 200 are counted instead of 100.
#   Nothing is logged. A source that ends must be able to tell "nothing read" from "all read" without its own
#   state, or use FLIP-27, whose enumerator remembers which splits are done.
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
  </dependencies>
</project>
POM
mvn -q -B dependency:copy-dependencies -DoutputDirectory=lib > /dev/null
cat > Finished.java <<'JAVA'
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.streaming.api.functions.source.RichParallelSourceFunction;
import org.apache.flink.util.Collector;

public class Finished {
    static final int RECORDS = 100;
    static final AtomicBoolean FAILS = new AtomicBoolean();
    static final AtomicInteger CHECKPOINTS = new AtomicInteger();
    static final AtomicLong COUNTED = new AtomicLong();
    static volatile boolean firstHasEnded;

    public static class Numbers extends RichParallelSourceFunction<Integer>
            implements CheckpointedFunction, CheckpointListener {
        private transient ListState<Integer> positions;
        private int position;
        private volatile boolean cancelled;

        @Override
        public void initializeState(FunctionInitializationContext context) throws Exception {
            positions = context.getOperatorStateStore()
                    .getListState(new ListStateDescriptor<>("position", Types.INT));
            for (int restored : positions.get()) {
                position = restored;
            }
        }

        @Override
        public void snapshotState(FunctionSnapshotContext context) throws Exception {
            positions.clear();
            positions.add(position);
        }

        @Override
        public void run(SourceContext<Integer> out) throws Exception {
            int subtask = getRuntimeContext().getTaskInfo().getIndexOfThisSubtask();
            while (!cancelled && (subtask == 0 ? position < RECORDS : CHECKPOINTS.get() < 10)) {
                synchronized (out.getCheckpointLock()) {
                    out.collect(subtask);
                    position++;
                }
                Thread.sleep(1);
                if (subtask == 1 && CHECKPOINTS.get() == 5 && FAILS.compareAndSet(true, false)) {
                    throw new IllegalStateException("an ordinary failure");
                }
            }
            firstHasEnded |= subtask == 0;
        }

        @Override
        public void cancel() {
            cancelled = true;
        }

        // Told by subtask 1 alone: what completes here has been taken after subtask 0 had returned.
        @Override
        public void notifyCheckpointComplete(long checkpoint) {
            if (firstHasEnded && getRuntimeContext().getTaskInfo().getIndexOfThisSubtask() == 1) {
                CHECKPOINTS.incrementAndGet();
            }
        }
    }

    public static class Count extends KeyedProcessFunction<Integer, Integer, Integer> {
        private ValueState<Long> count;

        @Override
        public void open(OpenContext context) {
            count = getRuntimeContext().getState(new ValueStateDescriptor<>("count", Types.LONG));
        }

        @Override
        public void processElement(Integer subtask, Context context, Collector<Integer> out) throws Exception {
            count.update(count.value() == null ? 1 : count.value() + 1);
            if (subtask == 0) {
                COUNTED.set(count.value());
            }
        }
    }

    static long count(boolean fails) throws Exception {
        FAILS.set(fails);
        CHECKPOINTS.set(0);
        firstHasEnded = false;
        var configuration = new Configuration();
        configuration.setString("rest.bind-port", "0");
        configuration.setString("restart-strategy.type", "fixed-delay");
        configuration.setString("restart-strategy.fixed-delay.delay", "100ms");
        var setting = new MiniClusterConfiguration.Builder()
                .setConfiguration(configuration)
                .setNumTaskManagers(1)
                .setNumSlotsPerTaskManager(2)
                .build();
        try (var cluster = new MiniCluster(setting)) {
            cluster.start();
            var env = StreamExecutionEnvironment.getExecutionEnvironment(configuration);
            env.setParallelism(2);
            env.enableCheckpointing(300);
            env.addSource(new Numbers())
                    .keyBy(subtask -> subtask)
                    .process(new Count())
                    .sinkTo(new DiscardingSink<>());
            var graph = env.getStreamGraph().getJobGraph();
            cluster.submitJob(graph).get();
            cluster.requestJobResult(graph.getJobID()).get(100, TimeUnit.SECONDS).toJobExecutionResult(
                    Finished.class.getClassLoader());
        }
        return COUNTED.get();
    }

    public static void main(String[] args) throws Exception {
        long without = count(false);
        System.out.printf("no failure: %d of %d records of subtask 0 are counted%n", without, RECORDS);
        long with = count(true);
        System.out.printf("one failure, the job finishes: %d of %d are counted%n", with, RECORDS);
        boolean asSeen = without == RECORDS && with == 2 * RECORDS;
        System.out.println(asSeen ? "as seen before" : "DIFFERENT from what was seen");
        Runtime.getRuntime().halt(asSeen ? 0 : 1);
    }
}
JAVA
javac --release 17 -nowarn -cp 'lib/*' Finished.java 2> /dev/null
echo "Flink $flink"
timeout 300 java -Xmx700m -Djava.io.tmpdir="$work" --add-opens java.base/java.util=ALL-UNNAMED \
  --add-opens java.base/java.lang=ALL-UNNAMED -cp 'lib/*:.' Finished 2> /dev/null
