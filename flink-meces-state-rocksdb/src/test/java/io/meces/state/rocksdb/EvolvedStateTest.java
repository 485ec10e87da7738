// SPDX-License-Identifier: Apache-2.0
package io.meces.state.rocksdb;

import static io.meces.state.rocksdb.Backends.keys;
import static io.meces.state.rocksdb.Backends.schema;
import static io.meces.state.rocksdb.Backends.state;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.meces.core.store.DeferredData;
import io.meces.core.store.DeferredKey;
import io.meces.core.store.FetchedKeys;
import io.meces.state.Compression;
import io.meces.state.UnitCompression;
import io.meces.state.UnitSchema;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.util.StateMigrationException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** State whose serializer has changed since the checkpoint, and rows of others beside it. */
@Timeout(60)
class EvolvedStateTest {

    private static final int KEYS = 20;

    @TempDir Path directory;

    private Backends backends;
    private KeyedStateHandle files;

    @BeforeEach
    void create() throws Exception {
        backends = new Backends(directory);
        MecesRocksDBKeyedStateBackend<String> first = backends.ours(ElasticMock.of(3, 4, 5));
        for (int keyGroup : new int[] {3, 4, 5}) {
            long value = 0;
            for (String key : keys(keyGroup, KEYS)) {
                first.setCurrentKey(key);
                of(first, 1).update(value++);
            }
        }
        files = RocksDBUnitStoreTest.narrowed(Backends.checkpoint(first, 1));
    }

    @AfterEach
    void close() throws Exception {
        backends.close();
    }

    private static ValueState<Long> of(MecesRocksDBKeyedStateBackend<String> backend, int version)
            throws Exception {
        return state(
                backend, "a", new ValueStateDescriptor<>("evolved", Evolved.ofVersion(version)));
    }

    private static void check(MecesRocksDBKeyedStateBackend<String> backend, int keyGroup)
            throws Exception {
        long value = 0;
        for (String key : keys(keyGroup, KEYS)) {
            backend.setCurrentKey(key);
            assertThat(of(backend, 2).value()).isEqualTo(value++);
        }
    }

    private static byte[] unit(MecesRocksDBKeyedStateBackend<String> backend, int keyGroup)
            throws Exception {
        DataOutputSerializer out = new DataOutputSerializer(64);
        backend.units().extract(keyGroup, 0, out, new UnitCompression(Compression.NONE));
        return out.getCopyOfBuffer();
    }

    private static void install(
            MecesRocksDBKeyedStateBackend<String> backend,
            int keyGroup,
            byte[] unit,
            UnitSchema schema)
            throws Exception {
        backend.units()
                .install(
                        keyGroup,
                        0,
                        new DataInputDeserializer(unit),
                        schema,
                        backend.units().direct());
    }

    /** Else a row that is deleted could be written again. */
    @Test
    void whatBelongsElsewhereIsGoneBeforeAllRowsAreWrittenAnew() throws Exception {
        try (HeldDeletions deletions = new HeldDeletions()) {
            MecesRocksDBKeyedStateBackend<String> restored =
                    backends.ours(ElasticMock.of(3), files);
            assertThat(restored.units().isClearing()).isTrue();
            deletions.openWhenThisThreadWaits();
            check(restored, 3);
            assertThat(restored.units().isClearing()).isFalse();
            assertThat(restored.numKeyValueStateEntries()).isEqualTo(KEYS);
        }
    }

    /** The end of a task does not wait for deletions of others, which may take minutes. */
    @Test
    void aTaskEndsWhileItsDeletionsWaitForThoseOfOthers() throws Exception {
        try (HeldDeletions deletions = new HeldDeletions()) {
            MecesRocksDBKeyedStateBackend<String> restored =
                    backends.ours(ElasticMock.of(3), files);
            assertThat(deletions.waiting()).isPositive();
            // nothing can interrupt the end of a task that waits for a lease
            CompletableFuture<Void> disposed = CompletableFuture.runAsync(restored::dispose);
            assertThat(disposed).succeedsWithin(Duration.ofSeconds(30));
        }
    }

