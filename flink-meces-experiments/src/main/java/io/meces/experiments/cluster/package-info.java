// SPDX-License-Identifier: Apache-2.0
/** Flink as processes of this machine. */
package io.meces.experiments.cluster;
