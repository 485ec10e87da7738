// SPDX-License-Identifier: Apache-2.0
package io.meces.state.rocksdb;

import static io.meces.state.rocksdb.Backends.KEY_GROUPS;
import static io.meces.state.rocksdb.Backends.LIST;
import static io.meces.state.rocksdb.Backends.MAP;
import static io.meces.state.rocksdb.Backends.VALUE;
import static io.meces.state.rocksdb.Backends.keyGroup;
import static io.meces.state.rocksdb.Backends.state;
import static org.assertj.core.api.Assertions.assertThat;

import io.meces.core.plan.Assignment;
import io.meces.core.store.DeferredData;
import io.meces.core.store.DeferredKey;
import io.meces.core.store.FetchedKeys;
import io.meces.flink.rocksdb.TestRocksDB;
import io.meces.flink.runtime.OperatorStates;
import io.meces.runtime.checkpoint.ElasticOperatorState;
import io.meces.runtime.checkpoint.KeyedStateShares;
import io.meces.state.Compression;
import io.meces.state.UnitCompression;
import io.meces.state.UnitSchema;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.annotation.Nullable;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SharedStateRegistry;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Key-groups go to and fro between some backends, with their units or behind them, while states of
 * all kinds change, checkpoints are taken and backends are restored; all must be as in a map on the
 * heap.
 *
 * <p>Now and then all fail, and go on from their checkpoints with other key-groups than they had,
 * as a job does that is restored after its key-groups have moved. Then what has come with the files
 * and belongs elsewhere is still there, and key-groups may come back before it is deleted.
 *
 * <p>More seeds: {@code -Drocksdb.moves.seeds=1,2,3}.
 */
@Timeout(120)
class RocksDBMovesTest {

    private static final int BACKENDS = 3;
    private static final int KEYS = 100;
    private static final int STEPS = 2_000;
    private static final String[] NAMESPACES = {"", "a", "window-b"};
    private static final long CHUNK_BYTES = 300;

    @TempDir Path directory;

    private final Mailbox thread = new Mailbox();
    private final List<MecesRocksDBKeyedStateBackend<String>> subtasks = new ArrayList<>();
    private final SharedStateRegistry registry = TestRocksDB.registry();
    private final int[] owner = new int[KEY_GROUPS];
    private final Map<String, Content> model = new HashMap<>();
    private Random random;
    private long number;
    private long snapshots;

    /** Restarts after which there was something to delete. */
    private int staleRestarts;

    /** Of the last restart; null before the first one. */
    @Nullable private HeldDeletions deletions;

    /** What a key has in a namespace. */
    private static final class Content {
        private Long value;
        private final List<String> list = new ArrayList<>();
        private final TreeMap<String, Long> map = new TreeMap<>();
    }

