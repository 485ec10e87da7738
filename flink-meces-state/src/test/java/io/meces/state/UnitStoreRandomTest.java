// SPDX-License-Identifier: Apache-2.0
package io.meces.state;

import static io.meces.state.Backends.ALL;
import static io.meces.state.Backends.KEY_GROUPS;
import static io.meces.state.Backends.SUB_GROUPS;
import static io.meces.state.Backends.TIMERS;
import static io.meces.state.Backends.extract;
import static io.meces.state.Backends.install;
import static io.meces.state.Backends.keyGroup;
import static io.meces.state.Backends.meces;
import static io.meces.state.Backends.schema;
import static io.meces.state.Backends.startSnapshot;
import static io.meces.state.Backends.state;
import static io.meces.state.Backends.stock;
import static io.meces.state.Backends.subGroup;
import static io.meces.state.Backends.timer;
import static io.meces.state.Backends.timers;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RunnableFuture;
import java.util.stream.Stream;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.heap.HeapKeyedStateBackend;
import org.apache.flink.streaming.api.operators.TimerHeapInternalTimer;
import org.junit.jupiter.api.RepeatedTest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Three backends among which units wander at random, compressed or not, while states and timers
 * change and snapshots are written by another thread, compared with plain maps.
 */
class UnitStoreRandomTest {

    private static final Logger LOG = LoggerFactory.getLogger(UnitStoreRandomTest.class);

    private static final int STEPS = 20_000;
    private static final int KEYS = 400;
    private static final String[] NAMESPACES = {"n0", "n1", "n2"};

    private final List<Member> members = new ArrayList<>();
    private final Map<Integer, Member> owners = new HashMap<>();
    private final Map<String, String> expected = new HashMap<>();
    private Random random;

    @RepeatedTest(5)
    void unitsWanderWithoutLossOrDuplication() throws Exception {
        long seed = Long.getLong("meces.test.seed", System.nanoTime());
        LOG.info("Seed: -Dmeces.test.seed={}", seed);
        random = new Random(seed);
        for (int i = 0; i < 3; i++) {
            members.add(new Member());
        }
        ExecutorService checkpoints = Executors.newSingleThreadExecutor();
        try {
            for (int step = 0; step < STEPS; step++) {
                int action = random.nextInt(1000);
                if (action < 960) {
                    change();
                } else if (action < 998) {
                    move();
                } else {
                    checkpoint(checkpoints);
                }
            }
            finishCheckpoint();
            assertThat(contents(backends())).as("seed %d", seed).isEqualTo(expected);
            assertThat(members)
                    .allSatisfy(
                            member ->
                                    assertThat(member.compressions)
                                            .extracting(c -> c.bytesSaved() > 0)
                                            .containsExactly(false, true, true));
            assertThat(entries()).isEqualTo(backends().stream().mapToInt(this::size).sum());
        } catch (Exception | AssertionError e) {
            throw new AssertionError("Failed with seed " + seed, e);
        } finally {
            checkpoints.shutdownNow();
        }
    }

    private void change() throws Exception {
        String key = "k" + random.nextInt(KEYS);
        String namespace = NAMESPACES[random.nextInt(NAMESPACES.length)];
        Member owner = owner(keyGroup(key), subGroup(key));
        long n = random.nextInt(1000);
        String id = key + " " + namespace;
        StringSerializer names = StringSerializer.INSTANCE;
        switch (random.nextInt(6)) {
            case 0:
                state(owner.backend, key, namespace, names, States.VALUE).update(n);
                expected.put("value " + id, String.valueOf(n));
                break;
            case 1:
                state(owner.backend, key, namespace, names, States.VALUE).clear();
                expected.remove("value " + id);
                break;
            case 2:
                state(owner.backend, key, namespace, names, States.LIST).add("x" + n);
                expected.merge("list " + id, "[x" + n + "]", UnitStoreRandomTest::concatenate);
                break;
            case 3:
                state(owner.backend, key, namespace, names, States.REDUCING).add(n);
                expected.merge(
                        "reducing " + id,
                        String.valueOf(n),
                        (a, b) -> String.valueOf(Long.parseLong(a) + Long.parseLong(b)));
                break;
            case 4:
                owner.queue.add(timer(n, key, namespace));
                expected.put("timer " + n + " " + id, "");
                break;
            default:
                owner.queue.remove(timer(n, key, namespace));
                expected.remove("timer " + n + " " + id);
                break;
        }
    }

    private static String concatenate(String a, String b) {
        return a.substring(0, a.length() - 1) + ", " + b.substring(1);
    }

