// SPDX-License-Identifier: Apache-2.0
/** RocksDB of a job as an experiment wants it. */
package io.meces.examples.rocksdb;
