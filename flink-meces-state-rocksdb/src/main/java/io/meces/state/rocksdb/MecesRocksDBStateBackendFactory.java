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

package io.meces.state.rocksdb;

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
     * @throws IllegalConfigurationException if a value is invalid, or there is no {@code
     *     state.checkpoints.dir}
     */
    @Override
    public MecesRocksDBStateBackend createFromConfig(
            ReadableConfig config, ClassLoader classLoader) {
        return MecesRocksDBStateBackend.of(config).configure(config, classLoader);
    }
}
