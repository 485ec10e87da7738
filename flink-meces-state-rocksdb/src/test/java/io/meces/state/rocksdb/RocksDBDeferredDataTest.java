// SPDX-License-Identifier: Apache-2.0
package io.meces.state.rocksdb;

import static io.meces.state.rocksdb.Backends.fill;
import static io.meces.state.rocksdb.Backends.keys;
import static io.meces.state.rocksdb.Backends.read;
import static io.meces.state.rocksdb.Backends.schema;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.meces.core.store.DeferredData;
import io.meces.core.store.DeferredKey;
import io.meces.core.store.FetchedKeys;
import io.meces.state.Compression;
import io.meces.state.UnitCompression;
import io.meces.state.UnitSchema;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.runtime.state.memory.MemCheckpointStreamFactory;
import org.apache.flink.streaming.api.operators.TimerHeapInternalTimer;
import org.apache.flink.streaming.api.operators.TimerSerializer;
import org.apache.flink.util.StateMigrationException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A key-group goes ahead of its data: single keys by request, the rest as a stream. */
@Timeout(60)
class RocksDBDeferredDataTest {

    private static final int KEY_GROUP = 4;
    private static final int KEYS = 300;
    private static final String POSTPONED = "disable_auto_compactions=true";
    private static final String EVENT_TIME = "_timer_state/event_timers";

    @TempDir Path directory;

    private final Mailbox thread = new Mailbox();
    private Backends backends;
    private MecesRocksDBKeyedStateBackend<String> donor;
    private MecesRocksDBKeyedStateBackend<String> receiver;
    private RocksDBUnitStore<String> from;
    private RocksDBUnitStore<String> to;
    private DeferredData atDonor;
    private DeferredData atReceiver;
    private final List<Object> awake = new ArrayList<>();
    private final TreeMap<String, String> before = new TreeMap<>();

    @BeforeEach
    @SuppressWarnings("unchecked")
    void create() throws Exception {
        backends = new Backends(directory);
        donor = backends.ours(ElasticMock.of(3, KEY_GROUP, 5));
        receiver = backends.ours(ElasticMock.of(0));
        from = (RocksDBUnitStore<String>) donor.units();
        to = (RocksDBUnitStore<String>) receiver.units();
        KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<String, String>> timers =
                donor.create(
                        EVENT_TIME,
                        new TimerSerializer<>(
                                StringSerializer.INSTANCE, StringSerializer.INSTANCE));
        for (int keyGroup : new int[] {3, KEY_GROUP, 5}) {
            for (String key : keys(keyGroup, KEYS)) {
                fill(donor, key, 1);
            }
        }
        List<String> moving = keys(KEY_GROUP, KEYS);
        for (int i = 0; i < KEYS; i++) {
            before.put(moving.get(i), read(donor, moving.get(i)));
            timers.add(new TimerHeapInternalTimer<>(i, moving.get(i), "a"));
        }
        atDonor = from.defer(thread, from.direct());
        atReceiver = to.defer(thread, (queue, timer) -> awake.add(timer));
        UnitSchema schema = schema(from, to);
        DataOutputSerializer out = new DataOutputSerializer(64);
        from.extract(KEY_GROUP, 0, out, new UnitCompression(Compression.NONE));
        to.install(
                KEY_GROUP,
                0,
                new DataInputDeserializer(out.getCopyOfBuffer()),
                schema,
                to.direct());
    }

    @AfterEach
    void close() throws Exception {
        backends.close();
    }

    private void fetch(String key, FetchedKeys fetched) throws Exception {
        DeferredKey deferred = from.keyOf(key);
        List<byte[]> answer = new ArrayList<>();
        atDonor.fetch(KEY_GROUP, deferred, answer::add);
        assertThat(fetched.add(deferred)).isTrue();
        atReceiver.installKey(KEY_GROUP, deferred, ByteBuffer.wrap(answer.get(0)));
    }

