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

import java.io.IOException;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntPredicate;
import javax.annotation.Nullable;

/**
 * What a donor does for data that comes apart from its units: it answers receivers that ask for
 * keys, and streams each key-group in the background when all units of it have been sent.
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
    private final DeferredData data;
    private final Port port;

    /** What is still to be given, by key-group. */
    private final Map<Integer, Giving> giving = new TreeMap<>();

    /** Key-groups that have been given, and are not gone yet. */
    private final BitSet dropping = new BitSet();

    /** Receivers that want nothing more in the background for now. */
    private final BitSet paused = new BitSet();

    /** What it asks of the driver. */
    interface Port {

        /** Sends data of keys that records wait for. */
        void sendKeys(int receiver, int unit, byte[] keys);

        /** Sends a chunk of a key-group in the background. */
        void sendChunk(int receiver, int keyGroup, byte[] chunk);

        /** Says that a key-group has no more chunks, behind the last of them. */
        void sendEnd(int receiver, int keyGroup);

        /** What has been given of a key-group is gone. */
        void dropped() throws Exception;

        /** Has something done in the task thread. Any thread. */
        void later(TaskThread.Mail mail);
    }

    DeferredDonor(MigrationSettings settings, DeferredData data, Port port) {
        this.subtask = settings.subtask;
        this.subGroups = settings.subGroups;
        this.chunkBytes = Math.max(LEAST_CHUNK_BYTES, settings.flowControl.chunkBytes);
        this.data = data;
        this.port = port;
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

    /** Whether nothing is left to give. */
    boolean isDone() {
        return giving.isEmpty();
    }

    /** Whether nothing is left of what was to be given. */
    boolean isGone() {
        return giving.isEmpty() && dropping.isEmpty();
    }

    /** A unit has been sent, so its receiver will ask for its keys. */
    void onUnitSent(int unit) {
        giving.get(unit / subGroups).sent.set(unit % subGroups);
    }

    /** A receiver needs keys of a unit. What comes after the end of the stream is in that. */
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
            if (of.sent.cardinality() == subGroups && !seen.get(of.receiver)) {
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
     * @return whether there may be more
     */
    boolean push(IntPredicate mayGet) throws Exception {
        Giving of = nextToPush(mayGet);
        if (of == null) {
            return false;
        }
        if (of.stream == null) {
            of.stream = data.stream(of.keyGroup, chunkBytes, () -> port.later(of::wakeUp));
        }
        byte[] chunk = of.stream.poll();
        if (chunk != null) {
            port.sendChunk(of.receiver, of.keyGroup, chunk);
        } else if (!of.stream.isAtEnd()) {
            of.mayHaveMore = false;
        }
        if (of.stream.isAtEnd()) {
            giving.remove(of.keyGroup);
            of.stream.close();
            port.sendEnd(of.receiver, of.keyGroup);
            dropping.set(of.keyGroup);
            data.drop(of.keyGroup, () -> onDropped(of.keyGroup));
        }
        return true;
    }

    private void onDropped(int keyGroup) throws Exception {
        if (dropping.get(keyGroup)) {
            dropping.clear(keyGroup);
            port.dropped();
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
                port.sendKeys(receiver, unit, answer.take());
            }
        }
    }
}
