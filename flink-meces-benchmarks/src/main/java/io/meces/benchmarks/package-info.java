// SPDX-License-Identifier: Apache-2.0
/** The state backend measured next to Flink's, by JMH. */
package io.meces.benchmarks;