    private int stream(FetchedKeys fetched) throws Exception {
        int chunks = 0;
        LinkedBlockingQueue<Boolean> more = new LinkedBlockingQueue<>();
        DeferredData.Stream stream = atDonor.stream(KEY_GROUP, 4_000, () -> more.add(true));
        while (!stream.isAtEnd()) {
            byte[] chunk = stream.poll();
            if (chunk == null) {
                more.poll(10, TimeUnit.MILLISECONDS);
                continue;
            }
            chunks++;
            boolean[] installed = {false};
            atReceiver.installChunks(
                    KEY_GROUP,
                    Collections.singletonList(ByteBuffer.wrap(chunk)),
                    fetched,
                    () -> installed[0] = true);
            while (!installed[0]) {
                thread.runNext();
            }
        }
        stream.close();
        return chunks;
    }

    private void drop() throws Exception {
        boolean[] dropped = {false};
        atDonor.drop(KEY_GROUP, () -> dropped[0] = true);
        while (!dropped[0]) {
            thread.runNext();
        }
    }

    @Test
    void whatWasFetchedAndChangedIsNotReplacedByTheStream() throws Exception {
        FetchedKeys fetched = new FetchedKeys();
        int i = 0;
        for (String key : before.keySet()) {
            if (i++ % 3 == 0) {
                fetch(key, fetched);
                assertThat(read(receiver, key)).isEqualTo(before.get(key));
                fill(receiver, key, 7);
                if (i % 2 == 0) {
                    receiver.setCurrentKey(key);
                    Backends.state(receiver, "a", Backends.VALUE).clear();
                }
                before.put(key, read(receiver, key));
            }
        }
        String created = "a new key of no key-group that matters";
        atDonor.fetch(KEY_GROUP, from.keyOf(created), data -> assertThat(data).isEmpty());

        assertThat(stream(fetched)).isGreaterThan(10);
        drop();
        boolean[] complete = {false};
        atReceiver.complete(KEY_GROUP, fetched.all(), () -> complete[0] = true);
        assertThat(complete[0]).isTrue();
        for (String key : before.keySet()) {
            assertThat(read(receiver, key)).as(key).isEqualTo(before.get(key));
        }
        assertThat(atReceiver.hasRoom()).isTrue();
        assertThat(awake).hasSize(KEYS);
    }

    @Test
    void timersSleepUntilTheDataOfTheirKeyIsHere() throws Exception {
        List<String> keys = keys(KEY_GROUP, KEYS);
        assertThat(atReceiver.dueAt(-1, 100)).isEmpty();
        assertThat(atReceiver.dueAt(4, 3)).hasSize(3);
        assertThat(atReceiver.dueAt(4, 100))
                .extracting(DeferredData.Sleeper::key)
                .containsExactlyInAnyOrder(
                        to.keyOf(keys.get(0)),
                        to.keyOf(keys.get(1)),
                        to.keyOf(keys.get(2)),
                        to.keyOf(keys.get(3)),
                        to.keyOf(keys.get(4)));
        assertThat(atReceiver.dueNow(100)).isEmpty();
        FetchedKeys fetched = new FetchedKeys();
        fetch(keys.get(2), fetched);
        assertThat(awake).hasSize(1);
        assertThat(atReceiver.dueAt(4, 100)).hasSize(4);
        assertThat(to.firstTimer(EVENT_TIME)).isNull();
    }

    @ParameterizedTest
    @EnumSource
    void aCheckpointThatHasBeenAbortedIsDeclinedWithoutAWordOfThat(Backends.Kind kind)
            throws Exception {
        RunnableFuture<?> part =
                Backends.begin(donor, 1, kind, new MemCheckpointStreamFactory(1 << 20));
        part.run();
        assertThatThrownBy(part::get)
                .hasRootCauseInstanceOf(IllegalStateException.class)
                .hasRootCauseMessage(
                        donor
                                + " takes no part in a checkpoint that has been aborted: it still"
                                + " has data of units that have left.");
        drop();
        Backends.checkpoint(donor, 2);
    }

