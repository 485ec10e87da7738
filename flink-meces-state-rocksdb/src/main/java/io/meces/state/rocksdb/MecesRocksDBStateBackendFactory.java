// SPDX-License-Identifier: Apache-2.0
package io.meces.state.rocksdb;

import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.IllegalConfigurationException;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.runtime.state.StateBackendFactory;

/**
 * Makes the state backend of a cluster whose configuration says {@code state.backend:
 * io.meces.state.rocksdb.MecesRocksDBStateBackendFactory}. {@code state.backend: rocksdb} does the
 * same for elastic vertices.
 */
public final class MecesRocksDBStateBackendFactory
        implements StateBackendFactory<MecesRocksDBStateBackend> {

    /**
     * The backend as configured.
     *
     * @throws IllegalConfigurationException if a value is invalid, or what Flink needs is missing
     */
    @Override
    public MecesRocksDBStateBackend createFromConfig(
            ReadableConfig config, ClassLoader classLoader) {
        return MecesRocksDBStateBackend.of(config, new Configuration())
                .configure(config, classLoader);
    }
}
