// SPDX-License-Identifier: Apache-2.0
package io.meces.core.simulation;

import io.meces.core.exchange.TaskThread;
import io.meces.core.store.DeferredData;
import io.meces.core.store.DeferredKey;
import io.meces.core.store.FetchedKeys;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Predicate;
import javax.annotation.Nullable;

/**
 * Keyed data that comes apart from its units, as that of a state on disk: read and put in at once,
 * or by other threads, which take any time. It fails if it is used in a way that {@link
 * DeferredData} does not allow.
 */
final class SimulatedData implements DeferredData {

    private static final long GATHERED_BYTES = 40;

    private final SimulatedElastic subtask;
    private final Simulation world;
    private final Scenario.Settings settings;
    private final SplittableRandom random;

    /** What donors still have, by unit. */
    private final Map<Integer, SimulatedUnit> frozen = new TreeMap<>();

    /** Chunks that become part of the state by {@link #complete}: by key. */
    private final Map<Integer, byte[]> stored = new HashMap<>();

    /** Which keys are being written, whether or not they are held, by key-group. */
    private final Map<Integer, Predicate<DeferredKey>> written = new HashMap<>();

    private boolean settling;
    private boolean closed;

    SimulatedData(SimulatedElastic subtask, Simulation world) {
        this.subtask = subtask;
        this.world = world;
        this.settings = world.scenario().settings();
        this.random = world.dataRandom();
    }

    private int keyGroupOf(int unit) {
        return unit / settings.subGroups;
    }

    private static DeferredKey keyOf(int key) {
        return new DeferredKey(ByteBuffer.allocate(Integer.BYTES).putInt(key).array());
    }

    static DeferredKey keyOf(SimulatedElement record) {
        return keyOf(record.key);
    }

    private static int number(DeferredKey key) {
        return ByteBuffer.wrap(key.bytes()).getInt();
    }

    /** Another thread does it, or this one now. */
    private void soon(TaskThread.Mail mail) throws Exception {
        if (settings.dataDelayMs == 0 || random.nextInt(4) == 0) {
            mail.run();
        } else {
            subtask.later(
                    random.nextLong(settings.dataDelayMs * 1_000_000),
                    () -> {
                        if (!closed) {
                            mail.run();
                        }
                    });
        }
    }

    // ------------------------------------------------------------------------
    //  Donor
    // ------------------------------------------------------------------------

    /** The unit leaves, but for its timers. */
    void freeze(int unit, SimulatedUnit state) {
        Ledger.check(
                state.missing.isEmpty(), "%s gives unit %d whose data is not here", subtask, unit);
        frozen.put(unit, state);
    }

    boolean hasFrozen() {
        return !frozen.isEmpty();
    }

    /** Whether it does something that a checkpoint would have to wait for. */
    boolean isSettling() {
        return settling;
    }

    @Override
    public void fetch(int keyGroup, DeferredKey key, Consumer<byte[]> whenRead) throws IOException {
        int number = number(key);
        SimulatedUnit unit = frozen.get(Oracle.unitOf(number));
        Ledger.check(
                unit != null, "%s is asked for key %d that it has not frozen", subtask, number);
        world.trace("%s reads key %d", subtask, number);
        byte[] read = write(unit, number);
        try {
            soon(
                    () -> {
                        if (frozen.containsKey(Oracle.unitOf(number))) {
                            whenRead.accept(read);
                        }
                    });
        } catch (IOException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IOException(e);
        }
    }

    private static byte[] write(SimulatedUnit unit, int key) throws IOException {
        SimulatedUnit ofKey = new SimulatedUnit();
        if (unit.folds.containsKey(key)) {
            ofKey.folds.put(key, unit.folds.get(key));
        }
        ofKey.broadcasts.putAll(unit.broadcasts);
        return Bytes.write(ofKey::write);
    }

