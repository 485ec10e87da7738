// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.scheduler;

import io.meces.core.job.ElasticVertex;
import io.meces.flink.runtime.ArchivedJobs;
import io.meces.runtime.FlinkIds;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.api.common.accumulators.Accumulator;
import org.apache.flink.api.common.accumulators.AccumulatorHelper;
import org.apache.flink.runtime.accumulators.StringifiedAccumulatorResult;
import org.apache.flink.runtime.execution.ExecutionState;
import org.apache.flink.runtime.executiongraph.ArchivedExecutionGraph;
import org.apache.flink.runtime.executiongraph.ArchivedExecutionJobVertex;
import org.apache.flink.runtime.executiongraph.ExecutionGraph;
import org.apache.flink.runtime.executiongraph.ExecutionJobVertex;
import org.apache.flink.runtime.executiongraph.ExecutionVertex;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.runtime.messages.webmonitor.JobDetails;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.flink.util.OptionalFailure;
import org.apache.flink.util.SerializedValue;

/**
 * What Flink shows of a job, to REST and to clients: the subtasks that are deployed, as if there
 * were no others, and what has been accumulated by those that are gone. Owned by the JobMaster's
 * main thread.
 */
final class ShownJob {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final ExecutionGraph graph;
    private final ElasticTopology topology;
    private final RetiredAccumulators retired;

    /** When the last rescale has ended, in milliseconds since the epoch; 0: none has. */
    private long rescaledAt;

    ShownJob(ExecutionGraph graph, ElasticTopology topology, RetiredAccumulators retired) {
        this.graph = graph;
        this.topology = topology;
        this.retired = retired;
    }

    /**
     * A rescale has ended. The job shows that as the time from which it runs, as it would after a
     * restart at another parallelism.
     */
    void onRescaleEnded(long epochMillis) {
        rescaledAt = epochMillis;
    }

    /** How many subtasks of a vertex there are, with those that are about to end. */
    private int shown(ElasticVertex vertex) {
        ExecutionVertex[] subtasks =
                graph.getJobVertex(FlinkIds.flinks(vertex.id())).getTaskVertices();
        int shown = subtasks.length;
        while (shown > vertex.deployed() && !isAlive(subtasks[shown - 1].getExecutionState())) {
            shown--;
        }
        return shown;
    }

    private static boolean isAlive(ExecutionState state) {
        return state != ExecutionState.CREATED && !state.isTerminal();
    }

    /**
     * @param details of all subtasks
     */
    JobDetails details(JobDetails details) {
        int[] tasksPerState = details.getTasksPerState().clone();
        int tasks = details.getNumTasks();
        for (ElasticVertex vertex : topology.vertices()) {
            ExecutionVertex[] subtasks =
                    graph.getJobVertex(FlinkIds.flinks(vertex.id())).getTaskVertices();
            for (int i = shown(vertex); i < subtasks.length; i++) {
                tasksPerState[subtasks[i].getExecutionState().ordinal()]--;
                tasks--;
            }
        }
        return new JobDetails(
                details.getJobId(),
                details.getJobName(),
                details.getStartTime(),
                details.getEndTime(),
                details.getDuration(),
                details.getStatus(),
                details.getLastUpdateTime(),
                tasksPerState,
                tasks);
    }

    /**
     * @param job with all subtasks
     */
    ArchivedExecutionGraph archived(ArchivedExecutionGraph job) {
        Map<JobVertexID, ArchivedExecutionJobVertex> vertices = new HashMap<>();
        List<ArchivedExecutionJobVertex> inOrder = new ArrayList<>();
        for (ArchivedExecutionJobVertex vertex : job.getVerticesTopologically()) {
            ArchivedExecutionJobVertex shown = archived(vertex);
            vertices.put(shown.getJobVertexId(), shown);
            inOrder.add(shown);
        }
        StringifiedAccumulatorResult[] strings = job.getAccumulatorResultsStringified();
        Map<String, SerializedValue<OptionalFailure<Object>>> values =
                job.getAccumulatorsSerialized();
        if (!retired.isEmpty()) {
            Map<String, OptionalFailure<Accumulator<?, ?>>> accumulators =
                    graph.aggregateUserAccumulators();
            retired.mergeInto(accumulators);
            strings = StringifiedAccumulatorResult.stringifyAccumulatorResults(accumulators);
            values = new HashMap<>();
            for (Map.Entry<String, OptionalFailure<Accumulator<?, ?>>> accumulator :
                    accumulators.entrySet()) {
                values.put(accumulator.getKey(), serialized(accumulator.getValue()));
            }
        }
        return ArchivedJobs.with(
                job,
                vertices,
                inOrder,
                Arrays.stream(JobStatus.values()).mapToLong(s -> timestamp(job, s)).toArray(),
                plan(ArchivedJobs.plan(job)),
                strings,
                values);
    }

    private long timestamp(ArchivedExecutionGraph job, JobStatus status) {
        long timestamp = job.getStatusTimestamp(status);
        return status == JobStatus.RUNNING ? Math.max(timestamp, rescaledAt) : timestamp;
    }

    private ArchivedExecutionJobVertex archived(ArchivedExecutionJobVertex vertex) {
        JobVertexID id = vertex.getJobVertexId();
        ElasticVertex elastic = topology.get(id);
        if (elastic == null) {
            return vertex;
        }
        int parallelism = shown(elastic);
        StringifiedAccumulatorResult[] strings = vertex.getAggregatedUserAccumulatorsStringified();
        if (!retired.isEmpty()) {
            ExecutionJobVertex subtasks = graph.getJobVertex(id);
            Map<String, OptionalFailure<Accumulator<?, ?>>> accumulators = new HashMap<>();
            for (ExecutionVertex subtask : subtasks.getTaskVertices()) {
                Map<String, Accumulator<?, ?>> own =
                        subtask.getCurrentExecutionAttempt().getUserAccumulators();
                if (own != null) {
                    AccumulatorHelper.mergeInto(accumulators, own);
                }
            }
            retired.mergeInto(accumulators, id);
            strings = StringifiedAccumulatorResult.stringifyAccumulatorResults(accumulators);
        }
        return ArchivedJobs.with(vertex, parallelism, strings);
    }

    private static SerializedValue<OptionalFailure<Object>> serialized(
            OptionalFailure<Accumulator<?, ?>> accumulator) {
        try {
            if (accumulator.isFailure()) {
                return new SerializedValue<>(
                        OptionalFailure.ofFailure(accumulator.getFailureCause()));
            }
            try {
                return new SerializedValue<>(
                        OptionalFailure.of(accumulator.getUnchecked().getLocalValue()));
            } catch (IOException e) {
                // who asks for it is told so, as by Flink
                return new SerializedValue<>(OptionalFailure.ofFailure(e));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The plan with the parallelism that the vertices have now. */
    private String plan(String json) {
        try {
            JsonNode plan = JSON.readTree(json);
            for (JsonNode node : plan.path("nodes")) {
                ElasticVertex vertex =
                        topology.get(JobVertexID.fromHexString(node.path("id").asText()));
                if (vertex != null) {
                    ((ObjectNode) node).put("parallelism", shown(vertex));
                }
            }
            return JSON.writeValueAsString(plan);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
