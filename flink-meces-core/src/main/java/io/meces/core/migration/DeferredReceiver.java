/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

package io.meces.core.migration;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

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
 * <p>Data by key and chunks of the background meet here: a key that has been fetched is not touched
 * by chunks, as it may have changed since; an answer that comes for a key that is here, or while a
 * chunk of its key-group is being put in, is dropped, or waits.
 *
 * <p>Owned by the task thread.
 *
 * @param <E> an element of an input
 */
final class DeferredReceiver<E extends MigratingElement> {

    /** So many keys with timers are asked for at a time. */
    private static final int DUE_KEYS = 256;

    /** How long a pace lasts at least: room may come and go faster than a message travels. */
    private static final long PACE_NANOS = 50_000_000;

    private final int subtask;
    private final int subGroups;
    private final boolean demands;
    private final boolean singleUpstream;
    private final BitSet broadcastChannels;
    private final int maxWaiting;
    private final long maxQueuedBytes;
    private final DeferredData data;
    private final Port<E> port;

    /** What is still to come, by key-group. */
    private final Map<Integer, Incoming> incoming = new TreeMap<>();

    /** Records that wait for their key, by key; the one that has waited for longest comes first. */
    private final LinkedHashMap<DeferredKey, Parked<E>> parked = new LinkedHashMap<>();

    private final Set<DeferredKey> requested = new HashSet<>();
    private int recordsParked;

    /** Counts the records that are parked. */
    private long clock;

    /** Whether the watermark rises by {@link #maybeRise} only. */
    private boolean closed;

    /** To what the watermark may rise, were all data here. */
    private long allowed;

    private final ArrayDeque<Rise> rises = new ArrayDeque<>();

    /** Keys with timers for which the first of these waits, unless they come otherwise. */
    private final Set<DeferredKey> due = new HashSet<>();

    /** What came behind a watermark that waits, if that is to be kept in order. */
    private final ArrayDeque<E> behindRise = new ArrayDeque<>();

    /** Broadcast records, and what came behind them on their channels. */
    private final ArrayDeque<E> broadcasts = new ArrayDeque<>();

    /** Donors that have been told to send nothing more in the background for now. */
    private final BitSet paused = new BitSet();

    private long queuedBytes;

    /** When donors were last told to go on, or not to. */
    private long paceNanos;

    private boolean paceIsTold;

    // ---- figures of the step ----

    private long bytes;
    private int keysFetched;
    private long waited;
    private long waitedNanos;
    private long longestNanos;

    /** What it asks of the driver. */
    interface Port<E> {

        long nanoTime();

        /** A record has waited so long for the data of its key. */
        void waited(long nanos);

        DeferredKey keyOf(E record) throws Exception;

        /** Hands an element to the operator. */
        void process(E element) throws Exception;

        /** The operator's watermark. */
        long watermark();

        /** What the operator's watermark would be if nothing held it back. */
        long uncappedWatermark();

        /** Holds the operator's watermark where it is. */
        void closeWatermark();

        /** Lets the operator's watermark rise. */
        void raiseWatermark(long watermark) throws Exception;

        /** Asks for the data of keys. */
        void request(int donor, int unit, List<DeferredKey> keys);

        /** Tells a donor whether it may send something in the background. */
        void setPace(int donor, boolean more);

        /** All data has come, and nothing waits for it any more. */
        void dataCompleted() throws Exception;
    }

    /**
     * @param watermarkIsClosed whether the watermark may rise only by {@link #allow}
     */
    DeferredReceiver(
            MigrationSettings settings,
            MigrationStart start,
            boolean watermarkIsClosed,
            DeferredData data,
            Port<E> port) {
        this.subtask = settings.subtask;
        this.subGroups = settings.subGroups;
        this.demands = settings.order == MigrationOrder.DEMAND;
        this.maxWaiting = settings.pace.maxBacklog;
        this.maxQueuedBytes = settings.flowControl.windowBytes;
        this.broadcastChannels = start.broadcastChannels;
        this.singleUpstream = start.singleUpstream;
        this.allowed = watermarkIsClosed ? Long.MIN_VALUE : Long.MAX_VALUE;
        this.data = data;
        this.port = port;
    }

