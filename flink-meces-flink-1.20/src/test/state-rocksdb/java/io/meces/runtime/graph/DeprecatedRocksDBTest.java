// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.graph;

import static io.meces.runtime.graph.RocksDBTakeoverTest.CHECKPOINTS;
import static io.meces.runtime.graph.RocksDBTakeoverTest.job;
import static org.assertj.core.api.Assertions.assertThat;

import io.meces.state.rocksdb.MecesRocksDBStateBackend;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.contrib.streaming.state.RocksDBStateBackend;
import org.apache.flink.runtime.state.CheckpointStorage;
import org.junit.jupiter.api.Test;

/** A backend by which Flink also stores checkpoints, as it had them before 1.13. */
class DeprecatedRocksDBTest {

    @Test
    void itGoesOnStoringCheckpoints() throws Exception {
        assertThat(
                        JobStateBackend.of(
                                job(new RocksDBStateBackend(CHECKPOINTS)),
                                new Configuration(),
                                getClass().getClassLoader()))
                .isInstanceOf(MecesRocksDBStateBackend.class)
                .isInstanceOf(CheckpointStorage.class);
    }
}
