/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

package io.meces.runtime.rest;

import io.meces.api.Elasticity;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.runtime.rest.messages.ClusterConfigurationInfo;

/**
 * The configuration of a job as autoscalers read it: that of the cluster. A job that can be
 * rescaled says that it has an adaptive scheduler, as the contract (FLIP-291) is that of Flink's.
 * Stateless.
 */
final class JobConfiguration {

    private static final String MAX_PARALLELISM = "job.autoscaler.vertex.max-parallelism";

    /** That of the autoscaler. */
    private static final int DEFAULT_MAX_PARALLELISM = 200;

    private JobConfiguration() {}

    /** Of a job that cannot be rescaled. */
    static ClusterConfigurationInfo plain(Configuration cluster) {
        Configuration job = new Configuration(cluster);
        // later Flinks, whose clients read it, do not know the values of this one
        job.removeConfig(JobManagerOptions.SCHEDULER);
        return ClusterConfigurationInfo.from(job);
    }

    /** Of a job as it says itself; no vertex is to be asked for more than it can have. */
    static ClusterConfigurationInfo of(Configuration cluster, Elasticity elasticity) {
        if (elasticity.refusal() != null || elasticity.vertices().isEmpty()) {
            return plain(cluster);
        }
        Configuration job = new Configuration(cluster);
        job.set(JobManagerOptions.SCHEDULER, "adaptive");
        int least =
                elasticity.vertices().stream()
                        .mapToInt(Elasticity.Vertex::capacity)
                        .min()
                        .getAsInt();
        job.setInteger(
                MAX_PARALLELISM,
                Math.min(least, job.getInteger(MAX_PARALLELISM, DEFAULT_MAX_PARALLELISM)));
        return ClusterConfigurationInfo.from(job);
    }
}
