// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import io.meces.runtime.testing.MecesMiniCluster;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.runtime.execution.ExecutionState;
import org.apache.flink.runtime.executiongraph.AccessExecutionGraph;
import org.apache.flink.runtime.executiongraph.AccessExecutionVertex;
import org.apache.flink.runtime.util.EnvironmentInformation;

/** Clusters for the live tests. */
public final class Clusters {

    private Clusters() {}

    /** TaskManagers with network memory for elastic vertices of capacity 128. */
    public static MecesMiniCluster start(int taskManagers, int slots, Configuration more)
            throws Exception {
        return builder(taskManagers, slots, more).start();
    }

    static MecesMiniCluster.Builder builder(int taskManagers, int slots, Configuration more) {
        Configuration configuration = new Configuration();
        configuration.set(TaskManagerOptions.NETWORK_MEMORY_MIN, MemorySize.parse("96m"));
        configuration.set(TaskManagerOptions.NETWORK_MEMORY_MAX, MemorySize.parse("96m"));
        configuration.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.parse("4m"));
        configuration.addAll(more);
        return MecesMiniCluster.builder()
                .taskManagers(taskManagers)
                .slotsPerTaskManager(slots)
                .configuration(configuration);
    }

    /**
     * Whether all subtasks that are deployed run, as far as the JobManager knows: they begin before
     * it hears of it, and a rescale is refused until then.
     *
     * @param restarts how often the job has been restarted at least
     */
    static boolean knowsToRun(MecesMiniCluster cluster, JobID job, int restarts) throws Exception {
        AccessExecutionGraph graph = cluster.flink().getExecutionGraph(job).get();
        boolean any = false;
        for (AccessExecutionVertex vertex : graph.getAllExecutionVertices()) {
            ExecutionState state = vertex.getExecutionState();
            if (state == ExecutionState.RUNNING) {
                any = true;
                if (vertex.getCurrentExecutionAttempt().getAttemptNumber() < restarts) {
                    return false;
                }
            } else if (state != ExecutionState.CREATED) {
                return false;
            }
        }
        // subtasks beyond the parallelism are never deployed
        return any && graph.getState() == JobStatus.RUNNING;
    }

    /**
     * Whether tasks whose data has ended wait for a checkpoint (FLIP-147), and Flink itself tells
     * autoscalers what they ask for.
     */
    static boolean isLater() {
        return !EnvironmentInformation.getVersion().startsWith("1.12");
    }

    /** Results may come before the JobManager knows that all subtasks run. */
    public static void awaitRunning(MecesMiniCluster cluster, JobID job) throws Exception {
        cluster.running(job).get(60, TimeUnit.SECONDS);
    }

    /** How often the job has been restarted, as seen by its sources, which are never rescaled. */
    static int restarts(MecesMiniCluster cluster, JobID job) throws Exception {
        int most = 0;
        for (AccessExecutionVertex vertex :
                cluster.flink().getExecutionGraph(job).get().getAllExecutionVertices()) {
            if (vertex.getTaskNameWithSubtaskIndex().startsWith("Source: source")) {
                most = Math.max(most, vertex.getCurrentExecutionAttempt().getAttemptNumber());
            }
        }
        return most;
    }

    /** How many subtasks have finished of vertices whose names begin so. */
    static int finished(MecesMiniCluster cluster, JobID job, String name) throws Exception {
        int finished = 0;
        for (AccessExecutionVertex subtask :
                cluster.flink().getExecutionGraph(job).get().getAllExecutionVertices()) {
            if (subtask.getTaskNameWithSubtaskIndex().startsWith(name)
                    && subtask.getExecutionState() == ExecutionState.FINISHED) {
                finished++;
            }
        }
        return finished;
    }

    /** How many checkpoints of the job were completed since it was submitted. */
    static long completedCheckpoints(MecesMiniCluster cluster, JobID job) throws Exception {
        return cluster.flink()
                .getExecutionGraph(job)
                .get()
                .getCheckpointStatsSnapshot()
                .getCounts()
                .getNumberOfCompletedCheckpoints();
    }

    /**
     * Waits until all subtasks of a job run again and it has given 2,000 results more than before.
     */
    static void awaitRecovery(MecesMiniCluster cluster, JobID job, Ledger ledger, long before)
            throws Exception {
        Ledger.awaitOrFail(
                "recovery",
                () ->
                        cluster.status(job).get() == JobStatus.RUNNING
                                && ledger.results.get() > before + 2_000);
        // Some subtasks give results before others have been restored.
        awaitRunning(cluster, job);
    }

    /** Waits for a checkpoint that has begun after this was called. */
    static void awaitCheckpointOfNow(MecesMiniCluster cluster, JobID job) throws Exception {
        // one that is on its way may be of before
        long enough = completedCheckpoints(cluster, job) + 2;
        Ledger.awaitOrFail("a checkpoint", () -> completedCheckpoints(cluster, job) >= enough);
    }
}
