// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.flink.runtime.accumulators.StringifiedAccumulatorResult;
import org.apache.flink.runtime.executiongraph.ArchivedExecutionGraph;
import org.apache.flink.runtime.executiongraph.ArchivedExecutionJobVertex;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.runtime.rest.messages.JobPlanInfo;
import org.apache.flink.runtime.rest.util.RestMapperUtils;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.util.OptionalFailure;
import org.apache.flink.util.SerializedValue;

/** Copies of what Flink shows of a job, in which some things are other ones. Pure. */
public final class ArchivedJobs {

    private static final ObjectMapper JSON = RestMapperUtils.getStrictObjectMapper();

    private ArchivedJobs() {}

    /** How its vertices are connected, as JSON. */
    public static String plan(ArchivedExecutionGraph job) {
        try {
            return JSON.writeValueAsString(job.getPlan());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A vertex with its first subtasks only. */
    public static ArchivedExecutionJobVertex with(
            ArchivedExecutionJobVertex vertex,
            int parallelism,
            StringifiedAccumulatorResult[] accumulators) {
        return new ArchivedExecutionJobVertex(
                Arrays.copyOf(vertex.getTaskVertices(), parallelism),
                vertex.getJobVertexId(),
                vertex.getName(),
                parallelism,
                vertex.getMaxParallelism(),
                vertex.getSlotSharingGroup(),
                vertex.getResourceProfile(),
                accumulators);
    }

    /**
     * A job.
     *
     * @param timestamps by the index of the state
     */
    public static ArchivedExecutionGraph with(
            ArchivedExecutionGraph job,
            Map<JobVertexID, ArchivedExecutionJobVertex> vertices,
            List<ArchivedExecutionJobVertex> inOrder,
            long[] timestamps,
            String plan,
            StringifiedAccumulatorResult[] strings,
            Map<String, SerializedValue<OptionalFailure<Object>>> values) {
        return new ArchivedExecutionGraph(
                job.getJobID(),
                job.getJobName(),
                vertices,
                inOrder,
                timestamps,
                job.getState(),
                job.getJobType(),
                job.getFailureInfo(),
                parse(plan),
                strings,
                values,
                job.getArchivedExecutionConfig(),
                job.isStoppable(),
                job.getCheckpointCoordinatorConfiguration(),
                job.getCheckpointStatsSnapshot(),
                job.getStateBackendName().orElse(null),
                job.getCheckpointStorageName().orElse(null),
                job.isChangelogStateBackendEnabled(),
                job.getChangelogStorageName().orElse(null),
                job.getStreamGraphJson(),
                job.getPendingOperatorCount(),
                job.getApplicationId().orElse(null));
    }

    private static JobPlanInfo.Plan parse(String plan) {
        try {
            return JSON.readValue(plan, JobPlanInfo.Plan.class);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
