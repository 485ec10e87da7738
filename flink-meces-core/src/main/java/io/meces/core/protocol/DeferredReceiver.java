// SPDX-License-Identifier: Apache-2.0
package io.meces.core.protocol;

import io.meces.core.command.DataStatistics;
import io.meces.core.command.StepMoves;
import io.meces.core.exchange.MigrationProtocolException;
import io.meces.core.exchange.PeerExchange;
import io.meces.core.store.DeferredData;
import io.meces.core.store.DeferredKey;
import io.meces.core.waiting.ParkedByKey;
import io.meces.core.waiting.ReadAheadMemory;
import io.meces.core.waiting.Waiting;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import javax.annotation.Nullable;

/**
 * What a receiver does for data that comes apart from its units. It stands between {@link
 * SubtaskMigration}, which knows when a unit is here, and the operator, and lets an element pass
 * when the data is here that it may touch:
 *
 * <ul>
 *   <li>A <b>record</b> waits for the data of its key, which is asked for; those of other keys go
 *       on.
 *   <li>The operator's <b>watermark</b> rises to a time when all records that had come before have
 *       been processed, and no timer sleeps that is due by then: the keys of such timers are asked
 *       for. What follows a watermark may be processed first, as while a watermark is held back for
 *       any other reason; but not where all elements come from one upstream subtask: then they wait
 *       behind it.
 *   <li>A <b>broadcast record</b>, which concerns all keys, waits until all data is here, and other
 *       broadcast elements behind it. There is no order between inputs.
 * </ul>
 *
 * <p>Owned by the task thread.
 *
 * @param <E> an element of an input
 */
