// SPDX-License-Identifier: Apache-2.0
/** Flink's own autoscaler as a process of its own, against any cluster that has its contract. */
package io.meces.autoscaler;
