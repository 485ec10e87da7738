// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.io.IOException;
import java.util.List;
import java.util.stream.Collectors;
import javax.annotation.Nullable;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.io.network.partition.ResultPartitionType;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.runtime.jobgraph.tasks.TaskInvokable;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.StateBackendLoader;
import org.apache.flink.streaming.api.graph.StreamConfig;
import org.apache.flink.util.DynamicCodeLoadingException;

/** What is asked of a job graph, and put into it. Has no state. */
public final class JobGraphs {

    private JobGraphs() {}

    /** Has consumers be deployed before all of their producers are known: the scheduler does. */
    public static void letProducersBeUnknown(JobGraph graph) {}

    /** Whether its records can be read while they are written. */
    public static boolean isPipelined(ResultPartitionType type) {
        return type.isPipelinedOrPipelinedBoundedResultPartition();
    }

    /** The vertices of its co-location group; null: it has none. */
    @Nullable
    public static List<JobVertex> coLocated(JobGraph graph, JobVertex vertex) {
        return vertex.getCoLocationGroup() == null
                ? null
                : vertex.getCoLocationGroup().getVertexIds().stream()
                        .map(graph::findVertexByID)
                        .collect(Collectors.toList());
    }

    /** Has a vertex be run by a task of another class. */
    public static void setTask(JobVertex vertex, Class<?> task) {
        vertex.setInvokableClass(task.asSubclass(TaskInvokable.class));
    }

    /** What the job has, or else the cluster, or else Flink by default. */
    public static StateBackend stateBackend(
            @Nullable StateBackend fromCode,
            JobGraph graph,
            Configuration cluster,
            ClassLoader userCode)
            throws IOException, DynamicCodeLoadingException {
        return StateBackendLoader.fromApplicationOrConfigOrDefault(
                fromCode, graph.getJobConfiguration(), cluster, userCode, null);
    }

    /** What the state backend of a job is configured with before its cluster. */
    public static Configuration configuration(JobGraph graph) {
        return graph.getJobConfiguration();
    }

    /** Has the tasks of a vertex take this one. */
    public static void setStateBackend(JobVertex vertex, StateBackend backend) {
        StreamConfig config = new StreamConfig(vertex.getConfiguration());
        config.setStateBackend(backend);
        config.serializeAllConfigs();
    }
}
