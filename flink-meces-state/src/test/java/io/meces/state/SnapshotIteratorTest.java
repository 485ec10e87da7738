// SPDX-License-Identifier: Apache-2.0
package io.meces.state;

import static io.meces.state.Backends.ALL;
import static io.meces.state.Backends.KEY_GROUPS;
import static io.meces.state.Backends.keyGroup;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.runtime.state.RegisteredKeyValueStateBackendMetaInfo;
import org.apache.flink.runtime.state.StateSnapshotTransformer;
import org.apache.flink.runtime.state.StateSnapshotTransformer.StateSnapshotTransformFactory;
import org.junit.jupiter.api.Test;

/** What a canonical savepoint is written from. */
class SnapshotIteratorTest {

    private static final int KEYS = 100;

    private final UnitKeyContext<String> context = new UnitKeyContext<>(ALL, KEY_GROUPS, 3, null);

    @Test
    void givesTheEntriesOfTheTimeOfTheSnapshot() {
        UnitStateTable<String, String, Long> table =
                table(StateSnapshotTransformFactory.noTransform());
        fill(table, 0);
        UnitStateTableSnapshot<String, String, Long> snapshot = table.stateSnapshot();
        fill(table, 1_000);

        assertThat(entries(snapshot)).hasSize(KEYS).containsEntry("k7", 7L);
    }

    @Test
    void leavesOutWhatTheTransformerDrops() {
        UnitStateTable<String, String, Long> table = table(new Doubled());
        fill(table, 0);

        assertThat(entries(table.stateSnapshot()))
                .hasSize(KEYS / 2)
                .doesNotContainKey("k7")
                .containsEntry("k8", 16L);
    }

    @Test
    void endsWithTheSnapshot() {
        UnitStateTable<String, String, Long> table =
                table(StateSnapshotTransformFactory.noTransform());
        UnitStateTableSnapshot<String, String, Long> snapshot = table.stateSnapshot();
        snapshot.release();

        assertThatThrownBy(() -> snapshot.getIterator(0))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("released");
    }

    private UnitStateTable<String, String, Long> table(
            StateSnapshotTransformFactory<Long> transform) {
        return new UnitStateTable<>(
                context,
                new RegisteredKeyValueStateBackendMetaInfo<>(
                        StateDescriptor.Type.VALUE,
                        "state",
                        StringSerializer.INSTANCE,
                        LongSerializer.INSTANCE,
                        transform),
                StringSerializer.INSTANCE);
    }

    private void fill(UnitStateTable<String, String, Long> table, long base) {
        for (int i = 0; i < KEYS; i++) {
            context.setCurrentKey("k" + i);
            context.setCurrentKeyGroupIndex(keyGroup("k" + i));
            table.put("n", base + i);
        }
    }

    private static Map<String, Long> entries(
            UnitStateTableSnapshot<String, String, Long> snapshot) {
        Map<String, Long> entries = new TreeMap<>();
        for (int keyGroup : ALL) {
            snapshot.getIterator(keyGroup)
                    .forEachRemaining(
                            entry -> {
                                assertThat(keyGroup(entry.getKey())).isEqualTo(keyGroup);
                                assertThat(entry.getNamespace()).isEqualTo("n");
                                entries.put(entry.getKey(), entry.getState());
                            });
        }
        return entries;
    }

    /** Doubles what is even and drops the rest. */
    private static final class Doubled implements StateSnapshotTransformFactory<Long> {

        @Override
        public Optional<StateSnapshotTransformer<Long>> createForDeserializedState() {
            return Optional.of(value -> value % 2 == 0 ? 2 * value : null);
        }

        @Override
        public Optional<StateSnapshotTransformer<byte[]>> createForSerializedState() {
            return Optional.empty();
        }
    }
}
