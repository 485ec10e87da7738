// SPDX-License-Identifier: Apache-2.0
package io.meces.benchmarks;

import io.meces.core.exchange.TaskThread;
import io.meces.core.store.DeferredData;
import io.meces.core.store.DeferredKey;
import io.meces.core.store.DeferredStore;
import io.meces.core.store.FetchedKeys;
import io.meces.state.Compression;
import io.meces.state.ElasticKeyedStateBackend;
import io.meces.state.TimerInstaller;
import io.meces.state.UnitCompression;
import io.meces.state.UnitSchema;
import io.meces.state.UnitStore;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.memory.MemCheckpointStreamFactory;

/**
 * Moves half of the key-groups of a database to another one, all in the background, while single
 * keys are fetched and the receiver is written to; both ends are worked by one thread, as if donor
 * and receiver were one task. Then how reads of what has stayed get on. All that several times with
 * new databases, as the first move of a process waits for Java's compilers, too.
 *
 * <p>Written for one thread.
 */
final class RocksDBMove {

    private static final int KEY_GROUPS = 16;
    private static final int MOVED = KEY_GROUPS / 2;
    private static final int VALUE_BYTES = 1_000;

    /** As a task sends them. */
    private static final int CHUNK_BYTES = 64 << 10;

    /** A key is fetched as often, ns. */
    private static final long FETCH_EACH_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    /** Whether there is room is asked as often, ns. */
    private static final long ROOM_EACH_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /** For so long the thread sleeps at most when there is nothing to do, ns. */
    private static final long IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private static final long LIMIT_SECONDS = 600;
    private static final int GETS = 200_000;

    /** Fewer, as compactions may be over soon. */
    private static final int GETS_MEANWHILE = 20_000;

    private static final int MOVES = 3;

    /** By what they are, of each move. */
    private final Map<String, List<Double>> rows;