final class DeferredReceiver<E extends MigratingElement>
        implements SubtaskMigration.Output<E>, DeferredInstaller.Listener {

    /** So many keys with timers are asked for at a time. */
    private static final int DUE_KEYS = 256;

    private final int subGroups;
    private final boolean singleUpstream;
    private final BitSet broadcastChannels;
    private final int maxWaiting;
    private final ReadAheadMemory.Share memory;

    /** Null if units bring all: then none is awaited. */
    @Nullable private final DeferredData data;

    private final MigrationInputs<E> inputs;
    private final Host<E> host;
    private final Waiting<E> waiting;
    private final ParkedByKey<E> parked;
    private final DeferredInstaller installer;

    /** Whether the watermark rises by {@link #maybeRise} only. */
    private boolean closed;

    /** How many have been put in. */
    private long keyGroups;

    /** To what the watermark may rise, were all data here. */
    private long allowed;

    private final ArrayDeque<Rise> rises = new ArrayDeque<>();

    /** Keys with timers for which the first of these waits, unless they come otherwise. */
    private final Set<DeferredKey> due = new HashSet<>();

    /** What it asks of the driver. */
    interface Host<E> {

        /** Hands an element to the operator. */
        void toOperator(E element) throws Exception;

        /** Holds the operator's watermark where it is. */
        void closeWatermark();

        /** All data has come, and nothing waits for it any more. */
        void dataCompleted() throws Exception;
    }

    DeferredReceiver(
            MigrationSettings settings,
            MigrationEnvironment<E> environment,
            MigrationStart start,
            @Nullable DeferredData data,
            PeerExchange exchange,
            Waiting<E> waiting,
            Host<E> host) {
        this.subGroups = settings.subGroups;
        this.maxWaiting = settings.pace.maxBacklog;
        this.memory = settings.memory;
        this.broadcastChannels = start.broadcastChannels;
        this.singleUpstream = start.singleUpstream;
        // that of other receivers rises only by allow()
        this.allowed = start.holdsWatermark() ? Long.MIN_VALUE : Long.MAX_VALUE;
        this.data = data;
        this.inputs = environment.inputs();
        this.host = host;
        this.waiting = waiting;
        this.parked = waiting.keys;
        this.installer =
                new DeferredInstaller(
                        settings, data, exchange, environment.thread()::nanoTime, this);
    }

    /** A step begins; nothing of it has been read. */
    void startStep(StepMoves step) {
        if (isIncomplete()) {
            throw new MigrationProtocolException(
                    "a step begins before the data of the last one has come");
        }
        installer.startStep(step);
        if (!installer.isDone()) {
            closed = true;
            host.closeWatermark();
        }
    }

    /** Whether data is still to come, or something waits for it. */
    boolean isIncomplete() {
        return closed;
    }

    @Override
    public boolean isWatermarkWaiting() {
        return hasRises() || closed && target() > inputs.watermark();
    }

    /** Whether a watermark waits, or what came behind one. */
    private boolean hasRises() {
        return !rises.isEmpty() || !waiting.behindWatermark.isEmpty();
    }

    private long target() {
        return Math.min(allowed, inputs.uncappedWatermark());
    }

    @Override
    public boolean isFull() {
        int forData = waiting.forData();
        return closed && (forData >= maxWaiting || forData > 0 && memory.isFull());
    }

    DataStatistics takeStatistics() {
        return installer.takeStatistics(parked.takeWaits());
    }

    /** What handles messages with data. */
    DeferredInstaller installer() {
        return installer;
    }

    // ------------------------------------------------------------------------
    //  Elements
    // ------------------------------------------------------------------------

    @Override
    public void process(E element) throws Exception {
        if (!closed) {
            host.toOperator(element);
        } else if (singleUpstream && hasRises()) {
            waiting.behindWatermark.add(element);
        } else if (pass(element)) {
            maybeRise();
        }
    }

    /** Returns whether the watermark is to rise further. */
    private boolean pass(E element) throws Exception {
        if (element.unit() >= 0) {
            passRecord(element);
            return false;
        }
        boolean ofBroadcast = element.channel() >= 0 && broadcastChannels.get(element.channel());
        if (ofBroadcast
                && (!waiting.forAllData.isEmpty()
                        || element.isForAllKeys() && installer.hasInstalledUnits())) {
            waiting.forAllData.add(element);
            return false;
        }
        host.toOperator(element);
        return isToRise();
    }

    private void passRecord(E record) throws Exception {
        int unit = record.unit();
        boolean incoming = installer.isIncoming(unit);
        if (!incoming && !parked.hasReady()) {
            host.toOperator(record);
            return;
        }
        DeferredKey key = inputs.keyOf(record);
        if (parked.isReady(key)) {
            parked.addReady(key, record);
            return;
        }
        if (!incoming || installer.isHere(unit, key)) {
            host.toOperator(record);
            return;
        }
        if (!parked.awaits(key)) {
            installer.request(unit, Collections.singletonList(key));
        }
        parked.park(unit / subGroups, key, record);
    }

    /**
     * How much has been done so far, as a number that grows: bytes that have come, key-groups that
     * have been put in, records processed.
     */
    long progress() {
        return installer.bytes() + keyGroups + parked.takenSoFar();
    }

    @Override
    public boolean canProcess() {
        return canProcessReady() || canPassRise() || canPassBroadcasts();
    }

    private boolean canProcessReady() {
        return parked.hasReady() && !installer.isCompleting();
    }

    private boolean canPassRise() {
        return rises.isEmpty() && !waiting.behindWatermark.isEmpty();
    }

    private boolean canPassBroadcasts() {
        return installer.isDone() && !waiting.forAllData.isEmpty();
    }

    @Override
    public boolean processNext() throws Exception {
        if (canProcessReady()) {
            host.toOperator(parked.takeReady());
            maybeRise();
        } else if (canPassRise()) {
            if (pass(waiting.behindWatermark.poll())) {
                maybeRise();
            }
        } else if (canPassBroadcasts()) {
            host.toOperator(waiting.forAllData.poll());
            if (isToRise()) {
                maybeRise();
            }
        } else {
            return false;
        }
        maybeCompleted();
        return true;
    }

    // ------------------------------------------------------------------------
    //  Event time
    // ------------------------------------------------------------------------

    /** The watermark may rise up to a time, as far as this subtask's peers are concerned. */
    void allow(long watermark) throws Exception {
        allowed = Math.max(allowed, watermark);
        if (!closed) {
            inputs.raiseWatermark(allowed);
        } else if (isToRise()) {
            maybeRise();
        }
    }

    /** Notes if the watermark is to rise further: one has come, or it may rise higher. */
    private boolean isToRise() {
        long target = target();
        if (target <= (rises.isEmpty() ? inputs.watermark() : rises.peekLast().target)) {
            return false;
        }
        rises.add(new Rise(target, parked.mark()));
        return true;
    }

    private void maybeRise() throws Exception {
        while (closed && !rises.isEmpty() && mayRise(rises.peek())) {
            // it has not risen before it has at all inputs
            inputs.raiseWatermark(rises.peek().target);
            rises.remove();
        }
    }

    private boolean mayRise(Rise rise) {
        if (!due.isEmpty() || !parked.isPassed(rise.after)) {
            return false;
        }
        if (installer.isCompleting()) {
            // its timers may be due, and nothing of it is processed now
            return false;
        }
        List<DeferredData.Sleeper> sleepers = data.dueAt(rise.target, DUE_KEYS);
        for (DeferredData.Sleeper sleeper : sleepers) {
            due.add(sleeper.key());
        }
        installer.request(sleepers);
        return sleepers.isEmpty();
    }

    // ------------------------------------------------------------------------
    //  Data
    // ------------------------------------------------------------------------

    @Override
    public void onKey(DeferredKey key) throws Exception {
        due.remove(key);
        parked.unpark(key);
    }

    @Override
    public void afterData() throws Exception {
        maybeRise();
    }

    @Override
    public void onKeyGroup(int keyGroup) throws Exception {
        keyGroups++;
        due.clear();
        parked.unparkAll(keyGroup);
        maybeRise();
        maybeCompleted();
    }

    /** If all data has come, and what has waited for it has been processed. */
    private void maybeCompleted() throws Exception {
        if (!closed || !installer.isDone() || canProcess()) {
            return;
        }
        if (parked.awaitsData() || !rises.isEmpty()) {
            throw new MigrationProtocolException("something waits although all data has come");
        }
        closed = false;
        inputs.raiseWatermark(allowed);
        host.dataCompleted();
    }

    /** To be called every few ms while data is to come: what time alone may have changed. */
    void tick() throws Exception {
        installer.request(data.dueNow(DUE_KEYS));
        installer.installAllChunks();
        if (closed && isToRise()) {
            // an event of a channel has let it: not an element
            maybeRise();
        }
        installer.setPace();
    }

    void close() {
        if (data != null) {
            data.close();
        }
    }

    /** The watermark is to rise. */
    private static final class Rise {
        final long target;

        /** The records that had been parked before. */
        final ParkedByKey.Mark after;

        Rise(long target, ParkedByKey.Mark after) {
            this.target = target;
            this.after = after;
        }
    }
}
