// SPDX-License-Identifier: Apache-2.0
package io.meces.state.rocksdb;

import static io.meces.state.rocksdb.Backends.keys;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.state.rocksdb.RocksDBConfigurableOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Flink since 2.0 can restore by having RocksDB take over the files of several subtasks, which only
 * works if their key-groups do not interleave.
 */
@Timeout(60)
class IngestedFilesTest {

    @Test
    void filesOfKeyGroupsThatInterleaveAreRestored(@TempDir Path directory) throws Exception {
        Configuration cluster = new Configuration();
        cluster.set(RocksDBConfigurableOptions.USE_INGEST_DB_RESTORE_MODE, true);
        try (Backends backends = new Backends(directory, cluster)) {
            List<KeyedStateHandle> files = new ArrayList<>();
            List<String> expected = new ArrayList<>();
            for (int[] keyGroups : new int[][] {{3, 5}, {4, 6}}) {
                MecesRocksDBKeyedStateBackend<String> before =
                        backends.ours(ElasticMock.of(keyGroups));
                for (int keyGroup : keyGroups) {
                    String key = keys(keyGroup, 1).get(0);
                    Backends.fill(before, key, keyGroup);
                    expected.add(Backends.read(before, key));
                }
                files.add(RocksDBUnitStoreTest.narrowed(Backends.checkpoint(before, 1)));
            }
            MecesRocksDBKeyedStateBackend<String> after =
                    backends.ours(
                            ElasticMock.of(3, 4, 5, 6), files.toArray(new KeyedStateHandle[0]));
            List<String> restored = new ArrayList<>();
            for (int keyGroup : new int[] {3, 5, 4, 6}) {
                restored.add(Backends.read(after, keys(keyGroup, 1).get(0)));
            }
            assertThat(restored).isEqualTo(expected);
        }
    }
}
