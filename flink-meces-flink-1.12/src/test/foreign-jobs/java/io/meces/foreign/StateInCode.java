// SPDX-License-Identifier: Apache-2.0
package io.meces.foreign;

import java.io.IOException;
import java.net.URI;
import org.apache.flink.contrib.streaming.state.PredefinedOptions;
import org.apache.flink.contrib.streaming.state.RocksDBOptionsFactory;
import org.apache.flink.contrib.streaming.state.RocksDBStateBackend;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.filesystem.FsStateBackend;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** How a user of this line says in code where state is. */
final class StateInCode {

    private StateInCode() {}

    static void setHeap(StreamExecutionEnvironment env, URI checkpoints) {
        env.setStateBackend((StateBackend) new FsStateBackend(checkpoints));
    }

    static void set(StreamExecutionEnvironment env, URI checkpoints, boolean incremental)
            throws IOException {
        env.setStateBackend(
                (StateBackend) new RocksDBStateBackend(checkpoints.toString(), incremental));
    }

    /** With options, and memory that Flink does not manage. */
    static void set(StreamExecutionEnvironment env, URI checkpoints, RocksDBOptionsFactory options)
            throws IOException {
        RocksDBStateBackend backend = new RocksDBStateBackend(checkpoints.toString(), true);
        backend.setPredefinedOptions(PredefinedOptions.FLASH_SSD_OPTIMIZED);
        backend.getMemoryConfiguration().setUseManagedMemory(false);
        backend.setRocksDBOptions(options);
        env.setStateBackend((StateBackend) backend);
    }
}
