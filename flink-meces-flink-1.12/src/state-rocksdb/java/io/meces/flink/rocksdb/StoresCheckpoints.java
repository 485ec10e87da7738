// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.rocksdb;

/** A state backend that also stores the checkpoints of its job: each one, in 1.12. */
public interface StoresCheckpoints {

    /** By which it stores them. */
    FlinkRocksDB flinks();
}
