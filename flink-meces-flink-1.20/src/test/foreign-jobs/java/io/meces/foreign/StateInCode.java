// SPDX-License-Identifier: Apache-2.0
package io.meces.foreign;

import java.net.URI;
import org.apache.flink.contrib.streaming.state.EmbeddedRocksDBStateBackend;
import org.apache.flink.contrib.streaming.state.PredefinedOptions;
import org.apache.flink.contrib.streaming.state.RocksDBOptionsFactory;
import org.apache.flink.runtime.state.filesystem.FsStateBackend;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** How a user of this line says in code where state is. */
final class StateInCode {

    private StateInCode() {}

    static void setHeap(StreamExecutionEnvironment env, URI checkpoints) {
        env.setStateBackend(new FsStateBackend(checkpoints));
    }

    static void set(StreamExecutionEnvironment env, URI checkpoints, boolean incremental) {
        env.setStateBackend(new EmbeddedRocksDBStateBackend(incremental));
        env.getCheckpointConfig().setCheckpointStorage(checkpoints);
    }

    /** With options, and memory that Flink does not manage. */
    static void set(
            StreamExecutionEnvironment env, URI checkpoints, RocksDBOptionsFactory options) {
        EmbeddedRocksDBStateBackend backend = new EmbeddedRocksDBStateBackend(true);
        backend.setPredefinedOptions(PredefinedOptions.FLASH_SSD_OPTIMIZED);
        backend.getMemoryConfiguration().setUseManagedMemory(false);
        backend.setRocksDBOptions(options);
        env.setStateBackend(backend);
        env.getCheckpointConfig().setCheckpointStorage(checkpoints);
    }
}
