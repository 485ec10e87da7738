/** The soak: random rescales, failures and savepoints under load. */
package io.meces.experiments.soak;