    @Test
    void whatIsFrozenIsInNoCheckpointAndNotSeen() throws Exception {
        assertThatThrownBy(() -> Backends.checkpoint(donor, 1))
                .isInstanceOf(ExecutionException.class)
                .hasMessageContaining("units that have left");
        try (Stream<String> all = donor.getKeys(Backends.VALUE.getName(), "a")) {
            assertThat(all.map(Backends::keyGroup).distinct()).containsExactlyInAnyOrder(3, 5);
        }
        drop();
        Backends.checkpoint(donor, 1);
        assertThat(donor.numKeyValueStateEntries()).isEqualTo(2 * KEYS * 8);
    }

    /** A checkpoint would flush it in the task thread. */
    private void fillMemtable() throws Exception {
        ValueStateDescriptor<byte[]> large = new ValueStateDescriptor<>("large", byte[].class);
        receiver.setCurrentKey(before.firstKey());
        byte[] value = new byte[1 << 20];
        for (int written = 0; written < 8 * EarlyFlush.LARGE_BYTES; written += value.length) {
            new Random(written).nextBytes(value);
            Backends.state(receiver, "n" + written, large).update(value);
        }
    }

    @Test
    void aStepSettlesWhenLargeMemtablesAreOnDisk() throws Exception {
        fillMemtable();
        boolean[] settled = {false};
        atReceiver.settle(() -> settled[0] = true);
        assertThat(settled[0]).as("while they are large").isFalse();
        while (!settled[0]) {
            thread.runNext();
        }
        assertThatItSettlesAtOnce();
    }

    @Test
    void memtablesAreFlushedAheadWhereNoStepWaits() throws Exception {
        fillMemtable();
        atReceiver.settleAhead();
        do {
            thread.runNext();
        } while (!thread.isEmpty());
        assertThatItSettlesAtOnce();
    }

    /** As nothing is large that is not on disk. */
    private void assertThatItSettlesAtOnce() throws Exception {
        boolean[] settled = {false};
        atReceiver.settle(() -> settled[0] = true);
        assertThat(settled[0]).as("when they are on disk").isTrue();
    }

    @Test
    void nothingIsFlushedAheadAfterTheEnd() throws Exception {
        fillMemtable();
        atReceiver.close();
        atReceiver.settleAhead();
        assertThat(thread.isEmpty()).isTrue();
    }

    /** A compaction would keep the disk, and the thread for flushes, from the checkpoint. */
    @Test
    void whatHasLeftIsCompactedSomeLooksAfterACheckpointAfterTheRescale() throws Exception {
        thread.runAfter(PostponedCompactions.FIRST_LOOK_NANOS);
        try (HeldCompactions compactions = new HeldCompactions()) {
            drop();
            Backends.write(donor, 1, Backends.Kind.CHECKPOINT);
            donor.notifyCheckpointComplete(1);
            atDonor.close();
            for (int i = 0; i < 10; i++) {
                thread.runAfter(PostponedCompactions.LOOK_NANOS);
            }
            donor.notifyCheckpointComplete(2);
            int looks = PostponedCompactions.turnOf(Backends.TASK, Backends.SUBTASK);
            for (int i = 1; i < looks; i++) {
                thread.runAfter(PostponedCompactions.LOOK_NANOS);
            }
            donor.notifyCheckpointComplete(3);
            assertThat(Compactions.EXECUTOR.getQueue()).isEmpty();
            thread.runAfter(PostponedCompactions.LOOK_NANOS);
            assertThat(Compactions.EXECUTOR.getQueue()).hasSize(1);
            donor.notifyCheckpointComplete(4);
            assertThat(Compactions.EXECUTOR.getQueue()).hasSize(1);
        }
    }

    @Test
    void whatHasLeftIsCompactedWithoutACheckpointAsWell() throws Exception {
        try (HeldCompactions compactions = new HeldCompactions()) {
            drop();
            atDonor.close();
            looks();
            assertThat(Compactions.EXECUTOR.getQueue()).isEmpty();
            thread.advance(PostponedCompactions.LONGEST_NANOS);
            looks();
            assertThat(Compactions.EXECUTOR.getQueue()).hasSize(1);
        }
    }