    @Override
    public Stream stream(int keyGroup, long chunkBytes, Runnable whenMore) throws IOException {
        List<byte[]> chunks = new ArrayList<>();
        for (int s = 0; s < settings.subGroups; s++) {
            int number = keyGroup * settings.subGroups + s;
            SimulatedUnit unit = frozen.get(number);
            Ledger.check(unit != null, "%s streams unit %d, which has not left", subtask, number);
            for (int key = Oracle.firstKeyOf(number); key < Oracle.firstKeyOf(number + 1); key++) {
                if (unit.folds.containsKey(key) || !unit.broadcasts.isEmpty()) {
                    int of = key;
                    byte[] data = write(unit, key);
                    chunks.add(
                            Bytes.write(
                                    out -> {
                                        out.writeInt(of);
                                        out.write(data);
                                    }));
                }
            }
        }
        world.trace("%s streams key-group %d in %d chunks", subtask, keyGroup, chunks.size());
        return new Chunks(chunks, whenMore);
    }

    /** One key is a chunk. */
    private final class Chunks implements Stream {
        private final ArrayDeque<byte[]> chunks;
        private final Runnable whenMore;

        /** Whether it is known only by asking that none is left. */
        private final boolean endIsUnknown = random.nextBoolean();

        private boolean asked;
        private boolean reading;
        private int read;

        private Chunks(List<byte[]> chunks, Runnable whenMore) {
            this.chunks = new ArrayDeque<>(chunks);
            this.whenMore = whenMore;
        }

        @Nullable
        @Override
        public byte[] poll() {
            asked |= chunks.isEmpty();
            if (chunks.isEmpty() || settings.dataDelayMs > 0 && read == 0) {
                read();
                return null;
            }
            read--;
            return chunks.poll();
        }

        private void read() {
            if (!reading && !chunks.isEmpty()) {
                reading = true;
                world.at(
                        world.now() + random.nextLong(settings.dataDelayMs * 1_000_000),
                        () -> {
                            reading = false;
                            read += 1 + random.nextInt(3);
                            whenMore.run();
                        });
            }
        }

        @Override
        public boolean isAtEnd() {
            return chunks.isEmpty() && (asked || !endIsUnknown);
        }

        @Override
        public void close() {
            chunks.clear();
        }
    }

    @Override
    public void drop(int keyGroup, TaskThread.Mail whenDropped) throws Exception {
        soon(
                () -> {
                    for (int s = 0; s < settings.subGroups; s++) {
                        frozen.remove(keyGroup * settings.subGroups + s);
                    }
                    whenDropped.run();
                });
    }

    // ------------------------------------------------------------------------
    //  Receiver
    // ------------------------------------------------------------------------

    /** The unit is here, but for its data. */
    void onInstalled(int unit, SimulatedUnit state) {
        state.asleep.addAll(state.timers);
        state.timers.clear();
        for (int key = Oracle.firstKeyOf(unit); key < Oracle.firstKeyOf(unit + 1); key++) {
            state.missing.add(key);
        }
    }

    private SimulatedUnit unitOf(int key) {
        SimulatedUnit unit = subtask.units().get(Oracle.unitOf(key));
        Ledger.check(unit != null, "%s gets data of key %d before its unit", subtask, key);
        return unit;
    }

    @Override
    public void installKey(int keyGroup, DeferredKey key, ByteBuffer data) throws IOException {
        int number = number(key);
        world.trace("%s gets key %d", subtask, number);
        Predicate<DeferredKey> keys = written.get(keyGroup);
        Ledger.check(
                keys == null || !keys.test(key), "%s gets key %d over a chunk", subtask, number);
        world.onKeyFetched();
        put(number, Bytes.read(data));
        arrive(number);
    }

    private void put(int key, DataInputStream in) throws IOException {
        SimulatedUnit read = SimulatedUnit.read(in);
        SimulatedUnit unit = unitOf(key);
        unit.folds.putAll(read.folds);
        unit.broadcasts.putAll(read.broadcasts);
    }

