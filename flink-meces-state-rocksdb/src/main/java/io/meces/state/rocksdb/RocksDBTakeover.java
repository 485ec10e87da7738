// SPDX-License-Identifier: Apache-2.0
package io.meces.state.rocksdb;

import io.meces.flink.rocksdb.FlinkRocksDB;
import io.meces.state.ElasticStateBackend;
import io.meces.state.StateBackendTakeover;
import javax.annotation.Nullable;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.runtime.state.StateBackend;

/**
 * Takes over jobs that have Flink's RocksDB backend. One of a class that extends it may do what
 * nobody knows, and is left alone.
 */
public final class RocksDBTakeover implements StateBackendTakeover {

    @Override
    @Nullable
    public ElasticStateBackend ofCode(StateBackend fromCode, ReadableConfig cluster) {
        return FlinkRocksDB.isOne(fromCode)
                ? MecesRocksDBStateBackend.inPlaceOf(fromCode, cluster)
                : null;
    }

    @Override
    @Nullable
    public ElasticStateBackend ofConfiguration(
            StateBackend fromConfiguration, ReadableConfig cluster, Configuration job) {
        return FlinkRocksDB.isOne(fromConfiguration)
                ? MecesRocksDBStateBackend.of(cluster, job)
                : null;
    }
}
