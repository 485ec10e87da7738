// SPDX-License-Identifier: Apache-2.0
/** The soak: random rescales, failures and savepoints under load. */
package io.meces.experiments.soak;