    private void arrive(int key) {
        SimulatedUnit unit = unitOf(key);
        unit.missing.remove(key);
        for (Iterator<SimulatedUnit.Timer> all = unit.asleep.iterator(); all.hasNext(); ) {
            SimulatedUnit.Timer timer = all.next();
            if (timer.record.key == key) {
                all.remove();
                unit.timers.add(timer);
                Ledger.check(
                        timer.time > subtask.emittedWatermark() || subtask.isOfLateRecord(timer),
                        "%s wakes too late, at %d",
                        timer,
                        subtask.emittedWatermark());
            }
        }
    }

    /** 0, or that of some keys. */
    @Override
    public long gatheredBytes() {
        return settings.dataDelayMs / 4 % 8 * GATHERED_BYTES;
    }

    @Override
    public void installChunks(
            int keyGroup,
            List<ByteBuffer> chunks,
            FetchedKeys fetched,
            TaskThread.Mail whenInstalled)
            throws Exception {
        Ledger.check(!chunks.isEmpty(), "%s gets no chunk", subtask);
        for (int s = 0; s < settings.subGroups; s++) {
            unitOf(Oracle.firstKeyOf(keyGroup * settings.subGroups + s));
        }
        if (chunks.size() > 1) {
            soon(() -> makeFile(keyGroup, chunks, fetched, whenInstalled));
        } else {
            writeEach(keyGroup, new ArrayDeque<>(chunks), fetched, whenInstalled);
        }
    }

    private void release(int keyGroup, FetchedKeys fetched) {
        written.remove(keyGroup);
        fetched.release();
    }

    private static int keyOf(ByteBuffer chunk) {
        return chunk.getInt(chunk.position());
    }

    /** Of those that have not been fetched so far. */
    private void makeFile(
            int keyGroup,
            List<ByteBuffer> chunks,
            FetchedKeys fetched,
            TaskThread.Mail whenInstalled)
            throws Exception {
        List<ByteBuffer> file = new ArrayList<>();
        for (ByteBuffer chunk : chunks) {
            if (fetched.all().contains(keyOf(keyOf(chunk)))) {
                install(chunk, true);
            } else {
                file.add(chunk);
            }
        }
        soon(
                () -> {
                    fetched.hold(between(chunks));
                    soon(() -> takeOver(keyGroup, file, fetched, whenInstalled));
                });
    }

    private void takeOver(
            int keyGroup, List<ByteBuffer> file, FetchedKeys fetched, TaskThread.Mail whenInstalled)
            throws Exception {
        boolean isWhole =
                file.stream().noneMatch(chunk -> fetched.all().contains(keyOf(keyOf(chunk))));
        if (isWhole) {
            if (!file.isEmpty()) {
                written.put(keyGroup, between(file));
            }
            soon(
                    () -> {
                        for (ByteBuffer chunk : file) {
                            install(chunk, false);
                        }
                        release(keyGroup, fetched);
                        soon(whenInstalled);
                    });
        } else {
            release(keyGroup, fetched);
            writeEach(keyGroup, new ArrayDeque<>(file), fetched, whenInstalled);
        }
    }

    /** Other keys may have to wait as well, here those between the chunks. */
    private static Predicate<DeferredKey> between(List<ByteBuffer> chunks) {
        int first = keyOf(chunks.get(0));
        int last = keyOf(chunks.get(chunks.size() - 1));
        return key -> first <= number(key) && number(key) <= last;
    }

    /** One key is a chunk. */
    private void writeEach(
            int keyGroup,
            ArrayDeque<ByteBuffer> chunks,
            FetchedKeys fetched,
            TaskThread.Mail whenInstalled)
            throws Exception {
        ByteBuffer chunk = chunks.poll();
        if (chunk == null) {
            soon(whenInstalled);
            return;
        }
        DeferredKey key = keyOf(keyOf(chunk));
        soon(
                () -> {
                    fetched.hold(key::equals);
                    soon(
                            () -> {
                                boolean skipped = fetched.all().contains(key);
                                if (!skipped) {
                                    written.put(keyGroup, key::equals);
                                }
                                soon(
                                        () -> {
                                            install(chunk, skipped);
                                            release(keyGroup, fetched);
                                            writeEach(keyGroup, chunks, fetched, whenInstalled);
                                        });
                            });
                });
    }

