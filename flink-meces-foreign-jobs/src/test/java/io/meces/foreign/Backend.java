// SPDX-License-Identifier: Apache-2.0
package io.meces.foreign;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Locale;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Where the state of a job is, unless its own code says so. */
enum Backend {
    /** As the clusters are configured. */
    HEAP {
        @Override
        void set(StreamExecutionEnvironment env, boolean incremental) {}

        @Override
        void set(Configuration cluster) {}
    },

    /** As a user sets it in code. Timers of a stock Flink are in RocksDB, too. */
    ROCKSDB {
        @Override
        void set(StreamExecutionEnvironment env, boolean incremental) throws IOException {
            StateInCode.set(env, newDirectory(), incremental);
        }

        @Override
        void set(Configuration cluster) throws IOException {
            cluster.setString("state.backend", "rocksdb");
            cluster.set(CheckpointingOptions.INCREMENTAL_CHECKPOINTS, true);
            cluster.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, newDirectory().toString());
        }
    };

    /** For the checkpoints of a job. It is gone after mvn clean. */
    static URI newDirectory() throws IOException {
        Path all = Files.createDirectories(Paths.get("target", "checkpoints").toAbsolutePath());
        return Files.createTempDirectory(all, "job").toUri();
    }

    /**
     * Sets it for a job that is about to be built.
     *
     * @param incremental whether checkpoints are incremental, where they can be
     */
    abstract void set(StreamExecutionEnvironment env, boolean incremental) throws IOException;

    /** Sets it for all jobs of a cluster that do not set one themselves. */
    abstract void set(Configuration cluster) throws IOException;

    /** That of {@code -Dforeign.state-backend}; on the heap unless it says otherwise. */
    static Backend configured() {
        String name = System.getProperty("foreign.state-backend", "");
        return name.isEmpty() ? HEAP : valueOf(name.toUpperCase(Locale.ROOT));
    }

    /** As in {@code -Dforeign.state-backend}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
