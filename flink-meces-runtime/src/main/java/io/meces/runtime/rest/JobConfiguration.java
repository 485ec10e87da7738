// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.rest;

import io.meces.api.Elasticity;
import io.meces.flink.runtime.ConfigurationBody;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.runtime.rest.messages.ResponseBody;

/**
 * The configuration of a job as autoscalers read it: that of the cluster. A job that can be
 * rescaled says that it has an adaptive scheduler, as the contract (FLIP-291) is that of Flink's.
 * Stateless.
 */
final class JobConfiguration {

    /** An option of the autoscaler, and its default. */
    private static final String MAX_PARALLELISM = "job.autoscaler.vertex.max-parallelism";

    private static final String DEFAULT_MAX_PARALLELISM = "200";

    /** Another one: ids of vertices that it leaves alone. */
    private static final String EXCLUDED = "job.autoscaler.vertex.exclude.ids";

    private static final String SEPARATOR = ";";

    private JobConfiguration() {}

    /** Of a job that cannot be rescaled. */
    static ResponseBody plain(Configuration cluster) {
        Configuration job = new Configuration(cluster);
        // later Flinks, whose clients read it, do not know the values of this one
        job.removeConfig(JobManagerOptions.SCHEDULER);
        return ConfigurationBody.of(job);
    }

    /**
     * Of a job as it says itself. No vertex is to be asked for more than it can have, and none that
     * cannot be rescaled for anything: an autoscaler would ask in vain again and again, each time
     * with the parallelism that it last saw the others have.
     *
     * @param fixed the ids of those that cannot be rescaled
     */
    static ResponseBody of(Configuration cluster, Elasticity elasticity, List<String> fixed) {
        if (elasticity.refusal() != null || elasticity.vertices().isEmpty()) {
            return plain(cluster);
        }
        Configuration job = new Configuration(cluster);
        job.setString(JobManagerOptions.SCHEDULER.key(), "adaptive");
        int least =
                elasticity.vertices().stream()
                        .mapToInt(Elasticity.Vertex::capacity)
                        .min()
                        .getAsInt();
        int most =
                Integer.parseInt(
                        job.toMap().getOrDefault(MAX_PARALLELISM, DEFAULT_MAX_PARALLELISM).trim());
        job.setString(MAX_PARALLELISM, String.valueOf(Math.min(least, most)));
        Set<String> excluded = new LinkedHashSet<>(fixed);
        for (String id : job.toMap().getOrDefault(EXCLUDED, "").split(SEPARATOR)) {
            excluded.add(id.trim());
        }
        excluded.remove("");
        if (!excluded.isEmpty()) {
            job.setString(EXCLUDED, String.join(SEPARATOR, excluded));
        }
        return ConfigurationBody.of(job);
    }
}