    private void install(ByteBuffer chunk, boolean skipped) throws IOException {
        ByteBuffer data = chunk.duplicate();
        int key = data.getInt();
        world.trace("%s %s key %d of a chunk", subtask, skipped ? "skips" : "puts in", key);
        Ledger.check(
                skipped || unitOf(key).missing.contains(key),
                "%s puts a chunk over key %d, which has come",
                subtask,
                key);
        if (settings.dataIsIngested) {
            byte[] bytes = new byte[data.remaining()];
            data.get(bytes);
            stored.put(key, bytes);
        } else if (!skipped) {
            put(key, Bytes.read(data));
        } else {
            world.onKeySkipped();
        }
    }

    @Override
    public void complete(
            int keyGroup, NavigableSet<DeferredKey> fetched, TaskThread.Mail whenComplete)
            throws Exception {
        completeSome(
                Oracle.firstKeyOf(keyGroup * settings.subGroups),
                Oracle.firstKeyOf((keyGroup + 1) * settings.subGroups),
                new TreeSet<>(fetched),
                () -> {
                    world.trace("%s has all data of key-group %d", subtask, keyGroup);
                    whenComplete.run();
                });
    }

    /** Some keys after the other, with time in between. */
    private void completeSome(
            int first, int end, NavigableSet<DeferredKey> skipped, TaskThread.Mail whenComplete)
            throws Exception {
        soon(
                () -> {
                    int some = Math.min(end, first + 1 + random.nextInt(end - first));
                    for (int key = first; key < some; key++) {
                        byte[] bytes = stored.remove(key);
                        if (bytes != null && !skipped.contains(keyOf(key))) {
                            put(key, Bytes.read(bytes));
                        }
                        arrive(key);
                    }
                    if (some < end) {
                        completeSome(some, end, skipped, whenComplete);
                    } else {
                        whenComplete.run();
                    }
                });
    }

    @Override
    public void settle(TaskThread.Mail whenSettled) throws Exception {
        settling = true;
        soon(
                () -> {
                    settling = false;
                    whenSettled.run();
                });
    }

    @Override
    public void settleAhead() {
        Ledger.check(closed || !hasFrozen(), "%s settles, but has data to give", subtask);
        subtask.units()
                .forEach(
                        (unit, state) ->
                                Ledger.check(
                                        closed || state.missing.isEmpty(),
                                        "%s settles, but data of unit %d is to come",
                                        subtask,
                                        unit));
    }

    /** Now and then there is none. */
    @Override
    public boolean hasRoom() {
        return !settings.dataHasPace || (world.now() >> 22 & 3) != 0;
    }

    @Override
    public List<Sleeper> dueAt(long watermark, int limit) {
        List<Sleeper> due = new ArrayList<>();
        subtask.units()
                .forEach(
                        (unit, state) -> {
                            for (SimulatedUnit.Timer timer : state.asleep) {
                                if (timer.time <= watermark && due.size() < Math.min(limit, 2)) {
                                    due.add(new Sleeper(unit, keyOf(timer.record.key)));
                                }
                            }
                        });
        return due;
    }

    /** Timers of the clock, of which the simulation has none: any key may have one. */
    @Override
    public List<Sleeper> dueNow(int limit) {
        List<Sleeper> due = new ArrayList<>();
        subtask.units()
                .forEach(
                        (unit, state) -> {
                            for (int key : state.missing) {
                                if (random.nextInt(32) == 0) {
                                    due.add(new Sleeper(unit, keyOf(key)));
                                }
                            }
                        });
        return due;
    }

    @Override
    public void close() {
        closed = true;
        Ledger.check(
                frozen.isEmpty() && stored.isEmpty() || subtask.isDead(),
                "%s ends a rescale with data that is not given, or not taken",
                subtask);
    }
}
