// SPDX-License-Identifier: Apache-2.0
package io.meces.state;

import static io.meces.state.Backends.ALL;
import static io.meces.state.Backends.KEY_GROUPS;
import static io.meces.state.Backends.TIMERS;
import static io.meces.state.Backends.extract;
import static io.meces.state.Backends.finish;
import static io.meces.state.Backends.keyGroup;
import static io.meces.state.Backends.meces;
import static io.meces.state.Backends.move;
import static io.meces.state.Backends.neighbour;
import static io.meces.state.Backends.sibling;
import static io.meces.state.Backends.snapshot;
import static io.meces.state.Backends.startSnapshot;
import static io.meces.state.Backends.state;
import static io.meces.state.Backends.stock;
import static io.meces.state.Backends.subGroup;
import static io.meces.state.Backends.timer;
import static io.meces.state.Backends.timers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.RunnableFuture;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.state.BackendBuildingException;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.heap.HeapKeyedStateBackend;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;
import org.apache.flink.streaming.api.operators.TimerHeapInternalTimer;
import org.junit.jupiter.api.Test;

class SnapshotTest {

    private static final int KEYS = 300;

    @Test
    void isReadByFlinksHeapBackend() throws Exception {
        MecesKeyedStateBackend<String> backend = meces();
        fill(backend);

        HeapKeyedStateBackend<String> restored = stock(ALL, snapshot(backend));

        assertFilled(restored, ALL);
    }

    @Test
    void isReadByFlinksHeapBackendInParts() throws Exception {
        MecesKeyedStateBackend<String> backend = meces();
        fill(backend);
        KeyedStateHandle handle = snapshot(backend);

        for (KeyGroupRange part :
                new KeyGroupRange[] {
                    KeyGroupRange.of(0, 2), KeyGroupRange.of(3, 3), KeyGroupRange.of(4, 7)
                }) {
            assertFilled(stock(part, handle.getIntersection(part)), part);
        }
    }

    @Test
    void ofFlinksHeapBackendIsRestored() throws Exception {
        HeapKeyedStateBackend<String> backend = stock(ALL);
        fill(backend);

        MecesKeyedStateBackend<String> restored = meces(snapshot(backend));

        assertFilled(restored, ALL);
    }

    @Test
    void ofSeveralPartsOfFlinksHeapBackendIsRestored() throws Exception {
        HeapKeyedStateBackend<String> low = stock(KeyGroupRange.of(0, 3));
        HeapKeyedStateBackend<String> high = stock(KeyGroupRange.of(4, 7));
        fill(low);
        fill(high);

        assertFilled(meces(snapshot(low), snapshot(high)), ALL);
    }

    @Test
    void hasTheSizeOfFlinksSnapshot() throws Exception {
        MecesKeyedStateBackend<String> backend = meces();
        HeapKeyedStateBackend<String> stock = stock(ALL);
        fill(backend);
        fill(stock);

        assertThat(snapshot(backend).getStateSize()).isEqualTo(snapshot(stock).getStateSize());
    }

    @Test
    void isRestoredWithAnotherNumberOfSubGroups() throws Exception {
        MecesKeyedStateBackend<String> backend = meces();
        fill(backend);
        KeyedStateHandle handle = snapshot(backend);

        for (int subGroups : new int[] {1, 3, 500}) {
            assertFilled(
                    meces(subGroups, StringSerializer.INSTANCE, TtlTimeProvider.DEFAULT, handle),
                    ALL);
        }
    }

    @Test
    void twoSubtasksThatDeclareAllKeyGroupsAreRestoredTogether() throws Exception {
        MecesKeyedStateBackend<String> first = meces();
        MecesKeyedStateBackend<String> second = meces();
        fill(first);
        second.units().readSchema(schemaOf(first));
        for (int i = 0; i < KEYS; i++) {
            String key = "k" + i;
            if (keyGroup(key) % 3 == 0 && !first.units().isEmpty(keyGroup(key), subGroup(key))) {
                move(first.units(), second.units(), key);
            }
        }
        assertThat(first.numKeyValueStateEntries()).isPositive();
        assertThat(second.numKeyValueStateEntries()).isPositive();

        KeyedStateHandle[] handles = {snapshot(first), snapshot(second)};

        assertThat(handles[0].getKeyGroupRange()).isEqualTo(ALL);
        assertThat(handles[1].getKeyGroupRange()).isEqualTo(ALL);
        assertFilled(meces(handles), ALL);
        assertFilled(stock(ALL, handles), ALL);
    }

