// SPDX-License-Identifier: Apache-2.0
/** What demo, soak and experiments share: load, exactness, latency, and the processes of a run. */
package io.meces.experiments.harness;
