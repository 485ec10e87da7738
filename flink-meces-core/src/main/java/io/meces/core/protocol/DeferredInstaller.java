// SPDX-License-Identifier: Apache-2.0
package io.meces.core.protocol;

import io.meces.core.command.DataStatistics;
import io.meces.core.command.RecordWaits;
import io.meces.core.command.StepMoves;
import io.meces.core.exchange.MigrationProtocolException;
import io.meces.core.exchange.PeerExchange;
import io.meces.core.exchange.PeerMessage;
import io.meces.core.store.DeferredData;
import io.meces.core.store.DeferredKey;
import io.meces.core.store.FetchedKeys;
import io.meces.core.store.KeyCodec;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import javax.annotation.Nullable;

/**
 * Asks for data that comes apart from its units, puts it in, and tells donors when it cannot keep
 * up. Data by key and chunks of the background meet here: a key that has been fetched is not
 * touched by chunks, as it may have changed since; an answer that comes for a key that is here is
 * dropped, and one that comes while the key is being put in with a chunk waits.
 *
 * <p>Owned by the task thread.
 */
final class DeferredInstaller {

    /** How long a pace lasts at least: room may come and go faster than a message travels. */
    private static final long PACE_NANOS = 50_000_000;

    private final int subtask;
    private final int subGroups;
    private final boolean demands;
    private final long windowBytes;
    @Nullable private final DeferredData data;
    private final PeerExchange exchange;
    private final LongSupplier nanoTime;
    private final Listener listener;

    /** What is still to come, by key-group. */
    private final Map<Integer, Incoming> incoming = new TreeMap<>();

    private final Set<DeferredKey> requested = new HashSet<>();

    /** Donors that have been told to send nothing more in the background for now. */
    private final BitSet paused = new BitSet();

    /** What has come and is not put in. */
    private long queuedBytes;

    /** When donors were last told to go on, or not to. */
    private long paceNanos;

    private boolean paceIsTold;

    // ---- figures of the step ----

    private long bytes;
    private int keysFetched;

    /** Is told what has been put in. */
    interface Listener {

        /** The data of a key is here. */
        void onKey(DeferredKey key) throws Exception;

        /** All data of a key-group is here. */
        void onKeyGroup(int keyGroup) throws Exception;

        /** Some data has been handled. */
        void afterData() throws Exception;
    }

    DeferredInstaller(
            MigrationSettings settings,
            @Nullable DeferredData data,
            PeerExchange exchange,
            LongSupplier nanoTime,
            Listener listener) {
        this.subtask = settings.subtask;
        this.subGroups = settings.subGroups;
        this.demands = settings.order == MigrationOrder.DEMAND;
        this.windowBytes = settings.flowControl.windowBytes;
        this.data = data;
        this.exchange = exchange;
        this.nanoTime = nanoTime;
        this.listener = listener;
    }

    void startStep(StepMoves step) {
        // donors begin a step as if nothing had been said
        paused.clear();
        step.forEachTo(
                subtask,
                (keyGroup, from) ->
                        incoming.put(keyGroup, new Incoming(keyGroup, from, subGroups)));
    }

    /** Whether nothing is to come any more. */
    boolean isDone() {
        return incoming.isEmpty();
    }

    /** Whether the data of a unit's key-group is still to come. */
    boolean isIncoming(int unit) {
        return incoming.containsKey(unit / subGroups);
    }

    /** Whether the data of a key is here, of whose key-group more is to come. */
    boolean isHere(int unit, DeferredKey key) {
        return incoming.get(unit / subGroups).isHere(key);
    }

    /** Whether there are keys whose data is not here; those of a unit that has not come are not. */
    boolean hasInstalledUnits() {
        return incoming.values().stream().anyMatch(of -> of.unitsMissing < subGroups);
    }

    /** Whether what has come of a key-group is being brought into the state. */
    boolean isCompleting() {
        return incoming.values().stream().anyMatch(of -> of.completing);
    }

    /** Bytes that have come in this step so far. */
    long bytes() {
        return bytes;
    }

    /** What has come since the last call. */
    DataStatistics takeStatistics(RecordWaits waits) {
        DataStatistics statistics = new DataStatistics(bytes, keysFetched, waits);
        bytes = 0;
        keysFetched = 0;
        return statistics;
    }

    // ------------------------------------------------------------------------
    //  By key
    // ------------------------------------------------------------------------

    /** Asks for the data of keys of a unit that is not here and has not been asked for. */
    void request(int unit, List<DeferredKey> keys) {
        Incoming of = incoming.get(unit / subGroups);
        List<DeferredKey> missing = new ArrayList<>();
        for (DeferredKey key : keys) {
            if (!of.here.contains(key) && requested.add(key)) {
                missing.add(key);
            }
        }
        if (demands && !of.completing && !missing.isEmpty()) {
            exchange.send(
                    of.donor,
                    PeerMessage.keyRequest(exchange.step(), unit, KeyCodec.write(missing)));
        }
    }

