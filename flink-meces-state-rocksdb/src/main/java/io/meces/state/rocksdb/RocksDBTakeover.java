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

import io.meces.state.ElasticStateBackend;
import io.meces.state.StateBackendTakeover;
import javax.annotation.Nullable;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.contrib.streaming.state.RocksDBStateBackend;
import org.apache.flink.runtime.state.StateBackend;

/**
 * Takes over jobs that have a {@link RocksDBStateBackend}. One of a class that extends it may do
 * what nobody knows, and is left alone.
 */
public final class RocksDBTakeover implements StateBackendTakeover {

    @Override
    @Nullable
    public ElasticStateBackend ofCode(StateBackend fromCode, ReadableConfig cluster) {
        return fromCode.getClass() == RocksDBStateBackend.class
                ? MecesRocksDBStateBackend.inPlaceOf((RocksDBStateBackend) fromCode, cluster)
                : null;
    }

    @Override
    @Nullable
    public ElasticStateBackend ofConfiguration(
            StateBackend fromConfiguration, ReadableConfig cluster) {
        return fromConfiguration.getClass() == RocksDBStateBackend.class
                ? MecesRocksDBStateBackend.of(cluster)
                : null;
    }
}
