// SPDX-License-Identifier: Apache-2.0
/** What goes into a job and what comes out of it. */
package io.meces.experiments.traffic;