    /** The same for keys with timers. */
    void request(List<DeferredData.Sleeper> sleepers) {
        Map<Integer, List<DeferredKey>> byUnit = new HashMap<>();
        for (DeferredData.Sleeper sleeper : sleepers) {
            byUnit.computeIfAbsent(sleeper.unit(), u -> new ArrayList<>()).add(sleeper.key());
        }
        byUnit.forEach(this::request);
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
            onKey(of, key);
        }
        listener.afterData();
    }

    private void onKey(Incoming of, KeyCodec.KeyData key) throws Exception {
        if (of.completing) {
            // all of it has come with the background
            return;
        }
        if (of.fetched.add(key.key)) {
            installKey(of, key);
        } else {
            of.answers.add(key);
        }
    }

    private void installKey(Incoming of, KeyCodec.KeyData key) throws Exception {
        if (!of.here.add(key.key)) {
            return;
        }
        keysFetched++;
        requested.remove(key.key);
        data.installKey(of.keyGroup, key.key, key.data);
        listener.onKey(key.key);
    }

    // ------------------------------------------------------------------------
    //  In the background
    // ------------------------------------------------------------------------

    void onUnitInstalled(int unit) throws Exception {
        Incoming of = incoming.get(unit / subGroups);
        if (of == null) {
            // it has brought all
            return;
        }
        of.unitsMissing--;
        installAllChunks();
    }

    /** A chunk of a key-group has come. */
    void onChunk(int donor, int keyGroup, byte[] chunk) throws Exception {
        Incoming of = awaited(donor, keyGroup);
        bytes += chunk.length;
        queuedBytes += chunk.length;
        of.waitingBytes += chunk.length;
        of.chunks.add(ByteBuffer.wrap(chunk));
        installAllChunks();
        setPace();
    }

    /** All chunks of a key-group have come. */
    void onEnd(int donor, int keyGroup) throws Exception {
        Incoming of = awaited(donor, keyGroup);
        of.ended = true;
        installAllChunks();
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

    /** Puts in what there is room for now. */
    void installAllChunks() throws Exception {
        for (Incoming of : new ArrayList<>(incoming.values())) {
            installAnswers(of);
            installLast(of);
        }
        installGathered();
    }

    /** Puts in data of keys that were being put in with a chunk when it came. */
    private void installAnswers(Incoming of) throws Exception {
        List<KeyCodec.KeyData> answers = of.answers;
        of.answers = new ArrayList<>();
        for (KeyCodec.KeyData answer : answers) {
            onKey(of, answer);
        }
        if (of.answers.size() < answers.size()) {
            listener.afterData();
        }
    }

    /** Puts in what has come of a key-group of which no more comes, and completes it. */
    private void installLast(Incoming of) throws Exception {
        if (!of.ended || !of.isReady()) {
            return;
        }
        if (of.chunks.isEmpty()) {
            if (!of.answers.isEmpty()) {
                throw new IllegalStateException(
                        "Keys of key-group "
                                + of.keyGroup
                                + " are held, although no chunk is left");
            }
            of.completing = true;
            data.complete(of.keyGroup, of.fetched.all(), () -> complete(of));
        } else if (data.hasRoom()) {
            install(of);
        }
    }

    /**
     * Puts in what has come if there is enough, that of the key-group with the most of it: several
     * donors send at a time, and what is put in together is to be large.
     */
    private void installGathered() throws Exception {
        while (true) {
            long ready = 0;
            Incoming most = null;
            for (Incoming of : incoming.values()) {
                if (of.isReady() && !of.chunks.isEmpty()) {
                    ready += of.waitingBytes;
                    most = most == null || of.waitingBytes > most.waitingBytes ? of : most;
                }
            }
            if (most == null || ready < data.gatheredBytes() || !data.hasRoom()) {
                return;
            }
            install(most);
        }
    }

    private void install(Incoming of) throws Exception {
        List<ByteBuffer> chunks = of.chunks;
        long length = of.waitingBytes;
        of.chunks = new ArrayList<>();
        of.waitingBytes = 0;
        of.busy = true;
        data.installChunks(of.keyGroup, chunks, of.fetched, () -> installed(of, length));
    }

    private void installed(Incoming of, long length) throws Exception {
        of.busy = false;
        queuedBytes -= length;
        listener.afterData();
        installAllChunks();
        setPace();
    }

    private void complete(Incoming of) throws Exception {
        incoming.remove(of.keyGroup);
        if (incoming.isEmpty()) {
            requested.clear();
        }
        exchange.send(of.donor, PeerMessage.dataInstalled(exchange.step(), of.keyGroup));
        listener.onKeyGroup(of.keyGroup);
    }

    /** Tells donors whether they may send more in the background. */
    void setPace() {
        long now = nanoTime.getAsLong();
        if (paceIsTold && now - paceNanos < PACE_NANOS) {
            return;
        }
        boolean more = queuedBytes < windowBytes + 2 * data.gatheredBytes() && data.hasRoom();
        BitSet donors = new BitSet();
        incoming.values().stream().filter(of -> !of.ended).forEach(of -> donors.set(of.donor));
        for (int d = donors.nextSetBit(0); d >= 0; d = donors.nextSetBit(d + 1)) {
            if (paused.get(d) == more) {
                paused.set(d, !more);
                exchange.send(d, PeerMessage.pace(exchange.step(), more));
                paceIsTold = true;
                paceNanos = now;
            }
        }
        if (incoming.isEmpty()) {
            paused.clear();
        }
    }

    /** A key-group whose data is to come. */
    private static final class Incoming {
        final int keyGroup;
        final int donor;
        int unitsMissing;

        /** Keys whose data has come by key. */
        final FetchedKeys fetched = new FetchedKeys();

        /** Those of them whose data has been put in. */
        final Set<DeferredKey> here = new HashSet<>();

        List<ByteBuffer> chunks = new ArrayList<>();

        /** Of those. */
        long waitingBytes;

        /** What came while the same key was being put in with a chunk. */
        List<KeyCodec.KeyData> answers = new ArrayList<>();

        /** Whether chunks are being put in. */
        boolean busy;

        boolean ended;
        boolean completing;

        Incoming(int keyGroup, int donor, int units) {
            this.keyGroup = keyGroup;
            this.donor = donor;
            this.unitsMissing = units;
        }

        /** Whether what has come may be put in, if there is room. */
        boolean isReady() {
            return !busy && !completing && unitsMissing == 0;
        }

        boolean isHere(DeferredKey key) {
            return !completing && here.contains(key);
        }
    }
}
