// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.rocksdb;

/** What Flink's own tests of RocksDB are told about this line. */
public final class RocksDBOfLine {

    private RocksDBOfLine() {}

    /** Whether it takes values for safe to be used again, wherever timers are. */
    public static boolean isSafeToReuseState() {
        return true;
    }
}