    @Test
    void filesAreWrittenBitByBit() throws Exception {
        assertThat(files("OPTIONS-"))
                .isNotEmpty()
                .allMatch(file -> content(file).contains("\n  bytes_per_sync=1048576\n"));
    }

    /** It is about to leave. */
    @Test
    void aSubtaskThatHasNothingCompactsNothing() throws Exception {
        drop();
        MecesRocksDBKeyedStateBackend<String> empty =
                backends.ours(
                        ElasticMock.of(),
                        RocksDBUnitStoreTest.narrowed(Backends.checkpoint(donor, 1)));
        try (HeldCompactions compactions = new HeldCompactions()) {
            Backends.write(empty, 2, Backends.Kind.CHECKPOINT);
            empty.notifyCheckpointComplete(2);
            assertThat(Compactions.EXECUTOR.getQueue()).isEmpty();
        }
    }

    /** Until compactions go on, if a checkpoint has been completed after the rescale. */
    private void looks() throws Exception {
        thread.runAfter(PostponedCompactions.FIRST_LOOK_NANOS);
        for (int i = 0; i < PostponedCompactions.EARLIEST_LOOK + PostponedCompactions.TURNS; i++) {
            thread.runAfter(PostponedCompactions.LOOK_NANOS);
        }
    }

    /** Those of what has left do not begin before this is closed. */
    private static final class HeldCompactions implements AutoCloseable {

        private final CountDownLatch opened = new CountDownLatch(1);

        private HeldCompactions() throws InterruptedException {
            CountDownLatch held = new CountDownLatch(1);
            Compactions.EXECUTOR.execute(
                    () -> {
                        held.countDown();
                        try {
                            opened.await(20, TimeUnit.SECONDS);
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                        }
                    });
            // behind what earlier tests have requested
            assertThat(held.await(20, TimeUnit.SECONDS)).isTrue();
        }

        @Override
        public void close() {
            opened.countDown();
        }
    }

    /** They may belong to another job, and be many. */
    @Test
    void aStepDoesNotWaitForKeyGroupsThatWereRestoredAndBelongElsewhere() throws Exception {
        try (HeldDeletions deletions = new HeldDeletions()) {
            drop();
        }
        assertThat(donor.numKeyValueStateEntries()).isEqualTo(2 * KEYS * 8);
    }

    @Test
    void checkpointsAreSyncedUntilOneHasAllThatHasMoved() throws Exception {
        assertThat(isSynced(receiver, 0, 1)).isTrue();
        receiver.notifyCheckpointComplete(1);
        atReceiver.close();
        assertThat(isSynced(receiver, 0, 2)).as("the first one after the rescale").isTrue();
        assertThat(isSynced(receiver, 0, 3)).as("that one may have been aborted").isTrue();
        receiver.notifyCheckpointComplete(3);
        assertThat(isSynced(receiver, 0, 4)).as("its turn comes later").isTrue();
        awaitOneThatIsNotSynced(receiver, 0, 4);
    }

    @Test
    void checkpointsAreSyncedUntilOneHasAllThatHasBeenCompacted() throws Exception {
        try (HeldCompactions compactions = new HeldCompactions()) {
            drop();
            atDonor.close();
            for (int id = 1; id < 5; id++) {
                assertThat(isSynced(donor, 3, id)).isTrue();
                donor.notifyCheckpointComplete(id);
                looks();
            }
        }
        awaitOneThatIsNotSynced(donor, 3, 4);
    }

    /** That is deleted and compacted as well. */
    @Test
    void checkpointsAreSyncedAfterARestoreWithMoreThanIsHere() throws Exception {
        drop();
        MecesRocksDBKeyedStateBackend<String> restored =
                backends.ours(
                        ElasticMock.of(3),
                        RocksDBUnitStoreTest.narrowed(Backends.checkpoint(donor, 1)));
        assertThat(isSynced(restored, 3, 2)).isTrue();
        try (HeldCompactions compactions = new HeldCompactions()) {
            restored.notifyCheckpointComplete(2);
            assertThat(Compactions.EXECUTOR.getQueue())
                    .as("below and above what is here")
                    .hasSize(2);
            assertThat(isSynced(restored, 3, 3)).isTrue();
        }
        awaitOneThatIsNotSynced(restored, 3, 3);
    }

