// SPDX-License-Identifier: Apache-2.0
/**
 * What an elastic subtask does in a rescale, as plain Java: no Flink, no I/O, no threads, no clock.
 * Tasks of Flink run it in production, simulated ones in the simulation.
 *
 * <p>{@link io.meces.core.protocol.SubtaskRescale} carries out commands and decides when what is
 * done, by an {@code ActiveRescale} for each rescale; the task around it is its {@link
 * io.meces.core.protocol.MigrationEnvironment}. {@link io.meces.core.protocol.SubtaskMigration} is
 * the protocol: which record is processed, parked or forwarded, which unit leaves. {@link
 * io.meces.core.exchange.PeerExchange} brings messages to other subtasks and back.
 */
package io.meces.core.protocol;
