// SPDX-License-Identifier: Apache-2.0
package io.meces.core.protocol;

import io.meces.core.command.EventTime;
import io.meces.core.command.MigrationReports;
import io.meces.core.store.UnitState;
import java.util.UUID;
import javax.annotation.Nullable;

/**
 * Event time of a subtask in one rescale: how far the watermark of a receiver may rise, and whether
 * that of a donor has risen far enough.
 *
 * <p>Owned by the task thread.
 *
 * @param <E> an element of an input
 */
final class RescaleWatermark<E extends MigratingElement> {

    private final UUID rescale;
    private final boolean receives;
    private final MigrationInputs<E> inputs;
    private final MigrationReports reports;
    private final UnitState state;
    private final SubtaskMigration<E> migration;
    private final DeferredReceiver<E> data;

    /** Who gives is to say when its watermark has passed this; null: it need not. */
    @Nullable private Long rising;

    private boolean closed;

    /**
     * @param receives whether the subtask takes units, so that its watermark is held back
     * @param data which elements wait for data that follows the units
     */
    RescaleWatermark(
            UUID rescale,
            boolean receives,
            MigrationEnvironment<E> environment,
            UnitState state,
            SubtaskMigration<E> migration,
            DeferredReceiver<E> data) {
        this.rescale = rescale;
        this.receives = receives;
        this.inputs = environment.inputs();
        this.reports = environment.reports();
        this.state = state;
        this.migration = migration;
        this.data = data;
    }

    /** Lets that of a receiver rise, behind the records that wait here already. */
    void allow(long watermark) throws Exception {
        if (receives) {
            migration.onOther(
                    inputs.action(
                            () -> {
                                if (!closed) {
                                    data.allow(watermark);
                                }
                            }));
        }
    }

    /**
     * @param watermark reported when it has been passed; null if that is not asked for
     */
    void askFor(@Nullable Long watermark) {
        rising = watermark;
    }

    void reportIfRisen() {
        if (rising != null && foreseen() > rising) {
            rising = null;
            reports.watermarkRisen(rescale, time());
        }
    }

    EventTime time() {
        return new EventTime(foreseen(), state.nextEventTime());
    }

    /**
     * What will be when no watermark is held back any more: at once, or else the one that has been
     * emitted counts. Who gives must not lag behind those who take.
     */
    private long foreseen() {
        return migration.hasBacklog() ? inputs.watermark() : inputs.uncappedWatermark();
    }

    /** What still waits to let it rise does nothing any more. */
    void close() {
        closed = true;
    }
}
