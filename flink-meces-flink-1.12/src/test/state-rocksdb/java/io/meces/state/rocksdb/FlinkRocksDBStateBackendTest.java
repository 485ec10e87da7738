// SPDX-License-Identifier: Apache-2.0
package io.meces.state.rocksdb;

import java.io.IOException;
import org.apache.flink.runtime.state.StateBackendTestBase;
import org.junit.Ignore;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/**
 * Flink's own tests of a state backend, in elastic tasks and with incremental checkpoints: what its
 * {@code RocksDBStateBackendTest}, which is in none of its jars, begins from.
 */
public class FlinkRocksDBStateBackendTest extends StateBackendTestBase<MecesRocksDBStateBackend> {

    @Rule public final TemporaryFolder directory = new TemporaryFolder();

    @Override
    protected MecesRocksDBStateBackend getStateBackend() throws IOException {
        return InElasticTasks.in(directory.newFolder().toPath());
    }

    @Override
    protected boolean isSerializerPresenceRequiredOnRestore() {
        return false;
    }

    @Override
    @Test
    @Ignore("Takes minutes: each of 77 subtasks gets the files of all, which FileSets deals out")
    public void testKeyGroupsSnapshotRestoreScaleUpUnEvenDistribute() {}

    @Override
    @Test
    @Ignore("Takes minutes: each of 15 subtasks gets the files of all, which FileSets deals out")
    public void testKeyGroupsSnapshotRestoreScaleDownUnEvenDistribute() {}
}