    /** Later ones store that once more. */
    @Test
    void aSavepointDoesNotEndThat() throws Exception {
        atReceiver.close();
        assertThat(isSynced(receiver, 0, 1)).isTrue();
        receiver.notifyCheckpointComplete(1);
        looks();
        Backends.write(receiver, 2, Backends.Kind.SAVEPOINT);
        receiver.notifyCheckpointComplete(2);
        assertThat(isSynced(receiver, 0, 3)).isTrue();
    }

    /** RocksDB tells that a compaction is due where the job has it compact never. */
    @Test
    void checkpointsAreNotSyncedForEver() throws Exception {
        try (HeldCompactions compactions = new HeldCompactions()) {
            drop();
            atDonor.close();
            donor.notifyCheckpointComplete(1);
            looks();
            for (int id = 2; id < 2 + StoredMoves.MANY_CHECKPOINTS; id++) {
                assertThat(from.storesWhatMoved(id, false)).isTrue();
                Backends.write(donor, id, Backends.Kind.CHECKPOINT);
                donor.notifyCheckpointComplete(id);
            }
            assertThat(from.storesWhatMoved(100, false)).isFalse();
        }
    }

    /** They may be many, and compactions write more when they go on. */
    @Test
    void checkpointsDoNotCountWhileCompactionsArePostponed() throws Exception {
        endWithOneStatePostponed();
        donor.notifyCheckpointComplete(1);
        for (int id = 2; id < 2 + 2 * StoredMoves.MANY_CHECKPOINTS; id++) {
            assertThat(from.storesWhatMoved(id, false)).isTrue();
            donor.notifyCheckpointComplete(id);
        }
        awaitPostponed(0);
        awaitCompactions();
        assertThat(from.storesWhatMoved(100, false)).isTrue();
        awaitOneThatIsNotSynced(donor, 3, 100);
    }

    /**
     * @param last the last checkpoint, which is complete
     */
    private void awaitOneThatIsNotSynced(
            MecesRocksDBKeyedStateBackend<String> backend, int keyGroup, long last)
            throws Exception {
        long id = last;
        do {
            backend.notifyCheckpointComplete(id);
            looks();
            awaitCompactions();
        } while (isSynced(backend, keyGroup, ++id));
        assertThat(id - last).as("not by their number").isLessThan(StoredMoves.MANY_CHECKPOINTS);
    }

    /** Those of what has left. */
    private static void awaitCompactions() throws Exception {
        Compactions.EXECUTOR.submit(() -> {}).get(20, TimeUnit.SECONDS);
    }

    /** Whether a checkpoint is synced that has some megabytes. */
    private boolean isSynced(
            MecesRocksDBKeyedStateBackend<String> backend, int keyGroup, long checkpoint)
            throws Exception {
        addMegabytes(backend, keyGroup, 5);
        ToldStreams files = new ToldStreams();
        Backends.write(
                backend,
                checkpoint,
                Backends.Kind.CHECKPOINT,
                files.location("file", directory.toFile(), 0, 4_096));
        return !files.synced.isEmpty();
    }

    private static void addMegabytes(
            MecesRocksDBKeyedStateBackend<String> backend, int keyGroup, int count)
            throws Exception {
        Random random = new Random(count);
        for (String key : keys(keyGroup, count)) {
            backend.setCurrentKey(key);
            // so that compression does not take it away
            byte[] bytes = new byte[1 << 20];
            random.nextBytes(bytes);
            Backends.state(backend, "a", Backends.LIST)
                    .add(new String(bytes, StandardCharsets.ISO_8859_1));
        }
    }