    /** A step begins; nothing of it has been read. */
    void startStep(StepMoves step) {
        if (isIncomplete()) {
            throw new MigrationProtocolException(
                    "a step begins before the data of the last one has come: " + incoming.keySet());
        }
        step.forEachTo(
                subtask,
                (keyGroup, from) ->
                        incoming.put(keyGroup, new Incoming(keyGroup, from, subGroups)));
        if (!incoming.isEmpty()) {
            closed = true;
            port.closeWatermark();
        }
    }

    /** Whether data is still to come, or something waits for it. */
    boolean isIncomplete() {
        return closed;
    }

    /** Whether so much waits that nothing more should be read. */
    boolean isFull() {
        return recordsParked + behindRise.size() + broadcasts.size() >= maxWaiting;
    }

    /** Records that wait for the data of their key. */
    int parked() {
        return recordsParked;
    }

    /** Bytes that have come in this step so far. */
    long bytes() {
        return bytes;
    }

    /** What has come since the last call. */
    DataStatistics takeStatistics() {
        DataStatistics statistics =
                new DataStatistics(
                        bytes, keysFetched, new RecordWaits(waited, waitedNanos, longestNanos));
        bytes = 0;
        keysFetched = 0;
        waited = 0;
        waitedNanos = 0;
        longestNanos = 0;
        return statistics;
    }

    // ------------------------------------------------------------------------
    //  Elements
    // ------------------------------------------------------------------------

    /** An element for the operator, in the order that {@link SubtaskMigration} has made. */
    void process(E element) throws Exception {
        if (!closed) {
            port.process(element);
        } else if (singleUpstream && !(rises.isEmpty() && behindRise.isEmpty())) {
            behindRise.add(element);
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
                && (!broadcasts.isEmpty() || element.isForAllKeys() && hasInstalledUnits())) {
            broadcasts.add(element);
            return false;
        }
        port.process(element);
        return isToRise();
    }

    /** Whether there are keys whose data is not here; those of a unit that has not come are not. */
    private boolean hasInstalledUnits() {
        return incoming.values().stream().anyMatch(of -> of.unitsMissing < subGroups);
    }

    private void passRecord(E record) throws Exception {
        int unit = record.unit();
        Incoming of = incoming.get(unit / subGroups);
        if (of == null) {
            port.process(record);
            return;
        }
        DeferredKey key = port.keyOf(record);
        if (of.isHere(key)) {
            port.process(record);
            return;
        }
        Parked<E> waiting = parked.get(key);
        if (waiting == null) {
            waiting = new Parked<>(of.keyGroup, clock);
            parked.put(key, waiting);
            request(of, unit, Collections.singletonList(key));
        }
        clock++;
        recordsParked++;
        waiting.add(record, port.nanoTime());
    }

    private void request(Incoming of, int unit, List<DeferredKey> keys) {
        List<DeferredKey> missing = new ArrayList<>();
        for (DeferredKey key : keys) {
            if (!of.here.contains(key) && requested.add(key)) {
                missing.add(key);
            }
        }
        if (demands && !missing.isEmpty()) {
            port.request(of.donor, unit, missing);
        }
    }

    /** The data of a key is here, so its records are processed, in the order in which they came. */
    private void unpark(DeferredKey key) throws Exception {
        Parked<E> waiting = parked.remove(key);
        if (waiting == null) {
            return;
        }
        recordsParked -= waiting.records.size();
        long now = port.nanoTime();
        for (E record : waiting.records) {
            long nanos = now - waiting.since.poll();
            waited++;
            waitedNanos += nanos;
            longestNanos = Math.max(longestNanos, nanos);
            port.waited(nanos);
            port.process(record);
        }
    }

    // ------------------------------------------------------------------------
    //  Event time
    // ------------------------------------------------------------------------

    /** The watermark may rise up to a time, as far as this subtask's peers are concerned. */
    void allow(long watermark) throws Exception {
        allowed = Math.max(allowed, watermark);
        if (!closed) {
            port.raiseWatermark(allowed);
        } else if (isToRise()) {
            maybeRise();
        }
    }

    /** Notes if the watermark is to rise further: one has come, or it may rise higher. */
    private boolean isToRise() {
        long target = Math.min(allowed, port.uncappedWatermark());
        if (target <= (rises.isEmpty() ? port.watermark() : rises.peekLast().target)) {
            return false;
        }
        rises.add(new Rise(target, clock));
        return true;
    }

