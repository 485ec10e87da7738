// SPDX-License-Identifier: Apache-2.0
package io.meces.autoscaler;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.autoscaler.JobAutoScalerContext;
import org.apache.flink.autoscaler.realizer.ScalingRealizer;
import org.apache.flink.autoscaler.tuning.ConfigChanges;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.runtime.jobgraph.JobResourceRequirements;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.runtime.jobgraph.JobVertexResourceRequirements;
import org.apache.flink.runtime.rest.messages.job.JobResourceRequirementsBody;
import org.apache.flink.runtime.rest.util.RestMapperUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out what the autoscaler decides by the resource requirements of a job (FLIP-291). Called
 * by one thread.
 */
final class RequirementsRealizer implements ScalingRealizer<JobID, JobAutoScalerContext<JobID>> {

    private static final Logger LOG = LoggerFactory.getLogger(RequirementsRealizer.class);

    private final Cluster cluster;
    @Nullable private final PrintWriter out;

    /**
     * @param out to where a line of JSON goes for all that is required of a job; null: nowhere
     */
    RequirementsRealizer(Cluster cluster, @Nullable PrintWriter out) {
        this.cluster = cluster;
        this.out = out;
    }

    @Override
    public void realizeParallelismOverrides(
            JobAutoScalerContext<JobID> context, Map<String, String> overrides) throws Exception {
        if (context.getJobStatus() != JobStatus.RUNNING) {
            return;
        }
        if (context.getConfiguration().get(JobManagerOptions.SCHEDULER)
                != JobManagerOptions.SchedulerType.Adaptive) {
            LOG.warn("Job {} cannot be rescaled while it runs.", context.getJobID());
            return;
        }
        Map<JobVertexID, JobVertexResourceRequirements> wanted =
                new HashMap<>(cluster.requirements(context.getJobID()).getJobVertexParallelisms());
        boolean changed = false;
        for (Map.Entry<JobVertexID, JobVertexResourceRequirements> vertex : wanted.entrySet()) {
            String override = overrides.get(vertex.getKey().toHexString());
            JobVertexResourceRequirements goal =
                    override == null
                            ? vertex.getValue()
                            : new JobVertexResourceRequirements(
                                    new JobVertexResourceRequirements.Parallelism(
                                            1, Integer.parseInt(override)));
            changed |= !goal.equals(vertex.getValue());
            vertex.setValue(goal);
        }
        if (changed) {
            LOG.info("Requires of job {}: {}", context.getJobID(), wanted);
            JobResourceRequirements requirements = new JobResourceRequirements(wanted);
            cluster.require(context.getJobID(), requirements);
            if (out != null) {
                out.println(json(context.getJobID(), requirements));
                out.flush();
            }
        }
    }

    /** The id of the job, and the body of the request. */
    static String json(JobID job, JobResourceRequirements requirements) throws IOException {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("id", job.toHexString());
        members.put("resource-requirements", new JobResourceRequirementsBody(requirements));
        return RestMapperUtils.getStrictObjectMapper().writeValueAsString(members);
    }

    @Override
    public void realizeConfigOverrides(
            JobAutoScalerContext<JobID> context, ConfigChanges configChanges) {
        LOG.warn("The memory of running TaskManagers cannot be changed.");
    }
}
