// SPDX-License-Identifier: Apache-2.0
package io.meces.autoscaler;

import java.util.HashMap;
import java.util.Map;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.autoscaler.JobAutoScalerContext;
import org.apache.flink.autoscaler.realizer.ScalingRealizer;
import org.apache.flink.autoscaler.tuning.ConfigChanges;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.runtime.jobgraph.JobResourceRequirements;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.runtime.jobgraph.JobVertexResourceRequirements;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out what the autoscaler decides by the resource requirements of a job (FLIP-291). Called
 * by one thread.
 */
final class RequirementsRealizer implements ScalingRealizer<JobID, JobAutoScalerContext<JobID>> {

    private static final Logger LOG = LoggerFactory.getLogger(RequirementsRealizer.class);

    private final Cluster cluster;

    RequirementsRealizer(Cluster cluster) {
        this.cluster = cluster;
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
            cluster.require(context.getJobID(), new JobResourceRequirements(wanted));
        }
    }

    @Override
    public void realizeConfigOverrides(
            JobAutoScalerContext<JobID> context, ConfigChanges configChanges) {
        LOG.warn("The memory of running TaskManagers cannot be changed.");
    }
}
