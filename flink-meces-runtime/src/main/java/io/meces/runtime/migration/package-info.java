/**
 * What an elastic subtask does in a rescale, as plain Java: no Flink, no I/O, no threads, no clock.
 * Tasks of Flink run it in production, simulated ones in the simulation.
 *
 * <p>{@link io.meces.runtime.migration.MigrationDriver} carries out commands and decides when what
 * is done; the task around it is its {@link io.meces.runtime.migration.MigrationEnvironment}.
 * {@link io.meces.runtime.migration.SubtaskMigration} is the protocol: which record is processed,
 * parked or forwarded, which unit leaves. {@link io.meces.runtime.migration.PeerExchange} brings
 * messages to other subtasks and back.
 */
package io.meces.runtime.migration;
