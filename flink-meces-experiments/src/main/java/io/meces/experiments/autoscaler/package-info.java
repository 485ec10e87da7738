// SPDX-License-Identifier: Apache-2.0
/** A job under a load that rises and falls, rescaled by Flink's own autoscaler. */
package io.meces.experiments.autoscaler;
