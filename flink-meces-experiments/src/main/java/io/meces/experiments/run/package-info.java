// SPDX-License-Identifier: Apache-2.0
/** What every run of processes on this machine needs: supervision, progress, description. */
package io.meces.experiments.run;
