// SPDX-License-Identifier: Apache-2.0
package io.meces.state;

import static io.meces.state.Backends.KEY_GROUPS;
import static io.meces.state.Backends.TIMERS;
import static io.meces.state.Backends.finish;
import static io.meces.state.Backends.install;
import static io.meces.state.Backends.keyGroup;
import static io.meces.state.Backends.meces;
import static io.meces.state.Backends.schema;
import static io.meces.state.Backends.startSnapshot;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.RunnableFuture;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.StateEntry;
import org.apache.flink.runtime.state.internal.InternalKvState;
import org.apache.flink.runtime.state.internal.InternalKvState.StateIncrementalVisitor;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;
import org.apache.flink.streaming.api.operators.TimerHeapInternalTimer;
import org.apache.flink.streaming.api.operators.TimerSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Two backends compared with plain maps: any number of sub-groups, keys with equal and extreme hash
 * codes, keys with very many namespaces.
 */
class UnitModelTest {

    private static final Logger LOG = LoggerFactory.getLogger(UnitModelTest.class);
    private static final int STEPS = 15_000;
    private static final ListStateDescriptor<String> LIST =
            new ListStateDescriptor<>("list", StringSerializer.INSTANCE);

    private final long seed = Long.getLong("meces.test.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final List<MecesKeyedStateBackend<HashedKey>> backends = new ArrayList<>();
    private final List<KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<HashedKey, String>>>
            queues = new ArrayList<>();

    /** The others are at the backend with the number of their key-group, modulo 2. */
    private final Set<Integer> moved = new HashSet<>();

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 16, 1000, 32768})
    void entriesAreThoseOfAPlainMapAndSnapshotsThoseOfTheirTime(int subGroups) throws Exception {
        LOG.info("Seed: -Dmeces.test.seed={}", seed);
        start(subGroups);
        List<Map<String, String>> models = Arrays.asList(new HashMap<>(), new HashMap<>());
        List<RunnableFuture<SnapshotResult<KeyedStateHandle>>> running = new ArrayList<>();
        List<Map<String, String>> expected = new ArrayList<>();
        for (int step = 0; step < STEPS; step++) {
            HashedKey key = HashedKey.any(random);
            int owner = owner(key, subGroups);
            int action = random.nextInt(1000);
            if (action < 985) {
                change(key, backends.get(owner), models.get(owner));
            } else if (action < 995) {
                move(key, subGroups, models);
            } else if (running.size() < 3) {
                // The first of them is the last that is released, and the other way round.
                running.add(startSnapshot(backends.get(owner)));
                expected.add(new HashMap<>(models.get(owner)));
            } else {
                int last = random.nextInt(running.size());
                KeyedStateHandle handle = finish(running.remove(last));
                MecesKeyedStateBackend<HashedKey> restored =
                        meces(
                                subGroups == 1 ? 7 : 1,
                                HashedKey.serializer(),
                                TtlTimeProvider.DEFAULT,
                                handle);
                assertThat(contents(restored)).as("seed %d", seed).isEqualTo(expected.remove(last));
            }
        }
        for (int i = 0; i < 2; i++) {
            assertThat(contents(backends.get(i))).as("seed %d", seed).isEqualTo(models.get(i));
            assertThat(backends.get(i).numKeyValueStateEntries()).isEqualTo(models.get(i).size());
            int entries = 0;
            for (int keyGroup = 0; keyGroup < KEY_GROUPS; keyGroup++) {
                for (int subGroup = 0; subGroup < subGroups; subGroup++) {
                    int count = backends.get(i).units().entries(keyGroup, subGroup);
                    assertThat(backends.get(i).units().isEmpty(keyGroup, subGroup))
                            .isEqualTo(count == 0);
                    entries += count;
                }
            }
            assertThat(entries).as("seed %d", seed).isEqualTo(models.get(i).size());
            assertThat(visited(backends.get(i)))
                    .as("seed %d", seed)
                    .containsAll(models.get(i).keySet());
        }
    }

    private void start(int subGroups) throws Exception {
        for (int i = 0; i < 2; i++) {
            MecesKeyedStateBackend<HashedKey> backend =
                    meces(subGroups, HashedKey.serializer(), TtlTimeProvider.DEFAULT);
            list(backend, new HashedKey(1, 1), "n");
            queues.add(
                    backend.create(
                            TIMERS,
                            new TimerSerializer<>(
                                    HashedKey.serializer(), StringSerializer.INSTANCE)));
            backends.add(backend);
        }
    }

    private int owner(HashedKey key, int subGroups) {
        int unit = keyGroup(key) * subGroups + SubGroups.of(key, subGroups);
        return (keyGroup(key) + (moved.contains(unit) ? 1 : 0)) % 2;
    }

    private void change(
            HashedKey key, MecesKeyedStateBackend<HashedKey> backend, Map<String, String> model)
            throws Exception {
        String namespace = "n" + random.nextInt(random.nextInt(10) == 0 ? 100 : 2);
        ListState<String> list = list(backend, key, namespace);
        String id = key + " " + namespace;
        String value = "v" + random.nextInt(1000);
        switch (random.nextInt(5)) {
            case 0:
                list.clear();
                model.remove(id);
                break;
            case 1:
                list.update(new ArrayList<>(Arrays.asList(value)));
                model.put(id, "[" + value + "]");
                break;
            case 2:
                list.add(value);
                model.merge(
                        id,
                        "[" + value + "]",
                        (a, b) -> a.substring(0, a.length() - 1) + ", " + b.substring(1));
                break;
            case 3:
                list.addAll(Arrays.asList(value, "w"));
                model.merge(
                        id,
                        "[" + value + ", w]",
                        (a, b) -> a.substring(0, a.length() - 1) + ", " + b.substring(1));
                break;
            default:
                assertThat(String.valueOf(list.get()))
                        .as("seed %d", seed)
                        .isEqualTo(String.valueOf(model.get(id)));
        }
    }

    private void move(HashedKey key, int subGroups, List<Map<String, String>> models)
            throws Exception {
        int donor = owner(key, subGroups);
        int keyGroup = keyGroup(key);
        int subGroup = SubGroups.of(key, subGroups);
        transfer(keyGroup, subGroup, donor);
        Integer unit = keyGroup * subGroups + subGroup;
        if (!moved.remove(unit)) {
            moved.add(unit);
        }
        Predicate<String> inUnit =
                id -> {
                    String[] parts = id.substring(0, id.indexOf(' ')).split("#");
                    HashedKey other =
                            new HashedKey(Integer.parseInt(parts[0]), Integer.parseInt(parts[1]));
                    return keyGroup(other) == keyGroup
                            && SubGroups.of(other, subGroups) == subGroup;
                };
        Map<String, String> from = models.get(donor);
        Map<String, String> gone =
                from.entrySet().stream()
                        .filter(entry -> inUnit.test(entry.getKey()))
                        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
        from.keySet().removeAll(gone.keySet());
        models.get(1 - donor).putAll(gone);
    }

    private void transfer(int keyGroup, int subGroup, int donor) throws Exception {
        HeapUnitStore<HashedKey> from = backends.get(donor).units();
        HeapUnitStore<HashedKey> to = backends.get(1 - donor).units();
        UnitSchema schema = schema(from, to);
        install(to, keyGroup, subGroup, Backends.extract(from, keyGroup, subGroup), schema);
        assertThat(from.isEmpty(keyGroup, subGroup)).isTrue();
    }

    private static ListState<String> list(
            MecesKeyedStateBackend<HashedKey> backend, HashedKey key, String namespace)
            throws Exception {
        return Backends.state(backend, key, namespace, StringSerializer.INSTANCE, LIST);
    }

    private static Map<String, String> contents(MecesKeyedStateBackend<HashedKey> backend)
            throws Exception {
        Map<String, String> contents = new HashMap<>();
        backend.<String>getKeysAndNamespaces("list")
                .collect(Collectors.toList())
                .forEach(
                        entry -> {
                            try {
                                Object old =
                                        contents.put(
                                                entry.f0 + " " + entry.f1,
                                                String.valueOf(
                                                        list(
                                                                        backend,
                                                                        (HashedKey) entry.f0,
                                                                        entry.f1)
                                                                .get()));
                                assertThat(old).as("entry twice").isNull();
                            } catch (Exception e) {
                                throw new AssertionError(e);
                            }
                        });
        return contents;
    }

    /** What a visitor finds that is there all the time, while other entries come and go. */
    private Set<String> visited(MecesKeyedStateBackend<HashedKey> backend) throws Exception {
        StateIncrementalVisitor<HashedKey, String, ?> visitor =
                visitor(list(backend, new HashedKey(1, 1), "n"));
        Set<String> visited = new HashSet<>();
        for (int i = 0; visitor.hasNext(); i++) {
            Collection<? extends StateEntry<HashedKey, String, ?>> entries = visitor.nextEntries();
            for (StateEntry<HashedKey, String, ?> entry : entries) {
                visited.add(entry.getKey() + " " + entry.getNamespace());
            }
            HashedKey key = new HashedKey(random.nextInt(), i);
            list(backend, key, "other").add("x");
            if (random.nextBoolean()) {
                list(backend, key, "other").clear();
            }
        }
        return visited;
    }

    @SuppressWarnings("unchecked")
    private static StateIncrementalVisitor<HashedKey, String, ?> visitor(ListState<String> list) {
        return ((InternalKvState<HashedKey, String, ?>) list).getStateIncrementalVisitor(3);
    }

    // ------------------------------------------------------------------------
    //  timers
    // ------------------------------------------------------------------------

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 16, 1000, 32768})
    void timersAreThoseOfAPlainSet(int subGroups) throws Exception {
        LOG.info("Seed: -Dmeces.test.seed={}", seed);
        start(subGroups);
        List<Set<TimerHeapInternalTimer<HashedKey, String>>> models =
                Arrays.asList(new HashSet<>(), new HashSet<>());
        for (int step = 0; step < STEPS; step++) {
            HashedKey key = HashedKey.any(random);
            int owner = owner(key, subGroups);
            Set<TimerHeapInternalTimer<HashedKey, String>> model = models.get(owner);
            KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<HashedKey, String>> queue =
                    queues.get(owner);
            TimerHeapInternalTimer<HashedKey, String> timer =
                    new TimerHeapInternalTimer<>(random.nextInt(50), key, "n");
            int action = random.nextInt(1000);
            if (action < 600) {
                queue.add(timer);
                model.add(timer);
            } else if (action < 850) {
                queue.remove(timer);
                model.remove(timer);
            } else if (action < 985) {
                TimerHeapInternalTimer<HashedKey, String> first = queue.poll();
                if (first == null) {
                    assertThat(model).isEmpty();
                } else {
                    assertThat(first.getTimestamp())
                            .isEqualTo(
                                    model.stream()
                                            .mapToLong(t -> t.getTimestamp())
                                            .min()
                                            .orElse(-1));
                    assertThat(model.remove(first)).isTrue();
                }
            } else {
                int keyGroup = keyGroup(key);
                int subGroup = SubGroups.of(key, subGroups);
                transfer(keyGroup, subGroup, owner);
                Integer unit = keyGroup * subGroups + subGroup;
                if (!moved.remove(unit)) {
                    moved.add(unit);
                }
                Set<TimerHeapInternalTimer<HashedKey, String>> gone =
                        model.stream()
                                .filter(
                                        t ->
                                                keyGroup(t.getKey()) == keyGroup
                                                        && SubGroups.of(t.getKey(), subGroups)
                                                                == subGroup)
                                .collect(Collectors.toSet());
                model.removeAll(gone);
                models.get(1 - owner).addAll(gone);
            }
            assertThat(queue.size()).isEqualTo(model.size());
        }
        for (int i = 0; i < 2; i++) {
            Set<TimerHeapInternalTimer<HashedKey, String>> found = new HashSet<>();
            KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<HashedKey, String>> queue =
                    queues.get(i);
            for (int keyGroup = 0; keyGroup < KEY_GROUPS; keyGroup++) {
                Set<TimerHeapInternalTimer<HashedKey, String>> part =
                        queue.getSubsetForKeyGroup(keyGroup);
                assertThat(new ArrayList<>(part)).hasSameSizeAs(part);
                found.addAll(part);
            }
            assertThat(found).as("seed %d", seed).isEqualTo(models.get(i));
            while (!queue.isEmpty()) {
                assertThat(models.get(i).remove(queue.poll())).isTrue();
            }
            assertThat(models.get(i)).isEmpty();
        }
    }

    // ------------------------------------------------------------------------
    //  cost
    // ------------------------------------------------------------------------

    @Test
    void extractionDoesNotLookAtOtherUnits() throws Exception {
        start(16);
        HashedKey first = new HashedKey(1, 1);
        int keyGroup = keyGroup(first);
        int subGroup = SubGroups.of(first, 16);
        KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<HashedKey, String>> queue =
                queues.get(0);
        for (int i = 0; i < 20_000; i++) {
            HashedKey key = new HashedKey(random.nextInt(), i);
            if (keyGroup(key) == keyGroup && SubGroups.of(key, 16) != subGroup) {
                list(backends.get(0), key, "n").add("v");
                queue.add(new TimerHeapInternalTimer<>(i, key, "n"));
            }
        }
        for (int i = 0; i < 10; i++) {
            HashedKey key = new HashedKey(1, i);
            list(backends.get(0), key, "n").add("v");
            queue.add(new TimerHeapInternalTimer<>(i, key, "n"));
        }
        HeapUnitStore<HashedKey> units = backends.get(0).units();

        HashedKey.uses = 0;
        assertThat(units.isEmpty(keyGroup, subGroup)).isFalse();
        assertThat(units.entries(keyGroup, subGroup)).isEqualTo(20);
        Backends.extract(units, keyGroup, subGroup);

        // Removing a timer hashes and compares a few times; the key-group has 2,300 others.
        assertThat(HashedKey.uses).isLessThan(10 * 30);
        assertThat(units.isEmpty(keyGroup, subGroup)).isTrue();
    }

    @Test
    void aKeyWithVeryManyNamespacesIsFoundQuickly() throws Exception {
        start(1000);
        HashedKey key = new HashedKey(1, 1);
        for (int i = 0; i < 5_000; i++) {
            list(backends.get(0), key, "n" + i).add("v");
        }

        HashedKey.uses = 0;
        for (int i = 0; i < 5_000; i++) {
            assertThat(list(backends.get(0), key, "n" + i).get()).containsExactly("v");
        }

        // The key is set and hashed by the backend, and compared with that of the entry.
        assertThat(HashedKey.uses).isLessThan(5_000 * 10);
        assertThat(backends.get(0).units().entries(keyGroup(key), SubGroups.of(key, 1000)))
                .isEqualTo(5_000);
    }

    @Test
    void anEntryIsKeptOnceHoweverOftenItsUnitMoves() throws Exception {
        start(16);
        HashedKey key = new HashedKey(5, 5);
        for (int i = 0; i < 200; i++) {
            list(backends.get(0), key, "n" + i).add("v" + i);
        }
        for (int i = 0; i < 6; i++) {
            transfer(keyGroup(key), SubGroups.of(key, 16), i % 2);
            assertThat(backends.get(i % 2).numKeyValueStateEntries()).isZero();
            assertThat(backends.get(1 - i % 2).numKeyValueStateEntries()).isEqualTo(200);
        }
        assertThat(list(backends.get(0), key, "n7").get()).containsExactly("v7");
    }
}
