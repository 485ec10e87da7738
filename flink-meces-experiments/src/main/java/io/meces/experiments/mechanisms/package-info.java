// SPDX-License-Identifier: Apache-2.0
/** Experiments: ways to rescale a job side by side, measured and verified, with a report. */
package io.meces.experiments.mechanisms;
