// SPDX-License-Identifier: Apache-2.0
package io.meces.foreign;

import java.net.URI;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.state.rocksdb.PredefinedOptions;
import org.apache.flink.state.rocksdb.RocksDBOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** How a user of this line says in code where state is. */
final class StateInCode {

    private StateInCode() {}

    static void setHeap(StreamExecutionEnvironment env, URI checkpoints) {
        env.configure(chosen("hashmap", checkpoints));
    }

    static void set(StreamExecutionEnvironment env, URI checkpoints, boolean incremental) {
        env.configure(
                chosen("rocksdb", checkpoints)
                        .set(CheckpointingOptions.INCREMENTAL_CHECKPOINTS, incremental));
    }

    /** With options, and memory that Flink does not manage. */
    static void set(StreamExecutionEnvironment env, URI checkpoints, TunedRocksDB options) {
        env.configure(
                chosen("rocksdb", checkpoints)
                        .set(CheckpointingOptions.INCREMENTAL_CHECKPOINTS, true)
                        .set(
                                RocksDBOptions.PREDEFINED_OPTIONS,
                                PredefinedOptions.FLASH_SSD_OPTIMIZED.name())
                        .set(RocksDBOptions.USE_MANAGED_MEMORY, false)
                        .set(RocksDBOptions.OPTIONS_FACTORY, TunedByName.class.getName())
                        .set(TunedByName.NAME, options));
    }

    private static Configuration chosen(String backend, URI checkpoints) {
        return new Configuration()
                .set(StateBackendOptions.STATE_BACKEND, backend)
                .set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, checkpoints.toString());
    }
}
