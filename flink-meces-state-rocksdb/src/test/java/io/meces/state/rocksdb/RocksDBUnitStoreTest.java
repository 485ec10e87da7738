// SPDX-License-Identifier: Apache-2.0
package io.meces.state.rocksdb;

import static io.meces.state.rocksdb.Backends.KEY_GROUPS;
import static io.meces.state.rocksdb.Backends.LIST;
import static io.meces.state.rocksdb.Backends.MAP;
import static io.meces.state.rocksdb.Backends.VALUE;
import static io.meces.state.rocksdb.Backends.fill;
import static io.meces.state.rocksdb.Backends.keyGroup;
import static io.meces.state.rocksdb.Backends.keys;
import static io.meces.state.rocksdb.Backends.move;
import static io.meces.state.rocksdb.Backends.read;
import static io.meces.state.rocksdb.Backends.schema;
import static io.meces.state.rocksdb.Backends.state;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.meces.flink.runtime.CheckpointParts;
import io.meces.state.Compression;
import io.meces.state.UnitCompression;
import io.meces.state.UnitSchema;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.util.StateMigrationException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RocksDBUnitStoreTest {

    private static final int KEYS = 20;

    @TempDir Path directory;

    private Backends backends;
    private MecesRocksDBKeyedStateBackend<String> donor;
    private MecesRocksDBKeyedStateBackend<String> receiver;

    @BeforeEach
    void create() throws Exception {
        backends = new Backends(directory);
        donor = backends.ours(ElasticMock.of(3, 4, 5, 9));
        receiver = backends.ours(ElasticMock.of(0, 1));
        for (int keyGroup : new int[] {3, 4, 5, 9}) {
            for (String key : keys(keyGroup, KEYS)) {
                fill(donor, key, 1);
            }
        }
    }

    @AfterEach
    void close() throws Exception {
        backends.close();
    }

    @ParameterizedTest
    @EnumSource(Compression.class)
    void movesAKeyGroupForthAndBack(Compression compression) throws Exception {
        Map<String, String> before = new HashMap<>();
        for (String key : keys(4, KEYS)) {
            before.put(key, read(donor, key));
        }
        move(donor.units(), receiver.units(), 4, compression);
        for (String key : keys(4, KEYS)) {
            assertThat(read(receiver, key)).isEqualTo(before.get(key));
            fill(receiver, key, 7);
            before.put(key, read(receiver, key));
        }
        move(receiver.units(), donor.units(), 4, compression);
        for (String key : keys(4, KEYS)) {
            assertThat(read(donor, key)).isEqualTo(before.get(key));
        }
        for (String key : keys(3, KEYS)) {
            assertThat(read(donor, key)).contains("+1").doesNotContain("+7");
        }
    }

    /** RocksDB may put together what is added now and what is below a range that was deleted. */
    @Test
    void whatWasClearedElsewhereDoesNotComeBackWithWhatIsAdded() throws Exception {
        String key = keys(4, 1).get(0);
        move(donor.units(), receiver.units(), 4, Compression.NONE);
        move(receiver.units(), donor.units(), 4, Compression.NONE);
        donor.setCurrentKey(key);
        state(donor, "a", LIST).clear();
        move(donor.units(), receiver.units(), 4, Compression.NONE);
        receiver.setCurrentKey(key);
        state(receiver, "a", LIST).add("new");
        // writes it to a file
        Backends.checkpoint(receiver, 1);
        receiver.setCurrentKey(key);
        assertThat(state(receiver, "a", LIST).get()).containsExactly("new");
    }

    @Test
    void aKeyThatIsNotHereIsRefused() throws Exception {
        String key = keys(4, 1).get(0);
        donor.setCurrentKey(key);
        assertThat(state(donor, "a", VALUE).value()).isEqualTo(1);
        move(donor.units(), receiver.units(), 4, Compression.NONE);
        // also for whoever had it set before
        assertThatThrownBy(() -> state(donor, "a", VALUE).value())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("key-group 4");
        int entries = receiver.numKeyValueStateEntries();
        receiver.setCurrentKey(keys(5, 1).get(0));
        assertRefused(() -> state(receiver, "a", VALUE).value());
        assertRefused(() -> state(receiver, "a", VALUE).update(1L));
        assertRefused(() -> state(receiver, "a", VALUE).clear());
        assertRefused(() -> state(receiver, "a", LIST).get());
        assertRefused(() -> state(receiver, "a", LIST).add("x"));
        assertRefused(() -> state(receiver, "a", LIST).update(Arrays.asList("x", "y")));
        assertRefused(() -> state(receiver, "a", MAP).get("x"));
        assertRefused(() -> state(receiver, "a", MAP).isEmpty());
        assertRefused(() -> state(receiver, "a", MAP).put("x", 1L));
        assertRefused(() -> state(receiver, "a", MAP).remove("x"));
        // clear() of a map is not asked: Flink 1.12 only logs what fails in it
        assertThat(receiver.numKeyValueStateEntries()).isEqualTo(entries);
    }

    /** By whatever it is wrapped in, if at all: that differs between kinds of states. */
    private static void assertRefused(ThrowingCallable access) {
        assertThatThrownBy(access)
                .hasStackTraceContaining(
                        IllegalStateException.class.getName()
                                + ": State or a timer is used for a key in key-group 5,");
    }

    @Test
    void whatHasLeftIsSeenNowhere() throws Exception {
        move(donor.units(), receiver.units(), 4, Compression.NONE);
        move(donor.units(), receiver.units(), 9, Compression.NONE);
        assertThat(keyGroupsOf(donor)).containsExactly(3, 5);
        assertThat(keyGroupsOf(receiver)).containsExactly(4, 9);
        // 1 value, 1 list and 2 map entries, in two namespaces
        assertThat(donor.numKeyValueStateEntries()).isEqualTo(2 * KEYS * 8);
    }

    @Test
    void aKeyThatAFunctionIsAppliedToIsLeftThen() throws Exception {
        assertThat(donor.keyContext().hasKey()).as("a key").isTrue();
        donor.keyContext().leaveKey();
        AtomicInteger applied = new AtomicInteger();
        donor.applyToAllKeys(
                "a",
                StringSerializer.INSTANCE,
                VALUE,
                (key, state) -> {
                    assertThat(donor.keyContext().hasKey()).as("a key").isTrue();
                    applied.incrementAndGet();
                });
        assertThat(applied.get()).isPositive();
        assertThat(donor.keyContext().hasKey()).as("a key").isFalse();
    }

    private static List<Integer> keyGroupsOf(MecesRocksDBKeyedStateBackend<String> backend) {
        try (Stream<String> keys = backend.getKeys(VALUE.getName(), "a")) {
            return keys.map(Backends::keyGroup).distinct().sorted().collect(Collectors.toList());
        }
    }

    /** Incremental checkpoints before and behind, restored by Flink and, narrowed, by ours. */
    @Test
    void checkpointsHaveWhatIsHere() throws Exception {
        Backends.checkpoint(donor, 1);
        move(donor.units(), receiver.units(), 4, Compression.NONE);
        KeyedStateHandle ofDonor = Backends.checkpoint(donor, 2);
        KeyedStateHandle ofReceiver = Backends.checkpoint(receiver, 2);
        assertThat(ofReceiver.getKeyGroupRange().getNumberOfKeyGroups()).isEqualTo(KEY_GROUPS);

        AbstractKeyedStateBackend<String> stock = backends.stock(ofReceiver);
        for (String key : keys(4, KEYS)) {
            assertThat(read(stock, key)).isEqualTo(read(receiver, key));
        }
        assertThat(stock.numKeyValueStateEntries()).isEqualTo(KEYS * 8);
        assertThat(donor.numKeyValueStateEntries()).isEqualTo(3 * KEYS * 8);
        assertThat(ofDonor).isNotNull();
    }

    /** The task goes on while helpers delete what has come with the files and belongs elsewhere. */
    @Test
    void aRestoredStateIsUsedBeforeWhatBelongsElsewhereIsDeleted() throws Exception {
        KeyedStateHandle files = narrowed(Backends.checkpoint(donor, 1));
        String key = keys(3, 1).get(0);
        String before = read(donor, key);
        try (HeldDeletions deletions = new HeldDeletions()) {
            MecesRocksDBKeyedStateBackend<String> restored =
                    backends.ours(ElasticMock.of(3, 5), files);
            assertThat(read(restored, key)).isEqualTo(before);
            assertThat(keyGroupsOf(restored)).containsExactly(3, 5);
            assertThat(restored.units().isClearing()).isTrue();
            deletions.open();
            assertThat(restored.numKeyValueStateEntries()).isEqualTo(2 * KEYS * 8);
            assertThat(restored.units().isClearing()).isFalse();
        }
    }

    /** As one that several subtasks get. */
    static KeyedStateHandle narrowed(KeyedStateHandle handle) {
        IncrementalRemoteKeyedStateHandle files = (IncrementalRemoteKeyedStateHandle) handle;
        return new IncrementalRemoteKeyedStateHandle(
                files.getBackendIdentifier(),
                KeyGroupRange.of(0, KEY_GROUPS - 2),
                files.getCheckpointId(),
                files.getSharedState(),
                files.getPrivateState(),
                CheckpointParts.description(files));
    }

    @Test
    void aSerializerThatWritesOtherwiseIsRefused() throws Exception {
        state(receiver, "a", new ValueStateDescriptor<>("other", IntSerializer.INSTANCE));
        receiver.setCurrentKey(keys(0, 1).get(0));
        state(receiver, "a", new ValueStateDescriptor<>(VALUE.getName(), IntSerializer.INSTANCE));
        assertThatThrownBy(() -> schema(donor.units(), receiver.units()))
                .isInstanceOf(StateMigrationException.class)
                .hasMessageContaining("state 'value'");
    }

    @Test
    void anotherKeySerializerIsRefused() throws Exception {
        MecesRocksDBKeyedStateBackend<Integer> ofIntegers =
                backends.ours(IntSerializer.INSTANCE, ElasticMock.of(0));
        assertThatThrownBy(() -> schema(donor.units(), ofIntegers.units()))
                .isInstanceOf(StateMigrationException.class)
                .hasMessageContaining("key");
    }

    @Test
    void nothingOfAUnitIsTakenIfItIsCutOffOrAnother() throws Exception {
        UnitSchema schema = schema(donor.units(), receiver.units());
        DataOutputSerializer out = new DataOutputSerializer(64);
        donor.units().extract(4, 0, out, new UnitCompression(Compression.NONE));
        byte[] unit = out.getCopyOfBuffer();
        for (int length = 1; length < unit.length; length += 97) {
            byte[] part = Arrays.copyOf(unit, length);
            assertThatThrownBy(() -> install(part, 4, schema)).isInstanceOf(IOException.class);
        }
        assertThatThrownBy(() -> install(unit, 6, schema)).isInstanceOf(IOException.class);
        assertThat(receiver.numKeyValueStateEntries()).isZero();
        install(unit, 4, schema);
        assertThat(receiver.numKeyValueStateEntries()).isEqualTo(KEYS * 8);
        assertThatThrownBy(() -> install(unit, 4, schema))
                .isInstanceOf(IllegalStateException.class);
    }

    private void install(byte[] unit, int keyGroup, UnitSchema schema) throws IOException {
        receiver.units()
                .install(
                        keyGroup,
                        0,
                        new DataInputDeserializer(unit),
                        schema,
                        receiver.units().direct());
    }

    @Test
    void tellsAboutHowManyEntriesAKeyGroupHas() {
        assertThat(donor.units().entries(4)).isPositive();
        assertThat(donor.units().entries(0)).isZero();
        assertThat(keyGroup(keys(4, 1).get(0))).isEqualTo(4);
    }
}
