// SPDX-License-Identifier: Apache-2.0
package io.meces.state;

import javax.annotation.Nullable;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.runtime.state.StateBackend;

/**
 * Makes state backends of ours that take the place of one of Flink's in a job. Found by {@link
 * java.util.ServiceLoader} in jars in Flink's {@code lib/}. Stateless.
 */
public interface StateBackendTakeover {

    /**
     * One that keeps state and stores checkpoints as another does.
     *
     * @param fromCode what a job sets in its code, or its client for it; maybe configured
     * @param cluster the configuration of the JobManager
     * @return not configured yet; null if it is of another kind
     */
    @Nullable
    ElasticStateBackend ofCode(StateBackend fromCode, ReadableConfig cluster);

    /**
     * One that keeps state and stores checkpoints as that of the cluster does.
     *
     * @param fromConfiguration what Flink makes of the configuration
     * @param cluster the configuration of the JobManager
     * @param job what comes before it, and before that of a TaskManager
     * @return not configured yet, so that each TaskManager configures it by itself, as it does with
     *     Flink's; null if it is of another kind
     */
    @Nullable
    ElasticStateBackend ofConfiguration(
            StateBackend fromConfiguration, ReadableConfig cluster, Configuration job);
}
