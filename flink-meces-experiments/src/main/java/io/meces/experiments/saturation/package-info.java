// SPDX-License-Identifier: Apache-2.0
/** Throughput of a saturated job: flink-meces at rest next to stock Flink. */
package io.meces.experiments.saturation;
