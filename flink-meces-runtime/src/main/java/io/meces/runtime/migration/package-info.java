/**
 * The migration protocol of one subtask, as plain Java: no Flink, no I/O, no threads, no clock. It
 * is driven by the task thread in production and by a seeded scheduler in the simulation.
 *
 * <p>{@link io.meces.runtime.migration.SubtaskMigration} is the whole of it; what it wants done it
 * says to its {@link io.meces.runtime.migration.MigrationPort}.
 */
package io.meces.runtime.migration;
