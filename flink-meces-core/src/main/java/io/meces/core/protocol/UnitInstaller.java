// SPDX-License-Identifier: Apache-2.0
package io.meces.core.protocol;

import io.meces.core.exchange.ExchangeMetrics;
import io.meces.core.exchange.Handovers;
import io.meces.core.exchange.MigrationProtocolException;
import io.meces.core.exchange.PeerMessage;
import io.meces.core.exchange.Priority;
import io.meces.core.exchange.TaskThread;
import io.meces.core.exchange.UnitChunk;
import io.meces.core.store.UnitState;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;

/**
 * Puts the units that a receiver gets into its state, when {@link SubtaskMigration} lets them in.
 *
 * <p>Owned by the task thread.
 */
final class UnitInstaller {

    private final TaskThread thread;
    private final ExchangeMetrics metrics;
    private final SubtaskMigration<?> migration;
    private final UnitState state;
    private final Handovers handovers;
    private final DeferredInstaller data;

    /** What has come before it may be installed. */
    private final ArrayDeque<Arrival> arrived = new ArrayDeque<>();

    /** Units that were asked for, and when. */
    private final Map<Integer, Long> requested = new HashMap<>();

    /**
     * @param data puts in what follows the units
     */
    UnitInstaller(
            MigrationEnvironment<?> environment,
            SubtaskMigration<?> migration,
            UnitState state,
            Handovers handovers,
            DeferredInstaller data) {
        this.thread = environment.thread();
        this.metrics = environment.link().metrics();
        this.migration = migration;
        this.state = state;
        this.handovers = handovers;
        this.data = data;
    }

    /** A unit is asked for now. */
    void onRequest(int unit) {
        metrics.requested();
        requested.put(unit, thread.nanoTime());
    }

    /** A message with units has come, or with what the units that follow are to be read with. */
    void onMessage(int from, Priority priority, PeerMessage message) throws Exception {
        arrived.add(new Arrival(from, priority, message));
        if (arrived.size() == 1) {
            installArrived();
        }
    }

    /** Installs what has come and may be installed. */
    void installArrived() throws Exception {
        while (!arrived.isEmpty() && migration.mayInstall()) {
            install(arrived.poll());
        }
    }

    private void install(Arrival arrival) throws Exception {
        PeerMessage message = arrival.message;
        if (message.kind() == PeerMessage.Kind.SCHEMA) {
            state.readSchema(arrival.from, arrival.priority, message.payload());
            return;
        }
        handovers.takeOver(arrival.from, message.handover());
        if (message.kind() == PeerMessage.Kind.UNIT) {
            install(arrival, message.unit(), ByteBuffer.wrap(message.payload()));
            return;
        }
        for (UnitChunk.Part part : UnitChunk.read(message.payload())) {
            install(arrival, part.unit(), part.state());
        }
    }

    private void install(Arrival arrival, int unit, ByteBuffer bytes) throws Exception {
        if (!migration.awaits(arrival.from, unit)) {
            throw new MigrationProtocolException(
                    "unit " + unit + " came that is not awaited: " + arrival.message);
        }
        state.install(arrival.from, arrival.priority, unit, bytes);
        Long since = requested.remove(unit);
        metrics.installed();
        if (since != null) {
            metrics.fetched(thread.nanoTime() - since);
        }
        data.onUnitInstalled(unit);
        migration.onUnitInstalled(arrival.from, unit);
    }

    private static final class Arrival {
        final int from;
        final Priority priority;
        final PeerMessage message;

        Arrival(int from, Priority priority, PeerMessage message) {
            this.from = from;
            this.priority = priority;
            this.message = message;
        }
    }
}