    @Test
    void nothingIsWrittenAnewWhileRowsComeAsTheyAre() throws Exception {
        MecesRocksDBKeyedStateBackend<String> restored = backends.ours(ElasticMock.of(3), files);
        RocksDBUnitStore<?> units = (RocksDBUnitStore<?>) restored.units();
        DeferredData rescale = units.defer(new Mailbox(), units.direct());
        restored.setCurrentKey(keys(3, 1).get(0));
        assertThatThrownBy(() -> of(restored, 2))
                .isInstanceOf(StateMigrationException.class)
                .hasMessageContaining("'evolved'")
                .hasMessageContaining("being rescaled");
        rescale.close();
        check(restored, 3);
    }

    /** Data comes apart from its units, as in most jobs. */
    @Test
    void deferredRowsMoveAsTheyWereRestored() throws Exception {
        MecesRocksDBKeyedStateBackend<String> donor = backends.ours(ElasticMock.of(3, 4), files);
        MecesRocksDBKeyedStateBackend<String> receiver = backends.ours(ElasticMock.of(5), files);
        RocksDBUnitStore<?> from = (RocksDBUnitStore<?>) donor.units();
        RocksDBUnitStore<?> to = (RocksDBUnitStore<?>) receiver.units();
        Mailbox thread = new Mailbox();
        DeferredData atDonor = from.defer(thread, from.direct());
        DeferredData atReceiver = to.defer(thread, to.direct());
        UnitSchema schema = schema(from, to);
        install(receiver, 3, unit(donor, 3), schema);

        FetchedKeys fetched = new FetchedKeys();
        DeferredKey key = to.keyOf(keys(3, 1).get(0));
        List<byte[]> rows = new ArrayList<>();
        atDonor.fetch(3, key, rows::add);
        assertThat(fetched.add(key)).isTrue();
        atReceiver.installKey(3, key, ByteBuffer.wrap(rows.get(0)));
        CountDownLatch more = new CountDownLatch(1);
        DeferredData.Stream stream = atDonor.stream(3, 1 << 20, more::countDown);
        assertThat(more.await(20, TimeUnit.SECONDS)).isTrue();
        byte[] chunk = stream.poll();
        boolean[] installed = {false};
        atReceiver.installChunks(
                3,
                Collections.singletonList(ByteBuffer.wrap(chunk)),
                fetched,
                () -> installed[0] = true);
        while (!installed[0]) {
            thread.runNext();
        }
        stream.close();
        boolean[] dropped = {false};
        atDonor.drop(3, () -> dropped[0] = true);
        while (!dropped[0]) {
            thread.runNext();
        }
        atDonor.close();
        atReceiver.close();
        check(receiver, 3);
        check(receiver, 5);
        check(donor, 4);
    }

    @Test
    void whatNobodyHasRegisteredYetMovesAsItWasRestored() throws Exception {
        MecesRocksDBKeyedStateBackend<String> donor = backends.ours(ElasticMock.of(3, 4), files);
        MecesRocksDBKeyedStateBackend<String> receiver = backends.ours(ElasticMock.of(5), files);
        UnitSchema schema = schema(donor.units(), receiver.units());
        install(receiver, 3, unit(donor, 3), schema);
        check(receiver, 3);
        check(receiver, 5);
        check(donor, 4);
    }

    @Test
    void aReceiverThatHasNoneOfTheStateTakesItAsItWasRestored() throws Exception {
        MecesRocksDBKeyedStateBackend<String> donor = backends.ours(ElasticMock.of(3, 4), files);
        MecesRocksDBKeyedStateBackend<String> receiver = backends.ours(ElasticMock.of(0));
        UnitSchema schema = schema(donor.units(), receiver.units());
        install(receiver, 3, unit(donor, 3), schema);
        check(receiver, 3);
    }

    @Test
    void rowsAsTheyWereRestoredDoNotComeToThoseThatAreWrittenAnew() throws Exception {
        MecesRocksDBKeyedStateBackend<String> donor = backends.ours(ElasticMock.of(3, 4), files);
        MecesRocksDBKeyedStateBackend<String> receiver = backends.ours(ElasticMock.of(5), files);
        UnitSchema before = schema(donor.units(), receiver.units());
        check(receiver, 5);
        assertThatThrownBy(() -> schema(donor.units(), receiver.units()))
                .isInstanceOf(StateMigrationException.class)
                .hasMessageContaining("'evolved'");
        // also if it was asked before
        byte[] unit = unit(donor, 3);
        assertThatThrownBy(() -> install(receiver, 3, unit, before))
                .hasMessageContaining("'evolved'");
    }
}