    private final Mailbox thread = new Mailbox();
    private final Random random = new Random(1);
    private final Pending pending = new Pending();
    private final List<List<Long>> keys = new ArrayList<>();
    private final long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);

    private RocksDBMove(Map<String, List<Double>> rows) {
        this.rows = rows;
    }

    /**
     * Prints what it has measured, as a table with a column for each move.
     *
     * @param megabytes of all state
     */
    static void print(PrintWriter out, int megabytes) throws Exception {
        int entries = (int) (((long) megabytes << 20) / VALUE_BYTES);
        Map<String, List<Double>> rows = new LinkedHashMap<>();
        for (int i = 0; i < MOVES; i++) {
            new RocksDBMove(rows).run(entries);
        }
        out.printf(
                "%n%,d values of %,d B in %d key-groups, of which %d move%n%n",
                entries, VALUE_BYTES, KEY_GROUPS, MOVED);
        out.println("| move |" + columns(i -> " " + (i + 1)));
        out.println("|---|" + columns(i -> "---"));
        rows.forEach(
                (what, figures) ->
                        out.println(
                                "| "
                                        + what
                                        + " |"
                                        + columns(i -> String.format(" %.2f", figures.get(i)))));
        out.flush();
    }

    private static String columns(IntFunction<String> column) {
        return IntStream.range(0, MOVES)
                .mapToObj(column)
                .collect(Collectors.joining(" |", "", " |"));
    }

    private void run(int entries) throws Exception {
        BitSet all = new BitSet();
        all.set(0, KEY_GROUPS);
        try (RocksDBBackend donor = RocksDBBackend.meces(KEY_GROUPS, all, pending);
                RocksDBBackend receiver =
                        RocksDBBackend.meces(
                                KEY_GROUPS, new BitSet(), new UnregisteredMetricsGroup())) {
            fill(donor, entries);
            checkpoint(donor, 1);
            // in level 0 a get would find the index of its file in memory, and not any more later
            donor.compact();
            readAll(donor);
            double before = gets(donor, GETS);
            move(donor, receiver);
            long checkpoint = System.nanoTime();
            checkpoint(donor, 2);
            receiver.keyed().notifyCheckpointComplete(2);
            row(
                    "a checkpoint at the donor after that, in the task thread, ms",
                    (System.nanoTime() - checkpoint) / 1e6);
            while (pending.count() == 0 && thread.hasLater()) {
                thread.runNext(IDLE_NANOS);
                checkTime();
            }
            List<Double> meanwhile = new ArrayList<>();
            do {
                meanwhile.add(gets(donor, GETS_MEANWHILE));
                checkTime();
            } while (pending.count() > 0);
            Collections.sort(meanwhile);
            readAll(donor);
            double after = gets(donor, GETS);
            row("a get at the donor, before, us", before);
            row("the same while deleted key-groups are compacted", ratio(meanwhile, before, 0.5));
            row("the same, the worst", ratio(meanwhile, before, 1));
            row("the same after that", after / before);
        }
    }

    private static double ratio(List<Double> sorted, double to, double quantile) {
        return sorted.get((int) Math.round((sorted.size() - 1) * quantile)) / to;
    }

    private void fill(RocksDBBackend donor, int entries) throws Exception {
        for (int i = 0; i < KEY_GROUPS; i++) {
            keys.add(new ArrayList<>());
        }
        byte[] bytes = new byte[VALUE_BYTES];
        ValueState<byte[]> value = donor.value();
        for (int i = 0; i < entries; i++) {
            long key = Backends.key(i);
            keys.get(KeyGroupRangeAssignment.assignToKeyGroup(key, KEY_GROUPS)).add(key);
            random.nextBytes(bytes);
            donor.keyed().setCurrentKey(key);
            value.update(bytes);
        }
    }

    private static void checkpoint(RocksDBBackend backend, long id) throws Exception {
        RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot =
                backend.keyed()
                        .snapshot(
                                id,
                                id,
                                new MemCheckpointStreamFactory(Integer.MAX_VALUE),
                                CheckpointOptions.forCheckpointWithDefaultLocation());
        // the files themselves are of no interest
        snapshot.cancel(true);
        backend.keyed().notifyCheckpointComplete(id);
    }

    /** What stays, so that the cache has as much of it as it can. */
    private void readAll(RocksDBBackend donor) throws Exception {
        ValueState<byte[]> value = donor.value();
        for (int keyGroup = MOVED; keyGroup < KEY_GROUPS; keyGroup++) {
            for (Long key : keys.get(keyGroup)) {
                donor.keyed().setCurrentKey(key);
                value.value();
            }
        }
    }

    /** Of keys that stay; µs each. */
    private double gets(RocksDBBackend donor, int count) throws Exception {
        ValueState<byte[]> value = donor.value();
        long start = System.nanoTime();
        for (int i = 0; i < count; i++) {
            donor.keyed().setCurrentKey(anyKey(MOVED + random.nextInt(KEY_GROUPS - MOVED)));
            if (value.value() == null) {
                throw new IllegalStateException("A value that has stayed is lost");
            }
        }
        return (System.nanoTime() - start) / 1e3 / count;
    }

    private Long anyKey(int keyGroup) {
        List<Long> of = keys.get(keyGroup);
        return of.get(random.nextInt(of.size()));
    }

    @SuppressWarnings("unchecked")
    private static DeferredStore<TimerInstaller> deferred(UnitStore store) {
        return (DeferredStore<TimerInstaller>) store;
    }

    private void move(RocksDBBackend donor, RocksDBBackend receiver) throws Exception {
        UnitStore from = store(donor);
        UnitStore to = store(receiver);
        receiver.value();
        DeferredData atDonor = deferred(from).defer(thread, from.direct());
        DeferredData atReceiver = deferred(to).defer(thread, to.direct());
        DataOutputSerializer buffer = new DataOutputSerializer(1 << 10);
        from.writeSchema(buffer);
        UnitSchema schema = to.readSchema(new DataInputDeserializer(buffer.getCopyOfBuffer()));
        for (int keyGroup = 0; keyGroup < MOVED; keyGroup++) {
            buffer.clear();
            from.extract(keyGroup, 0, buffer, new UnitCompression(Compression.NONE));
            to.install(
                    keyGroup,
                    0,
                    new DataInputDeserializer(buffer.getCopyOfBuffer()),
                    schema,
                    to.direct());
        }
        Transfer transfer = new Transfer(deferred(from), atDonor, receiver, atReceiver);
        long stalledBefore = donor.stallMicros();
        long start = System.nanoTime();
        for (int keyGroup = 0; keyGroup < MOVED; keyGroup++) {
            transfer.keyGroup(keyGroup);
        }
        transfer.awaitDeletions();
        double seconds = (System.nanoTime() - start) / 1e9;
        transfer.report(seconds);
        row("stalls by RocksDB at the receiver, ms", receiver.stallMicros() / 1e3);
        row("the same at the donor", (donor.stallMicros() - stalledBefore) / 1e3);
        atDonor.close();
        atReceiver.close();
        for (int i = 0; i < GETS; i++) {
            receiver.keyed().setCurrentKey(anyKey(random.nextInt(MOVED)));
            if (receiver.value().value() == null) {
                throw new IllegalStateException("A value that has moved is lost");
            }
        }
    }

    private static UnitStore store(RocksDBBackend backend) {
        return ((ElasticKeyedStateBackend) backend.keyed()).units();
    }

    private void checkTime() throws TimeoutException {
        if (System.nanoTime() - deadline > 0) {
            throw new TimeoutException("Not done after " + LIMIT_SECONDS + " s");
        }
    }

    private void row(String what, double figure) {
        rows.computeIfAbsent(what, w -> new ArrayList<>()).add(figure);
    }

    /** The background, and what goes on beside it. */
    private final class Transfer {

        private final DeferredStore<TimerInstaller> store;
        private final DeferredData donor;
        private final RocksDBBackend backend;
        private final DeferredData receiver;
        private final List<Double> fetches = new ArrayList<>();
        private final List<Double> updates = new ArrayList<>();

        /** What a fetch consists of: the thread is late, the donor reads, a chunk, a write. */
        private final List<Double> late = new ArrayList<>();

        private final List<Double> reads = new ArrayList<>();
        private final List<Double> waits = new ArrayList<>();
        private final List<Double> writes = new ArrayList<>();
        private final byte[] update = new byte[VALUE_BYTES];
        private long bytes;
        private long nextFetch = System.nanoTime();
        private long nextLook = nextFetch;
        private boolean room = true;
        private long pauses;
        private boolean writing;
        private List<ByteBuffer> chunks = new ArrayList<>();
        private long waiting;
        private int dropping;

        /** Keys whose data has come while they were being written. */
        private final List<Fetch> waitingFetches = new ArrayList<>();

        private Transfer(
                DeferredStore<TimerInstaller> store,
                DeferredData donor,
                RocksDBBackend backend,
                DeferredData receiver) {
            this.store = store;
            this.donor = donor;
            this.backend = backend;
            this.receiver = receiver;
        }

        private void keyGroup(int keyGroup) throws Exception {
            FetchedKeys fetched = new FetchedKeys();
            try (Closing stream =
                    new Closing(donor.stream(keyGroup, CHUNK_BYTES, thread::wakeUp))) {
                while (!stream.stream.isAtEnd()
                        || waiting > 0
                        || writing
                        || !waitingFetches.isEmpty()) {
                    checkTime();
                    long now = System.nanoTime();
                    look(now);
                    installWaiting(keyGroup, fetched);
                    if (now - nextFetch >= 0) {
                        fetch(keyGroup, fetched);
                    }
                    byte[] chunk =
                            waiting < 2 * receiver.gatheredBytes() ? stream.stream.poll() : null;
                    if (chunk != null) {
                        bytes += chunk.length;
                        waiting += chunk.length;
                        chunks.add(ByteBuffer.wrap(chunk));
                    }
                    boolean enough = stream.stream.isAtEnd() || waiting >= receiver.gatheredBytes();
                    if (enough && waiting > 0 && !writing && room) {
                        installChunks(keyGroup, fetched);
                    } else if (chunk == null || enough) {
                        // a record that needs a key would wake the task
                        thread.runNext(nextFetch - now);
                    }
                }
            }
            dropping++;
            donor.drop(keyGroup, () -> dropping--);
            receiver.complete(keyGroup, fetched.all(), () -> {});
        }

        private void installChunks(int keyGroup, FetchedKeys fetched) throws Exception {
            writing = true;
            List<ByteBuffer> gathered = chunks;
            chunks = new ArrayList<>();
            waiting = 0;
            receiver.installChunks(keyGroup, gathered, fetched, () -> writing = false);
        }

        /** What was being written when it came. */
        private void installWaiting(int keyGroup, FetchedKeys fetched) throws Exception {
            for (Iterator<Fetch> all = waitingFetches.iterator(); all.hasNext(); ) {
                Fetch fetch = all.next();
                if (fetched.add(store.keyOf(fetch.key))) {
                    all.remove();
                    install(keyGroup, fetch);
                }
            }
        }

        private void look(long now) {
            if (now - nextLook >= 0) {
                nextLook = now + ROOM_EACH_NANOS;
                room = receiver.hasRoom();
                pauses += room ? 0 : 1;
            }
        }

        /** A record needs a key of the key-group. */
        private void fetch(int keyGroup, FetchedKeys fetched) throws Exception {
            long due = nextFetch;
            nextFetch = Math.max(due + FETCH_EACH_NANOS, System.nanoTime());
            Long key = anyKey(keyGroup);
            DeferredKey deferred = store.keyOf(key);
            if (fetched.all().contains(deferred)) {
                return;
            }
            long start = System.nanoTime();
            byte[][] answer = new byte[1][];
            donor.fetch(keyGroup, deferred, data -> answer[0] = data);
            long readAt = System.nanoTime();
            late.add((start - due) / 1e6);
            reads.add((readAt - start) / 1e6);
            Fetch fetch = new Fetch(key, answer[0], due, readAt);
            if (fetched.add(deferred)) {
                install(keyGroup, fetch);
            } else {
                waitingFetches.add(fetch);
            }
        }

        /** And the record changes it. */
        private void install(int keyGroup, Fetch fetch) throws Exception {
            long start = System.nanoTime();
            receiver.installKey(keyGroup, store.keyOf(fetch.key), ByteBuffer.wrap(fetch.answer));
            long now = System.nanoTime();
            waits.add((start - fetch.readAt) / 1e6);
            writes.add((now - start) / 1e6);
            fetches.add((now - fetch.due) / 1e6);
            backend.keyed().setCurrentKey(fetch.key);
            backend.value().update(update);
            updates.add((System.nanoTime() - now) / 1e6);
        }

        private void awaitDeletions() throws Exception {
            while (dropping > 0) {
                checkTime();
                thread.runNext(IDLE_NANOS);
            }
        }

        private void report(double seconds) {
            row("background, MB/s", bytes / 1e6 / seconds);
            row("of which it waited for RocksDB, s", pauses * ROOM_EACH_NANOS / 1e9);
            percentiles("from when a key is needed until it is here", fetches);
            percentiles("of that, until the task gets to it", late);
            percentiles("the donor reads", reads);
            percentiles("a chunk with the key is put in", waits);
            percentiles("the receiver writes", writes);
            percentiles("update at the receiver", updates);
        }

        private void percentiles(String what, List<Double> values) {
            double[] sorted = values.stream().mapToDouble(v -> v).sorted().toArray();
            row(what + ", ms, p50", sorted[sorted.length / 2]);
            row(what + ", p99", sorted[sorted.length - 1 - sorted.length / 100]);
            row(what + ", longest", sorted[sorted.length - 1]);
        }
    }

    /** Of a key whose data has come. Immutable. */
    private static final class Fetch {

        private final Long key;
        private final byte[] answer;

        /** When a record needed it. */
        private final long due;

        private final long readAt;

        private Fetch(Long key, byte[] answer, long due, long readAt) {
            this.key = key;
            this.answer = answer;
            this.due = due;
            this.readAt = readAt;
        }
    }

    private static final class Closing implements AutoCloseable {

        private final DeferredData.Stream stream;

        private Closing(DeferredData.Stream stream) {
            this.stream = stream;
        }

        @Override
        public void close() {
            stream.close();
        }
    }

    /** Finds out how many compactions are pending. */
    private static final class Pending extends UnregisteredMetricsGroup {

        private final Map<String, Gauge<?>> gauges = new HashMap<>();

        @Override
        public <T, G extends Gauge<T>> G gauge(String name, G gauge) {
            gauges.put(name, gauge);
            return gauge;
        }

        @Override
        public MetricGroup addGroup(String name) {
            return this;
        }

        private int count() {
            return (Integer) gauges.get("rocksdbCompactionsPending").getValue();
        }
    }

    private static final class Mailbox implements TaskThread {

        private static final Mail NOTHING = () -> {};

        private final LinkedBlockingQueue<Mail> mails = new LinkedBlockingQueue<>();

        /** By the time when they are due. Of the task thread. */
        private final TreeMap<Long, Mail> later = new TreeMap<>();

        private void wakeUp() {
            mails.add(NOTHING);
        }

        @Override
        public long nanoTime() {
            return System.nanoTime();
        }

        @Override
        public void execute(Mail mail, String description) {
            mails.add(mail);
        }

        @Override
        public void executeAfter(long nanos, Mail mail, String description) {
            long due = nanoTime() + nanos;
            while (later.putIfAbsent(due, mail) != null) {
                due++;
            }
        }

        /** Looks at compactions are still to come, the last of which requests some. */
        private boolean hasLater() {
            return !later.isEmpty() || !mails.isEmpty();
        }

        private void runNext(long limitNanos) throws Exception {
            if (!later.isEmpty() && later.firstKey() - nanoTime() <= 0) {
                mails.add(later.pollFirstEntry().getValue());
            }
            Mail mail = mails.poll(Math.min(limitNanos, IDLE_NANOS), TimeUnit.NANOSECONDS);
            if (mail != null) {
                mail.run();
            }
        }
    }
}
