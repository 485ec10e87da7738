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

import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.Map;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/**
 * How many files level 0 of a state gets from one look to the next. Their number alone does not
 * tell, as RocksDB compacts them; but each memtable that is full, and each flush, makes a new
 * version of the state.
 *
 * <p>Owned by one thread.
 */
final class FlushPace {

    private static final int VERSIONS_PER_FILE = 2;

    private final RocksDB db;

    /** At the last look, per state; a handle's hash code is never the same twice. */
    private final Map<ColumnFamilyHandle, Long> versions = new IdentityHashMap<>();

    private final Map<ColumnFamilyHandle, Long> files = new IdentityHashMap<>();

    FlushPace(RocksDB db) {
        this.db = db;
    }

    /** The next look tells of what comes from now on. */
    void begin(Collection<ColumnFamilyHandle> families) throws RocksDBException {
        versions.clear();
        files.clear();
        look(families);
    }

    void look(Collection<ColumnFamilyHandle> families) throws RocksDBException {
        for (ColumnFamilyHandle family : families) {
            long version = db.getLongProperty(family, "rocksdb.current-super-version-number");
            Long last = versions.put(family, version);
            if (last != null) {
                files.put(family, (version - last) / VERSIONS_PER_FILE);
            }
        }
    }

    /** Whether it is known how many files a state gets: it was there at the last two looks. */
    boolean isKnown(ColumnFamilyHandle family) {
        return files.containsKey(family);
    }

    /**
     * About as many as a state has got between the last two looks. Those that are taken over, and
     * compactions, count for half a file each.
     */
    long files(ColumnFamilyHandle family) {
        return files.getOrDefault(family, 0L);
    }
}