    @Test
    void aUnitThatIsTakenOutMeanwhileIsStillInTheSnapshot() throws Exception {
        MecesKeyedStateBackend<String> backend = meces();
        fill(backend);
        RunnableFuture<SnapshotResult<KeyedStateHandle>> running = startSnapshot(backend);
        for (int keyGroup = 0; keyGroup < KEY_GROUPS; keyGroup++) {
            for (int subGroup = 0; subGroup < Backends.SUB_GROUPS; subGroup++) {
                extract(backend.units(), keyGroup, subGroup);
            }
        }
        assertThat(backend.numKeyValueStateEntries()).isZero();

        KeyedStateHandle handle = finish(running);

        assertFilled(meces(handle), ALL);
        assertFilled(stock(ALL, handle), ALL);
    }

    @Test
    void aUnitThatIsTakenOutAndChangedElsewhereMeanwhileIsUnchangedInTheSnapshot()
            throws Exception {
        MecesKeyedStateBackend<String> backend = meces();
        MecesKeyedStateBackend<String> other = meces();
        fill(backend);
        RunnableFuture<SnapshotResult<KeyedStateHandle>> running = startSnapshot(backend);
        States.fill(backend, "k1", "n", 77);
        move(backend.units(), other.units(), "k1");
        States.fill(other, "k1", "n", 78);
        move(other.units(), backend.units(), "k1");
        States.fill(backend, "k1", "n", 79);

        KeyedStateHandle handle = finish(running);

        assertFilled(stock(ALL, handle), ALL);
        assertThat(States.read(backend, "k1", "n"))
                .isEqualTo(
                        "79 [l1, m1, l77, m77, l78, m78, l79, m79]"
                                + " {k1=1, k77=77, k78=78, k79=79} 235 max 79");
    }

    @Test
    void aUnitThatIsPutInMeanwhileIsNotInTheSnapshot() throws Exception {
        MecesKeyedStateBackend<String> donor = meces();
        MecesKeyedStateBackend<String> receiver = meces();
        States.fill(donor, "a", "n", 1);
        States.fill(receiver, neighbour("a"), "n", 2);
        RunnableFuture<SnapshotResult<KeyedStateHandle>> running = startSnapshot(receiver);
        move(donor.units(), receiver.units(), "a");

        HeapKeyedStateBackend<String> restored = stock(ALL, finish(running));

        assertThat(States.keys(restored, "n")).containsExactly(neighbour("a"));
        assertThat(States.keys(stock(ALL, snapshot(receiver)), "n"))
                .containsExactlyInAnyOrder("a", neighbour("a"));
    }

    @Test
    void changesDuringASnapshotAreNotInIt() throws Exception {
        MecesKeyedStateBackend<String> backend = meces();
        fill(backend);
        RunnableFuture<SnapshotResult<KeyedStateHandle>> running = startSnapshot(backend);
        for (int i = 0; i < KEYS; i += 2) {
            States.fill(backend, "k" + i, "n", 1000);
            States.fill(backend, "new" + i, "n", 1000);
            backend.setCurrentKey("k" + (i + 1));
            state(backend, "k" + (i + 1), "n", StringSerializer.INSTANCE, States.VALUE).clear();
        }

        assertFilled(stock(ALL, finish(running)), ALL);
    }

    @Test
    void aDiscardedSnapshotLeavesTheBackendUsable() throws Exception {
        MecesKeyedStateBackend<String> backend = meces();
        fill(backend);
        startSnapshot(backend).cancel(true);
        States.fill(backend, "a", "other", 1);

        assertFilled(stock(ALL, snapshot(backend)), ALL);
    }

    @Test
    void anIncompatibleSerializerAfterRestoreIsRefusedAsByFlink() throws Exception {
        MecesKeyedStateBackend<String> backend = meces();
        fill(backend);
        MecesKeyedStateBackend<String> restored = meces(snapshot(backend));
        ValueStateDescriptor<String> other =
                new ValueStateDescriptor<>("value", StringSerializer.INSTANCE);

        assertThatThrownBy(() -> state(restored, "a", "n", StringSerializer.INSTANCE, other))
                .hasMessageContaining("incompatible");
    }