    private void move() throws Exception {
        int keyGroup = random.nextInt(KEY_GROUPS);
        int subGroup = random.nextInt(SUB_GROUPS);
        Member donor = owner(keyGroup, subGroup);
        Member receiver = members.get(random.nextInt(members.size()));
        if (donor == receiver) {
            return;
        }
        UnitSchema schema = schema(donor.backend.units(), receiver.backend.units());
        UnitCompression compression = donor.compressions[random.nextInt(donor.compressions.length)];
        byte[] unit = extract(donor.backend.units(), keyGroup, subGroup, compression);
        install(receiver.backend.units(), keyGroup, subGroup, unit, schema);
        owners.put(keyGroup * SUB_GROUPS + subGroup, receiver);
    }

    private Member owner(int keyGroup, int subGroup) {
        return owners.computeIfAbsent(
                keyGroup * SUB_GROUPS + subGroup, unit -> members.get(unit % members.size()));
    }

    // One checkpoint at a time, of all members at once; checked when the next one starts.

    private Map<String, String> expectedOfCheckpoint;
    private final List<Future<KeyedStateHandle>> handles = new ArrayList<>();

    private void checkpoint(ExecutorService executor) throws Exception {
        finishCheckpoint();
        expectedOfCheckpoint = new HashMap<>(expected);
        for (Member member : members) {
            RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot =
                    startSnapshot(member.backend);
            handles.add(
                    executor.submit(
                            () -> {
                                snapshot.run();
                                return snapshot.get().getJobManagerOwnedSnapshot();
                            }));
        }
    }

    private void finishCheckpoint() throws Exception {
        if (handles.isEmpty()) {
            return;
        }
        KeyedStateHandle[] written = new KeyedStateHandle[handles.size()];
        for (int i = 0; i < written.length; i++) {
            written[i] = handles.get(i).get();
        }
        handles.clear();
        assertThat(contents(Collections.singleton(stock(ALL, written))))
                .isEqualTo(expectedOfCheckpoint);
    }

    private Set<HeapKeyedStateBackend<String>> backends() {
        Set<HeapKeyedStateBackend<String>> backends = new HashSet<>();
        for (Member member : members) {
            backends.add(member.backend);
        }
        return backends;
    }

    private int size(HeapKeyedStateBackend<String> backend) {
        return backend.numKeyValueStateEntries();
    }

    private long entries() {
        return expected.keySet().stream().filter(id -> !id.startsWith("timer")).count();
    }

    /** Everything that the backends hold, in the form of the expectation. */
    private Map<String, String> contents(Set<HeapKeyedStateBackend<String>> backends)
            throws Exception {
        Map<String, String> contents = new HashMap<>();
        StringSerializer names = StringSerializer.INSTANCE;
        for (HeapKeyedStateBackend<String> backend : backends) {
            for (String namespace : NAMESPACES) {
                for (int i = 0; i < KEYS; i++) {
                    String key = "k" + i;
                    String id = key + " " + namespace;
                    put(
                            contents,
                            "value " + id,
                            state(backend, key, namespace, names, States.VALUE).value());
                    put(
                            contents,
                            "list " + id,
                            state(backend, key, namespace, names, States.LIST).get());
                    put(
                            contents,
                            "reducing " + id,
                            state(backend, key, namespace, names, States.REDUCING).get());
                }
            }
            for (TimerHeapInternalTimer<String, String> timer : queueOf(backend)) {
                put(
                        contents,
                        "timer "
                                + timer.getTimestamp()
                                + " "
                                + timer.getKey()
                                + " "
                                + timer.getNamespace(),
                        "");
            }
        }
        return contents;
    }

    private List<TimerHeapInternalTimer<String, String>> queueOf(
            HeapKeyedStateBackend<String> backend) throws Exception {
        KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<String, String>> queue = null;
        for (Member member : members) {
            if (member.backend == backend) {
                queue = member.queue;
            }
        }
        List<TimerHeapInternalTimer<String, String>> all = new ArrayList<>();
        (queue == null ? timers(backend, TIMERS) : queue).iterator().forEachRemaining(all::add);
        return all;
    }

    private static void put(Map<String, String> contents, String id, Object value) {
        if (value != null) {
            assertThat(contents.put(id, value.toString())).as("%s twice", id).isNull();
        }
    }

    /** One subtask. */
    private static final class Member {

        private final MecesKeyedStateBackend<String> backend = meces();
        private final KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<String, String>>
                queue = timers(backend, TIMERS);
        private final UnitCompression[] compressions =
                Stream.of(Compression.values())
                        .map(UnitCompression::new)
                        .toArray(UnitCompression[]::new);

        private Member() throws Exception {}
    }
}
