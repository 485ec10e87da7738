// SPDX-License-Identifier: Apache-2.0
/** A run: options, environment, timeline, report; the same for demo, benchmark and soak. */
package io.meces.experiments.run;
