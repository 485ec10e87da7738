// SPDX-License-Identifier: Apache-2.0
/**
 * A keyed state backend on the heap whose key-groups are divided into sub-groups, so that the state
 * and timers of one (key-group, sub-group), a <em>unit</em>, can be taken out and put in while the
 * operator runs.
 *
 * <p>Everything but the state maps is Flink's: state types, TTL, timers, copy-on-write snapshots,
 * checkpoint and savepoint formats. The few places that need Flink's package-private classes are in
 * the bridge classes of {@code org.apache.flink.runtime.state.heap}; this module therefore has to
 * be loaded by the class loader that loads Flink (the {@code lib} folder), not from a job's jar.
 */
package io.meces.state;