    private void maybeRise() throws Exception {
        while (closed) {
            if (!rises.isEmpty()) {
                if (!mayRise(rises.peek())) {
                    return;
                }
                port.raiseWatermark(rises.poll().target);
            } else if (!behindRise.isEmpty()) {
                pass(behindRise.poll());
            } else {
                return;
            }
        }
    }

    private boolean mayRise(Rise rise) {
        if (!due.isEmpty() || !parked.isEmpty() && oldestParked() < rise.after) {
            return false;
        }
        for (Incoming of : incoming.values()) {
            if (of.completing) {
                // its timers may be due, and nothing of it is processed now
                return false;
            }
        }
        List<DeferredData.Sleeper> sleepers = data.dueAt(rise.target, DUE_KEYS);
        for (DeferredData.Sleeper sleeper : sleepers) {
            due.add(sleeper.key());
        }
        request(sleepers);
        return sleepers.isEmpty();
    }

    private long oldestParked() {
        return parked.values().iterator().next().number;
    }

    private void request(List<DeferredData.Sleeper> sleepers) {
        Map<Integer, List<DeferredKey>> byUnit = new HashMap<>();
        for (DeferredData.Sleeper sleeper : sleepers) {
            byUnit.computeIfAbsent(sleeper.unit(), u -> new ArrayList<>()).add(sleeper.key());
        }
        byUnit.forEach((unit, keys) -> request(incoming.get(unit / subGroups), unit, keys));
    }

    // ------------------------------------------------------------------------
    //  Data
    // ------------------------------------------------------------------------

    void onUnitInstalled(int unit) throws Exception {
        Incoming of = incoming.get(unit / subGroups);
        of.unitsMissing--;
        installChunks(of);
    }

    /** Data of keys that were asked for has come. */
    void onKeys(int donor, int unit, byte[] keys) throws Exception {
        Incoming of = incoming.get(unit / subGroups);
        if (of == null) {
            // it has come by the stream meanwhile, and may have changed since
            return;
        }
        check(of, donor);
        bytes += keys.length;
        for (KeyCodec.KeyData key : KeyCodec.readData(keys)) {
            if (of.busy || of.completing) {
                of.answers.add(key);
            } else {
                installKey(of, key);
            }
        }
        maybeRise();
    }

    private void installKey(Incoming of, KeyCodec.KeyData key) throws Exception {
        if (!of.here.add(key.key)) {
            return;
        }
        keysFetched++;
        requested.remove(key.key);
        due.remove(key.key);
        data.installKey(of.donor, of.keyGroup, key.key, key.data);
        unpark(key.key);
    }

    /** A chunk of a key-group has come. */
    void onChunk(int donor, int keyGroup, byte[] chunk) throws Exception {
        Incoming of = awaited(donor, keyGroup);
        bytes += chunk.length;
        queuedBytes += chunk.length;
        of.chunks.add(chunk);
        installChunks(of);
        setPace();
    }

    /** All chunks of a key-group have come. */
    void onEnd(int donor, int keyGroup) throws Exception {
        Incoming of = awaited(donor, keyGroup);
        of.ended = true;
        installChunks(of);
    }

    private Incoming awaited(int donor, int keyGroup) {
        Incoming of = incoming.get(keyGroup);
        if (of == null || of.ended) {
            throw new MigrationProtocolException(
                    "data of key-group " + keyGroup + " came that is not awaited");
        }
        check(of, donor);
        return of;
    }

    private static void check(Incoming of, int donor) {
        if (of.donor != donor) {
            throw new MigrationProtocolException(
                    "data of key-group " + of.keyGroup + " came from " + donor);
        }
    }

    /** Puts in what has come, one chunk after the other, and completes the key-group at last. */
    private void installChunks(Incoming of) throws Exception {
        while (!of.busy && !of.completing && of.unitsMissing == 0) {
            byte[] chunk = of.chunks.peek();
            if (chunk == null) {
                if (of.ended) {
                    of.completing = true;
                    data.complete(of.donor, of.keyGroup, of.view, () -> complete(of));
                }
                return;
            }
            if (!data.hasRoom()) {
                return;
            }
            of.chunks.remove();
            of.busy = true;
            data.installChunk(
                    of.donor,
                    of.keyGroup,
                    ByteBuffer.wrap(chunk),
                    of.view,
                    () -> chunkInstalled(of, chunk.length));
        }
    }