    @Test
    void aLargeStateIsNotCompactedFromWhenOnWhatHasLeftIsDeleted() throws Exception {
        // the first looks of both; there is no other one until the end
        thread.runAfter(PostponedCompactions.FIRST_LOOK_NANOS);
        addMegabytes(donor, 3, 120);
        // when the second file has been written, the database has the first: the state is large
        while (files(".sst").filter(file -> file.toFile().length() >= 60 << 20).count() < 2) {
            TimeUnit.MILLISECONDS.sleep(5);
        }
        assertThat(files("OPTIONS-").noneMatch(RocksDBDeferredDataTest::postpones)).isTrue();
        drop();
        while (files("OPTIONS-").noneMatch(RocksDBDeferredDataTest::postpones)) {
            TimeUnit.MILLISECONDS.sleep(5);
        }
    }

    @Test
    void filesThatAreTakenOverDoNotCountAsAPace() throws Exception {
        atReceiver.close();
        atReceiver = to.defer(thread, to.direct(), to.movedRows(1, () -> 0));
        assertThat(stream(new FetchedKeys())).isGreaterThan(20);
        for (int i = 0; i < 2; i++) {
            addMegabytes(receiver, KEY_GROUP, 1 + i);
            Backends.write(receiver, i, Backends.Kind.CHECKPOINT);
        }
        thread.advance(PostponedCompactions.FIRST_LOOK_NANOS);
        awaitPostponed(1);
    }

    @Test
    void compactionsGoOnWhenACheckpointIsComplete() throws Exception {
        endWithOneStatePostponed();
        donor.notifyCheckpointComplete(1);
        awaitPostponed(0);
    }

    @Test
    void compactionsGoOnWithoutACheckpoint() throws Exception {
        endWithOneStatePostponed();
        thread.advance(PostponedCompactions.LONGEST_NANOS);
        awaitPostponed(0);
    }

    private void postponeInOneState() throws Exception {
        addMegabytes(donor, 3, 2);
        drop();
        Backends.write(donor, 1, Backends.Kind.CHECKPOINT);
        awaitPostponed(1);
    }

    private void endWithOneStatePostponed() throws Exception {
        postponeInOneState();
        atDonor.close();
        thread.runAfter(PostponedCompactions.LOOK_NANOS);
    }

    @Test
    void theNextRescaleLooksAtCompactionsInstead() throws Exception {
        drop();
        atReceiver.close();
        atDonor.close();
        atDonor = from.defer(thread, from.direct());
        assertThat(thread.runAfter(PostponedCompactions.FIRST_LOOK_NANOS))
                .as("donor, donor again and receiver")
                .isEqualTo(3);
        assertThat(thread.runAfter(PostponedCompactions.LOOK_NANOS))
                .as("donor again and receiver")
                .isEqualTo(2);
    }

    /** It would be read in native code. */
    @Test
    void nobodyLooksAtADatabaseThatIsGone() throws Exception {
        postponeInOneState();
        donor.dispose();
        receiver.dispose();
        assertThat(thread.runAfter(PostponedCompactions.LOOK_NANOS)).isEqualTo(2);
        assertThat(thread.runAfter(PostponedCompactions.LOOK_NANOS)).isZero();
    }

    /**
     * Lets looks go on until so many states are not compacted, as the newest options of all say.
     */
    private void awaitPostponed(int states) throws Exception {
        for (int found = -1; found != states; ) {
            thread.runAfter(PostponedCompactions.FIRST_LOOK_NANOS);
            thread.runAfter(PostponedCompactions.LOOK_NANOS);
            TimeUnit.MILLISECONDS.sleep(5);
            Map<Path, Path> newest = new HashMap<>();
            files("OPTIONS-")
                    .filter(file -> !file.toString().endsWith(".dbtmp"))
                    .sorted()
                    .forEach(file -> newest.put(file.getParent(), file));
            found = 0;
            for (Path options : newest.values()) {
                found += content(options).split(POSTPONED, -1).length - 1;
            }
        }
    }

