// SPDX-License-Identifier: Apache-2.0
/**
 * State on disk, in Flink's RocksDB backend, as units that can be moved between subtasks. Its own
 * jar, for Flink's {@code lib/}.
 */
package io.meces.state.rocksdb;
