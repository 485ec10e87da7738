// SPDX-License-Identifier: Apache-2.0
package io.meces.state.rocksdb;

import static io.meces.state.rocksdb.Backends.KEY_GROUPS;
import static io.meces.state.rocksdb.Backends.keys;
import static io.meces.state.rocksdb.Backends.schema;
import static io.meces.state.rocksdb.Backends.state;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.meces.core.store.DeferredData;
import io.meces.state.Compression;
import java.nio.file.Path;
import java.time.Duration;
import java.util.BitSet;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.util.StateMigrationException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * State that has got a time to live since the checkpoint, or has lost it. Flink writes all of it
 * anew then, into another column family.
 */
@Timeout(60)
class SwitchedTtlTest {

    private static final int KEYS = 20;

    @TempDir Path directory;

    private Backends backends;

    @BeforeEach
    void create() {
        backends = new Backends(directory);
    }

    @AfterEach
    void close() throws Exception {
        backends.close();
    }

    /** Of three key-groups, which all say that they are those of each who restores them. */
    private KeyedStateHandle checkpoint(boolean ttl) throws Exception {
        MecesRocksDBKeyedStateBackend<String> first = backends.ours(ElasticMock.of(3, 4, 5));
        for (int keyGroup : new int[] {3, 4, 5}) {
            long value = 0;
            for (String key : keys(keyGroup, KEYS)) {
                first.setCurrentKey(key);
                of(first, ttl).update(value++);
            }
        }
        return RocksDBUnitStoreTest.narrowed(Backends.checkpoint(first, 1));
    }

    private static ValueState<Long> of(KeyedStateBackend<String> backend, boolean ttl)
            throws Exception {
        ValueStateDescriptor<Long> descriptor =
                new ValueStateDescriptor<>("switched", LongSerializer.INSTANCE);
        if (ttl) {
            descriptor.enableTimeToLive(StateTtlConfig.newBuilder(Duration.ofDays(1)).build());
        }
        return state(backend, "a", descriptor);
    }

    private static void check(KeyedStateBackend<String> backend, boolean ttl, int keyGroup)
            throws Exception {
        long value = 0;
        for (String key : keys(keyGroup, KEYS)) {
            backend.setCurrentKey(key);
            assertThat(of(backend, ttl).value()).isEqualTo(value++);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatBelongsElsewhereIsGoneBeforeAllRowsAreWrittenAnew(boolean on) throws Exception {
        KeyedStateHandle files = checkpoint(!on);
        try (HeldDeletions deletions = new HeldDeletions()) {
            MecesRocksDBKeyedStateBackend<String> restored =
                    backends.ours(ElasticMock.of(3), files);
            assertThat(restored.units().isClearing()).isTrue();
            deletions.openWhenThisThreadWaits();
            check(restored, on, 3);
            assertThat(restored.units().isClearing()).isFalse();
            assertThat(restored.numKeyValueStateEntries()).isEqualTo(KEYS);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void nothingIsWrittenAnewWhileRowsComeAsTheyAre(boolean on) throws Exception {
        MecesRocksDBKeyedStateBackend<String> restored =
                backends.ours(ElasticMock.of(3), checkpoint(!on));
        RocksDBUnitStore<?> units = (RocksDBUnitStore<?>) restored.units();
        DeferredData rescale = units.defer(new Mailbox(), units.direct());
        restored.setCurrentKey(keys(3, 1).get(0));
        assertThatThrownBy(() -> of(restored, on))
                .isInstanceOf(StateMigrationException.class)
                .hasMessageContaining("'switched'")
                .hasMessageContaining("being rescaled");
        rescale.close();
        check(restored, on, 3);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void movesFromTheNewColumnFamilyAndIntoIt(boolean on) throws Exception {
        KeyedStateHandle files = checkpoint(!on);
        MecesRocksDBKeyedStateBackend<String> donor = backends.ours(ElasticMock.of(3, 4), files);
        MecesRocksDBKeyedStateBackend<String> receiver = backends.ours(ElasticMock.of(5), files);
        MecesRocksDBKeyedStateBackend<String> another = backends.ours(new BitSet(KEY_GROUPS));
        check(donor, on, 3);
        check(receiver, on, 5);
        Backends.move(donor.units(), receiver.units(), 3, Compression.NONE);
        Backends.move(donor.units(), another.units(), 4, Compression.NONE);
        check(receiver, on, 3);
        check(receiver, on, 5);
        check(another, on, 4);
        check(backends.stock(Backends.checkpoint(receiver, 2)), on, 3);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void rowsAsTheyWereRestoredDoNotComeToThoseThatAreWrittenAnew(boolean on) throws Exception {
        KeyedStateHandle files = checkpoint(!on);
        MecesRocksDBKeyedStateBackend<String> donor = backends.ours(ElasticMock.of(3, 4), files);
        MecesRocksDBKeyedStateBackend<String> receiver = backends.ours(ElasticMock.of(5), files);
        check(receiver, on, 5);
        assertThatThrownBy(() -> schema(donor.units(), receiver.units()))
                .isInstanceOf(StateMigrationException.class)
                .hasMessageContaining("'switched'");
        assertThatThrownBy(() -> schema(receiver.units(), donor.units()))
                .isInstanceOf(StateMigrationException.class)
                .hasMessageContaining("'switched'");
    }
}