    private Stream<Path> files(String name) throws IOException {
        List<Path> all = new ArrayList<>();
        Files.walkFileTree(
                directory,
                new SimpleFileVisitor<Path>() {
                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                        all.add(file);
                        return FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult visitFileFailed(Path file, IOException e) {
                        // RocksDB has deleted it
                        return FileVisitResult.CONTINUE;
                    }
                });
        return all.stream().filter(file -> file.getFileName().toString().contains(name));
    }

    private static boolean postpones(Path options) {
        return content(options).contains(POSTPONED);
    }

    private static String content(Path options) {
        try {
            return new String(Files.readAllBytes(options), StandardCharsets.UTF_8);
        } catch (NoSuchFileException e) {
            // RocksDB has replaced it
            return "";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The end of a task must not wait for a stream for good. */
    @Test
    void aTaskCanEndAmidAStream() throws Exception {
        CountDownLatch more = new CountDownLatch(1);
        DeferredData.Stream stream = atDonor.stream(KEY_GROUP, 100, more::countDown);
        assertThat(more.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(stream.poll()).isNotNull();
        donor.dispose();
        receiver.dispose();
    }

    /**
     * The end of a task must not wait for helpers that serve others, nor read or write after it.
     */
    @Test
    void aTaskEndsWhileHelpersServeOthers() throws Exception {
        List<byte[]> answer = new ArrayList<>();
        atDonor.fetch(KEY_GROUP, from.keyOf(before.firstKey()), answer::add);
        CountDownLatch others = new CountDownLatch(1);
        List<ThreadPoolExecutor> pools =
                Arrays.asList(
                        (ThreadPoolExecutor) RocksDBDeferredData.HELPERS,
                        (ThreadPoolExecutor) RocksDBDeferredData.WRITERS);
        try {
            for (ThreadPoolExecutor pool : pools) {
                for (int i = 0; i < pool.getMaximumPoolSize(); i++) {
                    pool.execute(
                            () -> {
                                try {
                                    others.await();
                                } catch (InterruptedException e) {
                                    Thread.currentThread().interrupt();
                                }
                            });
                }
            }
            DeferredData.Stream stream = atDonor.stream(KEY_GROUP, 100, () -> {});
            atReceiver.installChunks(
                    KEY_GROUP,
                    Collections.singletonList(ByteBuffer.wrap(answer.get(0))),
                    new FetchedKeys(),
                    () -> {});
            assertThat(stream.poll()).isNull();
            CompletableFuture<Void> disposed =
                    CompletableFuture.runAsync(
                            () -> {
                                donor.dispose();
                                receiver.dispose();
                            });
            assertThat(disposed).succeedsWithin(Duration.ofSeconds(30));
        } finally {
            others.countDown();
        }
        // the writer has not written
        assertThatThrownBy(thread::runNext).hasMessageContaining("key-group " + KEY_GROUP);
        for (ThreadPoolExecutor pool : pools) {
            CompletableFuture<Void> next = CompletableFuture.runAsync(() -> {}, pool);
            assertThat(next).succeedsWithin(Duration.ofSeconds(30));
        }
    }

    /** It came with the schema of a donor, and the operator asks for it with something else. */
    @Test
    void aQueueRefusesAnIncompatibleSerializer() {
        assertThatThrownBy(
                        () ->
                                receiver.create(
                                        EVENT_TIME,
                                        new TimerSerializer<>(
                                                StringSerializer.INSTANCE, IntSerializer.INSTANCE)))
                .hasRootCauseInstanceOf(StateMigrationException.class)
                .hasMessageContaining(EVENT_TIME);
    }

    @Test
    void aChunkThatIsCutOffFailsTheTask() throws Exception {
        List<byte[]> answer = new ArrayList<>();
        atDonor.fetch(KEY_GROUP, from.keyOf(before.firstKey()), answer::add);
        ByteBuffer part = ByteBuffer.wrap(answer.get(0), 0, answer.get(0).length - 1);
        atReceiver.installChunks(
                KEY_GROUP, Collections.singletonList(part), new FetchedKeys(), () -> {});
        assertThatThrownBy(thread::runNext).hasMessageContaining("key-group " + KEY_GROUP);
    }
}