    private void chunkInstalled(Incoming of, int length) throws Exception {
        of.busy = false;
        queuedBytes -= length;
        while (!of.answers.isEmpty()) {
            installKey(of, of.answers.poll());
        }
        maybeRise();
        installChunks(of);
        setPace();
    }

    private void complete(Incoming of) throws Exception {
        incoming.remove(of.keyGroup);
        due.clear();
        for (DeferredKey key : new ArrayList<>(parked.keySet())) {
            if (parked.get(key).keyGroup == of.keyGroup) {
                requested.remove(key);
                unpark(key);
            }
        }
        maybeRise();
        if (!incoming.isEmpty()) {
            return;
        }
        requested.clear();
        while (!broadcasts.isEmpty()) {
            port.process(broadcasts.poll());
            if (isToRise()) {
                maybeRise();
            }
        }
        if (!parked.isEmpty() || !rises.isEmpty() || !behindRise.isEmpty()) {
            throw new MigrationProtocolException("something waits although all data has come");
        }
        closed = false;
        port.raiseWatermark(allowed);
        port.dataCompleted();
    }

    /** To be called every few ms while data is to come: what time alone may have changed. */
    void tick() throws Exception {
        request(data.dueNow(DUE_KEYS));
        for (Incoming of : new ArrayList<>(incoming.values())) {
            installChunks(of);
        }
        if (closed && isToRise()) {
            // an event of a channel has let it: not an element
            maybeRise();
        }
        setPace();
    }

    private void setPace() {
        long now = port.nanoTime();
        if (paceIsTold && now - paceNanos < PACE_NANOS) {
            return;
        }
        boolean more = queuedBytes < maxQueuedBytes && data.hasRoom();
        BitSet donors = new BitSet();
        incoming.values().stream().filter(of -> !of.ended).forEach(of -> donors.set(of.donor));
        for (int d = donors.nextSetBit(0); d >= 0; d = donors.nextSetBit(d + 1)) {
            if (paused.get(d) == more) {
                paused.set(d, !more);
                port.setPace(d, more);
                paceIsTold = true;
                paceNanos = now;
            }
        }
        if (incoming.isEmpty()) {
            paused.clear();
        }
    }

    void close() {
        data.close();
    }

    /** A key-group whose data is to come. */
    private static final class Incoming {
        private final int keyGroup;
        private final int donor;
        private int unitsMissing;

        /** Keys whose data has been fetched. */
        private final TreeSet<DeferredKey> here = new TreeSet<>();

        private final NavigableSet<DeferredKey> view = Collections.unmodifiableNavigableSet(here);
        private final ArrayDeque<byte[]> chunks = new ArrayDeque<>();

        /** What came while a chunk was being put in. */
        private final ArrayDeque<KeyCodec.KeyData> answers = new ArrayDeque<>();

        /** Whether a chunk is being put in. */
        private boolean busy;

        private boolean ended;
        private boolean completing;

        private Incoming(int keyGroup, int donor, int units) {
            this.keyGroup = keyGroup;
            this.donor = donor;
            this.unitsMissing = units;
        }

        private boolean isHere(DeferredKey key) {
            return !completing && here.contains(key);
        }
    }

    /** Records that wait for a key. */
    private static final class Parked<E> {
        private final int keyGroup;

        /** How many records had been parked before the first of these. */
        private final long number;

        private final List<E> records = new ArrayList<>();
        private final ArrayDeque<Long> since = new ArrayDeque<>();

        private Parked(int keyGroup, long number) {
            this.keyGroup = keyGroup;
            this.number = number;
        }

        private void add(E record, long nanos) {
            records.add(record);
            since.add(nanos);
        }
    }

    /** The watermark is to rise. */
    private static final class Rise {
        private final long target;

        /** How many records had been parked before. */
        private final long after;

        private Rise(long target, long after) {
            this.target = target;
            this.after = after;
        }
    }
}