    @Test
    void anIncompatibleKeySerializerIsRefusedOnRestore() throws Exception {
        MecesKeyedStateBackend<String> backend = meces();
        fill(backend);
        KeyedStateHandle handle = snapshot(backend);

        assertThatThrownBy(() -> meces(LongSerializer.INSTANCE, TtlTimeProvider.DEFAULT, handle))
                .isInstanceOf(BackendBuildingException.class)
                .hasMessageContaining("op");
    }

    @Test
    void restoredUnitsCanBeMovedBeforeTheOperatorRegistersTheirStates() throws Exception {
        MecesKeyedStateBackend<String> backend = meces();
        fill(backend);
        MecesKeyedStateBackend<String> restored = meces(snapshot(backend));
        MecesKeyedStateBackend<String> other = meces();
        int before = restored.units().entries(keyGroup("k1"), subGroup("k1"));

        move(restored.units(), other.units(), "k1");

        assertThat(before).isPositive();
        assertThat(other.units().entries(keyGroup("k1"), subGroup("k1"))).isEqualTo(before);
        assertThat(States.read(other, "k1", "n")).isEqualTo(States.filled(1));
    }

    @Test
    void getKeysAndApplyToAllKeysSeeAllSubGroups() throws Exception {
        MecesKeyedStateBackend<String> backend = meces();
        String[] keys = {"a", sibling("a"), neighbour("a"), "b"};
        for (String key : keys) {
            state(backend, key, "n", StringSerializer.INSTANCE, States.VALUE).update(1L);
        }
        state(backend, "z", "other", StringSerializer.INSTANCE, States.VALUE).update(1L);

        Map<String, Long> seen = new TreeMap<>();
        backend.applyToAllKeys(
                "n",
                StringSerializer.INSTANCE,
                States.VALUE,
                (key, state) -> {
                    assertThat(backend.keyContext().hasKey()).isTrue();
                    seen.put(key, state.value());
                    state.clear();
                });

        assertThat(seen.keySet()).containsExactlyInAnyOrder(keys);
        assertThat(backend.keyContext().hasKey()).as("is the last key processed?").isFalse();
        assertThat(backend.getKeys("value", "n")).isEmpty();
        assertThat(backend.getKeys("value", "other")).containsExactly("z");
        assertThat(backend.getKeysAndNamespaces("value").map(Object::toString))
                .containsExactly("(z,other)");
        assertThat(backend.numKeyValueStateEntries("other")).isEqualTo(1);
    }

    private static DataInputView schemaOf(MecesKeyedStateBackend<String> backend) throws Exception {
        DataOutputSerializer out = new DataOutputSerializer(64);
        backend.units().writeSchema(out);
        return new DataInputDeserializer(out.getCopyOfBuffer());
    }

    /** All keys of the backend's range: all kinds of state and a timer. */
    private static void fill(HeapKeyedStateBackend<String> backend) throws Exception {
        KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<String, String>> queue =
                timers(backend, TIMERS);
        for (int i = 0; i < KEYS; i++) {
            if (backend.getKeyGroupRange().contains(keyGroup("k" + i))) {
                States.fill(backend, "k" + i, "n", i);
                queue.add(timer(i, "k" + i, "n"));
            }
        }
    }

    private static void assertFilled(HeapKeyedStateBackend<String> backend, KeyGroupRange range)
            throws Exception {
        int keys = 0;
        KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<String, String>> queue =
                timers(backend, TIMERS);
        for (int i = 0; i < KEYS; i++) {
            if (range.contains(keyGroup("k" + i))) {
                keys++;
                assertThat(States.read(backend, "k" + i, "n")).isEqualTo(States.filled(i));
                assertThat(queue.poll()).isEqualTo(timer(i, "k" + i, "n"));
            }
        }
        assertThat(queue.isEmpty()).isTrue();
        assertThat(States.keys(backend, "n")).hasSize(keys);
        assertThat(keys).isPositive();
    }
}
