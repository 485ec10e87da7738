// SPDX-License-Identifier: Apache-2.0
package io.meces.core.protocol;

import io.meces.core.command.StepMoves;
import io.meces.core.exchange.MigrationProtocolException;
import io.meces.core.exchange.PeerExchange;
import io.meces.core.exchange.TaskThread;
import io.meces.core.store.DeferredData;
import io.meces.core.store.DeferredKey;
import io.meces.core.store.KeyCodec;
import java.io.IOException;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import javax.annotation.Nullable;

/**
 * What a donor does for data that comes apart from its units: it answers receivers that ask for
 * keys, and streams each key-group in the background when all units of it have been sent. It drops
 * a key-group when the receiver has put it in.
 *
 * <p>To each receiver one key-group is streamed at a time, so that few are read at once. A receiver
 * that cannot keep up says so, and is passed over until it can.
 *
 * <p>Owned by the task thread.
 */
final class DeferredDonor {

    /** Rows on disk are small, and a chunk at a time is on its way while records wait. */
    private static final long LEAST_CHUNK_BYTES = 64 << 10;

    private final int subtask;
    private final int subGroups;
    private final long chunkBytes;
    @Nullable private final DeferredData data;
    private final PeerExchange exchange;
    private final Consumer<TaskThread.Mail> later;
    private final TaskThread.Mail dropped;

    /** What is still to be given, or to be put in by whoever got it, by key-group. */
    private final Map<Integer, Giving> giving = new TreeMap<>();

    /** Key-groups that have been given, and are not gone yet. */
    private final BitSet dropping = new BitSet();

    /** Receivers that want nothing more in the background for now. */
    private final BitSet paused = new BitSet();

    /**
     * @param later has something done in the task thread, and then what that has made possible; any
     *     thread
     * @param dropped is told when what has been given of a key-group is gone
     */
    DeferredDonor(
            MigrationSettings settings,
            @Nullable DeferredData data,
            PeerExchange exchange,
            Consumer<TaskThread.Mail> later,
            TaskThread.Mail dropped) {
        this.subtask = settings.subtask;
        this.subGroups = settings.subGroups;
        this.chunkBytes = Math.max(LEAST_CHUNK_BYTES, settings.flowControl.chunkBytes);
        this.data = data;
        this.exchange = exchange;
        this.later = later;
        this.dropped = dropped;
    }

    void startStep(StepMoves step) {
        if (!giving.isEmpty() || !dropping.isEmpty()) {
            throw new MigrationProtocolException(
                    "a step begins before the data of the last one has been given: "
                            + giving
                            + ", or deleted: "
                            + dropping);
        }
        paused.clear();
        step.forEachFrom(subtask, (keyGroup, to) -> giving.put(keyGroup, new Giving(keyGroup, to)));
    }

    /** Whether nothing is left to give, or to be put in by whoever got it. */
    boolean isDone() {
        return giving.isEmpty();
    }

    /** Whether nothing is left of what was to be given. */
    boolean isGone() {
        return giving.isEmpty() && dropping.isEmpty();
    }

    /** A unit has been sent, so its receiver will ask for its keys. */
    void onUnitSent(int unit) {
        Giving of = giving.get(unit / subGroups);
        if (of != null) {
            of.sent.set(unit % subGroups);
        }
    }

    /**
     * A receiver needs keys of a unit. It may do so when all of the key-group has been sent: until
     * that is put in takes as long as its disk takes.
     */
    void onRequest(int receiver, int unit, List<DeferredKey> keys) throws IOException {
        int keyGroup = unit / subGroups;
        Giving of = giving.get(keyGroup);
        if (of == null || of.receiver != receiver) {
            return;
        }
        if (!of.sent.get(unit % subGroups)) {
            throw new MigrationProtocolException(
                    "keys of unit " + unit + " are asked for, which has not left");
        }
        Request request = new Request(receiver, unit, keys.size());
        for (DeferredKey key : keys) {
            data.fetch(keyGroup, key, read -> request.onRead(key, read));
        }
    }

    /** Tells whether a receiver wants more in the background. */
    void onPace(int receiver, boolean more) {
        paused.set(receiver, !more);
    }

    /** Whether {@link #push} may have something to send. */
    boolean canPush(IntPredicate mayGet) {
        return nextToPush(mayGet) != null;
    }

    @Nullable
    private Giving nextToPush(IntPredicate mayGet) {
        BitSet seen = new BitSet();
        for (Giving of : giving.values()) {
            if (of.sent.cardinality() == subGroups && !of.ended && !seen.get(of.receiver)) {
                seen.set(of.receiver);
                if (of.mayHaveMore && !paused.get(of.receiver) && mayGet.test(of.receiver)) {
                    return of;
                }
            }
        }
        return null;
    }

    /**
     * Sends a chunk, if one has been read.
     *
     * @param mayGet whether a receiver may get something in the background now
     */
    void push(IntPredicate mayGet) throws Exception {
        Giving of = nextToPush(mayGet);
        if (of == null) {
            return;
        }
        if (of.stream == null) {
            of.stream = data.stream(of.keyGroup, chunkBytes, () -> later.accept(of::wakeUp));
        }
        byte[] chunk = of.stream.poll();
        if (chunk != null) {
            exchange.sendData(of.receiver, of.keyGroup, chunk);
        } else if (!of.stream.isAtEnd()) {
            of.mayHaveMore = false;
        }
        if (of.stream.isAtEnd()) {
            of.ended = true;
            of.stream.close();
            of.stream = null;
            exchange.sendDataEnd(of.receiver, of.keyGroup);
        }
    }

    /** A receiver has all data of a key-group, so nobody needs it here any more. */
    void onInstalled(int keyGroup) throws Exception {
        Giving of = giving.remove(keyGroup);
        if (of == null || !of.ended) {
            throw new MigrationProtocolException(
                    "key-group " + keyGroup + " is put in, which has not been sent");
        }
        dropping.set(keyGroup);
        data.drop(keyGroup, () -> onDropped(keyGroup));
    }

    private void onDropped(int keyGroup) throws Exception {
        if (dropping.get(keyGroup)) {
            dropping.clear(keyGroup);
            dropped.run();
        }
    }

    void close() {
        for (Giving of : giving.values()) {
            if (of.stream != null) {
                of.stream.close();
            }
        }
        giving.clear();
        dropping.clear();
    }

    /** A key-group whose data is to be given. */
    private static final class Giving {
        final int keyGroup;
        final int receiver;

        /** By sub-group: whether the unit has been sent. */
        final BitSet sent = new BitSet();

        @Nullable DeferredData.Stream stream;
        boolean mayHaveMore = true;

        /** Whether all of it has been sent. */
        boolean ended;

        Giving(int keyGroup, int receiver) {
            this.keyGroup = keyGroup;
            this.receiver = receiver;
        }

        void wakeUp() {
            mayHaveMore = true;
        }

        @Override
        public String toString() {
            return "key-group " + keyGroup + " to " + receiver;
        }
    }

    /** Keys that were asked for together and are answered together, unless that is too much. */
    private final class Request {
        private final int receiver;
        private final int unit;
        private final KeyCodec.Answer answer = new KeyCodec.Answer();
        private int toRead;

        Request(int receiver, int unit, int keys) {
            this.receiver = receiver;
            this.unit = unit;
            this.toRead = keys;
        }

        void onRead(DeferredKey key, byte[] read) {
            answer.add(key, read);
            toRead--;
            if (toRead == 0 || answer.bytes() >= chunkBytes) {
                exchange.sendKeys(receiver, unit, answer.take());
            }
        }
    }
}
