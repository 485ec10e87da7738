// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

/** With state in RocksDB, whose checkpoints are incremental. */
class RocksDBLocalRecoveryTest extends LocalCopies {

    @Override
    String backend() {
        return "rocksdb";
    }
}
