// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.rocksdb;

import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/** What the RocksDB of this line does otherwise than that of others: here 5.17. Any thread. */
public final class RocksDBRelease {

    private RocksDBRelease() {}

    /** To be called before a database is closed. There is nothing to be done. */
    public static void endBackgroundWork(RocksDB db) {}

    /** About how many bytes of rows are in memtables. */
    public static long bytesInMemory(RocksDB db, ColumnFamilyHandle family)
            throws RocksDBException {
        return db.getLongProperty(family, "rocksdb.cur-size-all-mem-tables");
    }
}
