// SPDX-License-Identifier: Apache-2.0
package io.meces.state;

import org.apache.flink.configuration.IllegalConfigurationException;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.runtime.state.StateBackendFactory;

/**
 * Makes the state backend of a cluster whose configuration says {@code state.backend:
 * io.meces.state.MecesStateBackendFactory}.
 */
public final class MecesStateBackendFactory implements StateBackendFactory<MecesStateBackend> {

    /**
     * The backend as configured.
     *
     * @throws IllegalConfigurationException if a value is invalid
     */
    @Override
    public MecesStateBackend createFromConfig(ReadableConfig config, ClassLoader classLoader) {
        return new MecesStateBackend().configure(config, classLoader);
    }
}
