// SPDX-License-Identifier: Apache-2.0
package io.meces.state.rocksdb;

import java.io.IOException;
import org.apache.flink.runtime.state.StateBackendMigrationTestBase;
import org.junit.Ignore;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Flink's own tests of state whose serializer has changed, in elastic tasks. */
public class FlinkRocksDBMigrationTest
        extends StateBackendMigrationTestBase<MecesRocksDBStateBackend> {

    @Rule public final TemporaryFolder directory = new TemporaryFolder();

    @Override
    protected MecesRocksDBStateBackend getStateBackend() throws IOException {
        return InElasticTasks.in(directory.newFolder().toPath());
    }

    @Override
    @Test
    @Ignore("Timers are on the heap, and their queues not in the checkpoint of the backend")
    public void testPriorityQueueStateCreationFailsIfNewSerializerIsNotCompatible() {}
}
