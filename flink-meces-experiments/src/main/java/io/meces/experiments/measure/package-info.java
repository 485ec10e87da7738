// SPDX-License-Identifier: Apache-2.0
/** What the results of a run say: exactness, latency, gaps. */
package io.meces.experiments.measure;
