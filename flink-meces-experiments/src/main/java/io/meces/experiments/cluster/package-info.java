// SPDX-License-Identifier: Apache-2.0
/** Starts a Flink from our jars, and asks it. */
package io.meces.experiments.cluster;