    static Stream<Long> seeds() {
        return Stream.of(System.getProperty("rocksdb.moves.seeds", "1,2").split(","))
                .map(Long::valueOf);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void nothingIsLostAndNothingComesBack(long seed) throws Exception {
        random = new Random(seed);
        try (Backends backends = new Backends(directory)) {
            for (int i = 0; i < BACKENDS; i++) {
                int subtask = i;
                int[] keyGroups =
                        IntStream.range(0, KEY_GROUPS)
                                .filter(g -> g % BACKENDS == subtask)
                                .toArray();
                subtasks.add(backends.ours(ElasticMock.of(keyGroups)));
                for (int keyGroup : keyGroups) {
                    owner[keyGroup] = subtask;
                }
            }
            for (int step = 0; step < STEPS; step++) {
                try {
                    doSomething(backends);
                } catch (Exception | AssertionError e) {
                    throw new AssertionError("step " + step + ", -Drocksdb.moves.seeds=" + seed, e);
                }
            }
            assertThat(staleRestarts).as("-Drocksdb.moves.seeds=" + seed).isPositive();
            assertThat(backends.bytesIngested()).as("taken over as files").isPositive();
            openDeletions();
            for (int i = 0; i < KEYS; i++) {
                for (String namespace : NAMESPACES) {
                    check(subtasks.get(owner[keyGroup("key-" + i)]), "key-" + i, namespace);
                }
            }
            for (int i = 0; i < BACKENDS; i++) {
                checkEntries(i);
            }
        } finally {
            openDeletions();
        }
    }

    private void doSomething(Backends backends) throws Exception {
        int what = random.nextInt(200);
        int keyGroup = random.nextInt(KEY_GROUPS);
        if (what < 179) {
            use("key-" + random.nextInt(KEYS), random.nextInt(4) == 0);
        } else if (what < 187) {
            move(keyGroup, random.nextInt(BACKENDS));
            useAll(keyGroup);
        } else if (what < 193) {
            moveAheadOfData(keyGroup, random.nextInt(BACKENDS));
            useAll(keyGroup);
        } else if (what < 195) {
            checkKeys(random.nextInt(BACKENDS));
        } else if (what < 198) {
            checkpoint(backends, random.nextInt(BACKENDS), random.nextInt(4) == 0);
        } else if (what < 199) {
            openDeletions();
        } else {
            restart(
                    backends,
                    random.nextInt(3) == 0 ? Backends.Kind.SAVEPOINT : Backends.Kind.CHECKPOINT);
        }
    }

    private void openDeletions() {
        if (deletions != null) {
            deletions.open();
        }
    }

    /** Before what has left is compacted. */
    private void useAll(int keyGroup) throws Exception {
        boolean clear = random.nextBoolean();
        for (int i = 0; i < KEYS; i++) {
            if (keyGroup("key-" + i) == keyGroup) {
                use("key-" + i, clear);
            }
        }
    }

    private void use(String key, boolean clear) throws Exception {
        MecesRocksDBKeyedStateBackend<String> subtask = subtasks.get(owner[keyGroup(key)]);
        String namespace = NAMESPACES[random.nextInt(NAMESPACES.length)];
        check(subtask, key, namespace);
        ValueState<Long> value = state(subtask, namespace, VALUE);
        ListState<String> list = state(subtask, namespace, LIST);
        MapState<String, Long> map = state(subtask, namespace, MAP);
        Content content = model.computeIfAbsent(key + "/" + namespace, k -> new Content());
        long next = ++number;
        switch (random.nextInt(4)) {
            case 0:
                value.update(clear ? null : (Long) next);
                content.value = clear ? null : (Long) next;
                break;
            case 1:
            case 2:
                if (clear) {
                    list.clear();
                    content.list.clear();
                } else {
                    list.add("" + next);
                    content.list.add("" + next);
                }
                break;
            default:
                String entry = "entry" + next % 5;
                if (clear) {
                    map.remove(entry);
                    content.map.remove(entry);
                } else {
                    map.put(entry, next);
                    content.map.put(entry, next);
                }
        }
    }

    private void check(MecesRocksDBKeyedStateBackend<String> subtask, String key, String namespace)
            throws Exception {
        Content content = model.getOrDefault(key + "/" + namespace, new Content());
        subtask.setCurrentKey(key);
        String what = key + " in namespace '" + namespace + "' after change " + number;
        assertThat(state(subtask, namespace, VALUE).value()).as(what).isEqualTo(content.value);
        List<String> list = new ArrayList<>();
        Iterable<String> elements = state(subtask, namespace, LIST).get();
        if (elements != null) {
            elements.forEach(list::add);
        }
        assertThat(list).as(what).isEqualTo(content.list);
        Map<String, Long> map = new TreeMap<>();
        state(subtask, namespace, MAP).entries().forEach(e -> map.put(e.getKey(), e.getValue()));
        assertThat(map).as(what).isEqualTo(content.map);
    }

    private void checkKeys(int subtask) {
        for (String namespace : NAMESPACES) {
            Set<String> expected =
                    model.entrySet().stream()
                            .filter(e -> !e.getValue().list.isEmpty())
                            .map(e -> e.getKey().split("/", -1))
                            .filter(parts -> parts[1].equals(namespace))
                            .map(parts -> parts[0])
                            .filter(key -> owner[keyGroup(key)] == subtask)
                            .collect(Collectors.toSet());
            try (Stream<String> keys = subtasks.get(subtask).getKeys(LIST.getName(), namespace)) {
                assertThat(keys).as("keys after change " + number).hasSameElementsAs(expected);
            }
        }
    }

    /** All that is in the database of a subtask is what it owns. */
    private void checkEntries(int subtask) {
        int expected = 0;
        for (Map.Entry<String, Content> entry : model.entrySet()) {
            if (owner[keyGroup(entry.getKey().split("/", -1)[0])] == subtask) {
                Content content = entry.getValue();
                expected += content.value == null ? 0 : 1;
                expected += content.list.isEmpty() ? 0 : 1;
                expected += content.map.size();
            }
        }
        assertThat(subtasks.get(subtask).numKeyValueStateEntries())
                .as("entries of subtask %s after change %s", subtask, number)
                .isEqualTo(expected);
    }

    private int[] keyGroupsOf(int subtask) {
        return IntStream.range(0, KEY_GROUPS).filter(g -> owner[g] == subtask).toArray();
    }

    private KeyedStateHandle snapshot(int subtask, Backends.Kind kind) throws Exception {
        KeyedStateHandle handle = Backends.snapshot(subtasks.get(subtask), ++snapshots, kind);
        if (handle != null) {
            TestRocksDB.register(handle, registry, snapshots);
        }
        return handle;
    }

    /** Sometimes it fails afterwards, and goes on from it. */
    private void checkpoint(Backends backends, int subtask, boolean restore) throws Exception {
        KeyedStateHandle handle = snapshot(subtask, Backends.Kind.CHECKPOINT);
        checkEntries(subtask);
        if (restore) {
            subtasks.set(subtask, backends.ours(ElasticMock.of(keyGroupsOf(subtask)), handle));
        }
    }

    /** All fail, and go on with other key-groups, of which one changes and moves at once. */
    private void restart(Backends backends, Backends.Kind kind) throws Exception {
        OperatorState checkpoint =
                new ElasticOperatorState(
                        new OperatorID(), owner, BACKENDS, Collections.emptyList());
        for (int i = 0; i < BACKENDS; i++) {
            KeyedStateHandle handle = snapshot(i, kind);
            if (handle != null) {
                checkpoint.putState(
                        i, OperatorSubtaskState.builder().setManagedKeyedState(handle).build());
            }
        }
        for (MecesRocksDBKeyedStateBackend<String> subtask : subtasks) {
            subtask.dispose();
        }
        // some subtasks get files that nobody else gets
        int moved = 1 + random.nextInt(KEY_GROUPS);
        for (int i = 0; i < moved; i++) {
            owner[random.nextInt(KEY_GROUPS)] = random.nextInt(BACKENDS);
        }
        openDeletions();
        deletions = new HeldDeletions();
        KeyedStateShares shares = new KeyedStateShares(Assignment.of(owner));
        OperatorState restored =
                random.nextBoolean() ? checkpoint : asANewJobManagerReads(checkpoint);
        for (int i = 0; i < BACKENDS; i++) {
            KeyedStateHandle[] handles =
                    shares.of(restored, OperatorSubtaskState::getManagedKeyedState, i)
                            .toArray(new KeyedStateHandle[0]);
            subtasks.set(i, backends.ours(ElasticMock.of(keyGroupsOf(i)), handles));
        }
        staleRestarts += deletions.waiting() > 0 ? 1 : 0;
        deletions.openWhenThisThreadWaits();
        for (int i = 0; i < BACKENDS; i++) {
            checkKeys(i);
        }
        int keyGroup = random.nextInt(KEY_GROUPS);
        useAll(keyGroup);
        switch (random.nextInt(3)) {
            case 0:
                move(keyGroup, random.nextInt(BACKENDS));
                break;
            case 1:
                moveAheadOfData(keyGroup, random.nextInt(BACKENDS));
                break;
            default:
                // the next checkpoint finds it all
                restart(backends, Backends.Kind.CHECKPOINT);
        }
        useAll(keyGroup);
    }

    /** As it is shown to all who do not know how it was collected. */
    private static OperatorState asANewJobManagerReads(OperatorState checkpoint) {
        OperatorState read = OperatorStates.like(checkpoint, checkpoint.getParallelism());
        checkpoint.getSubtaskStates().forEach(read::putState);
        return read;
    }

    private void move(int keyGroup, int to) throws Exception {
        int from = owner[keyGroup];
        if (from != to) {
            Backends.move(
                    subtasks.get(from).units(),
                    subtasks.get(to).units(),
                    keyGroup,
                    Compression.NONE);
            owner[keyGroup] = to;
        }
    }

    @SuppressWarnings("unchecked")
    private void moveAheadOfData(int keyGroup, int receiver) throws Exception {
        int donor = owner[keyGroup];
        if (donor == receiver) {
            return;
        }
        RocksDBUnitStore<String> from = (RocksDBUnitStore<String>) subtasks.get(donor).units();
        RocksDBUnitStore<String> to = (RocksDBUnitStore<String>) subtasks.get(receiver).units();
        DeferredData atDonor = from.defer(thread, from.direct());
        // its files are of any size, or it has none
        long leastFileBytes = random.nextInt(3) == 0 ? Long.MAX_VALUE : random.nextInt(200);
        DeferredData atReceiver =
                to.defer(thread, to.direct(), to.movedRows(leastFileBytes, () -> 0));
        UnitSchema schema = Backends.schema(from, to);
        DataOutputSerializer out = new DataOutputSerializer(64);
        from.extract(keyGroup, 0, out, new UnitCompression(Compression.NONE));
        DataInputDeserializer unit = new DataInputDeserializer(out.getCopyOfBuffer());
        to.install(keyGroup, 0, unit, schema, to.direct());
        owner[keyGroup] = receiver;

        Fetches fetches = new Fetches(keyGroup, from, atDonor, atReceiver);
        fetches.some();
        LinkedBlockingQueue<Boolean> more = new LinkedBlockingQueue<>();
        DeferredData.Stream stream = atDonor.stream(keyGroup, CHUNK_BYTES, () -> more.add(true));
        List<ByteBuffer> chunks = new ArrayList<>();
        while (!stream.isAtEnd() || !chunks.isEmpty()) {
            byte[] chunk = stream.poll();
            if (chunk != null) {
                chunks.add(ByteBuffer.wrap(chunk));
            } else if (!stream.isAtEnd()) {
                more.poll(10, TimeUnit.MILLISECONDS);
            }
            if (!chunks.isEmpty() && (stream.isAtEnd() || random.nextInt(4) == 0)) {
                boolean[] installed = {false};
                atReceiver.installChunks(
                        keyGroup, chunks, fetches.fetched, () -> installed[0] = true);
                for (int i = random.nextInt(5); i > 0; i--) {
                    fetches.some();
                    fetches.putInWaiting();
                    useAnother(keyGroup);
                }
                while (!installed[0]) {
                    thread.runNext();
                }
                fetches.putInWaiting();
                assertThat(fetches.waiting).isEmpty();
                chunks = new ArrayList<>();
            }
            fetches.some();
        }
        stream.close();
        boolean[] dropped = {false};
        atDonor.drop(keyGroup, () -> dropped[0] = true);
        while (!dropped[0]) {
            thread.runNext();
        }
        atReceiver.complete(keyGroup, fetches.fetched.all(), () -> {});
        atDonor.close();
        atReceiver.close();
    }

    /** Also at the receiver, while another thread writes there. */
    private void useAnother(int keyGroup) throws Exception {
        String key = "key-" + random.nextInt(KEYS);
        if (keyGroup(key) != keyGroup) {
            use(key, random.nextInt(4) == 0);
        }
    }

    /** Of single keys of a key-group that comes; those that are here are used at once. */
    private final class Fetches {

        private final FetchedKeys fetched = new FetchedKeys();
        private final Map<String, ByteBuffer> waiting = new LinkedHashMap<>();
        private final int keyGroup;
        private final RocksDBUnitStore<String> from;
        private final DeferredData atDonor;
        private final DeferredData atReceiver;

        private Fetches(
                int keyGroup,
                RocksDBUnitStore<String> from,
                DeferredData atDonor,
                DeferredData atReceiver) {
            this.keyGroup = keyGroup;
            this.from = from;
            this.atDonor = atDonor;
            this.atReceiver = atReceiver;
        }

        private void some() throws Exception {
            String key = "key-" + random.nextInt(KEYS);
            if (keyGroup(key) != keyGroup || waiting.containsKey(key)) {
                return;
            }
            DeferredKey deferred = from.keyOf(key);
            if (!fetched.all().contains(deferred)) {
                byte[][] answer = new byte[1][];
                atDonor.fetch(keyGroup, deferred, data -> answer[0] = Objects.requireNonNull(data));
                ByteBuffer data = ByteBuffer.wrap(answer[0]);
                if (!fetched.add(deferred)) {
                    waiting.put(key, data);
                    return;
                }
                atReceiver.installKey(keyGroup, deferred, data);
            }
            use(key, random.nextInt(4) == 0);
        }

        /** Those that have not to wait any more. */
        private void putInWaiting() throws Exception {
            for (String key : new ArrayList<>(waiting.keySet())) {
                DeferredKey deferred = from.keyOf(key);
                if (fetched.add(deferred)) {
                    atReceiver.installKey(keyGroup, deferred, waiting.remove(key));
                    use(key, random.nextInt(4) == 0);
                }
            }
        }
    }
}
