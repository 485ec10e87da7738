// SPDX-License-Identifier: Apache-2.0
/**
 * flink-meces as a shuffle service: Flink's own Netty shuffle, with partitions whose consumers, and
 * gates whose producers, come and go while the job runs.
 */
package io.meces.runtime.shuffle;
