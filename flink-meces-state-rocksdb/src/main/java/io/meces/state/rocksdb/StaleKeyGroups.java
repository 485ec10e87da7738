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

import java.io.IOException;
import java.util.BitSet;
import java.util.Collection;
import java.util.function.Supplier;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteOptions;

/**
 * Key-groups that have left, or have come with a checkpoint but belong elsewhere, and whose entries
 * are still in the database.
 *
 * <p>Nobody can read them, as no key of theirs is here. So they are deleted late and together:
 * before a checkpoint, which must not have them, and before a key-group comes back. Each range
 * tombstone slows down all reads until it is compacted; so it is one for each run of key-groups.
 *
 * <p>Owned by the task thread.
 */
final class StaleKeyGroups {

    private final BitSet stale = new BitSet();
    private final RocksDB db;
    private final WriteOptions writeOptions;
    private final int prefixLength;
    private final Supplier<Collection<ColumnFamilyHandle>> columnFamilies;
    private final Compactions compactions;

    StaleKeyGroups(
            RocksDB db,
            WriteOptions writeOptions,
            int prefixLength,
            Supplier<Collection<ColumnFamilyHandle>> columnFamilies,
            Compactions compactions) {
        this.db = db;
        this.writeOptions = writeOptions;
        this.prefixLength = prefixLength;
        this.columnFamilies = columnFamilies;
        this.compactions = compactions;
    }

    void add(int keyGroup) {
        stale.set(keyGroup);
    }

    /** Deletes one of them, if it is one. */
    void delete(int keyGroup) throws IOException {
        if (stale.get(keyGroup)) {
            delete(keyGroup, keyGroup + 1);
        }
    }

    void deleteAll() throws IOException {
        int from = stale.nextSetBit(0);
        while (from >= 0) {
            int to = stale.nextClearBit(from);
            delete(from, to);
            from = stale.nextSetBit(to);
        }
    }

    private void delete(int from, int to) throws IOException {
        byte[] first = KeyGroupPrefix.of(from, prefixLength);
        byte[] end = KeyGroupPrefix.of(to, prefixLength);
        try {
            for (ColumnFamilyHandle family : columnFamilies.get()) {
                db.deleteRange(family, writeOptions, first, end);
            }
        } catch (RocksDBException e) {
            throw new IOException(
                    "Cannot delete key-groups " + from + " to " + (to - 1) + " from RocksDB", e);
        }
        stale.clear(from, to);
        compactions.request(from, to);
    }
}
