// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.api.RescaleDetails;
import io.meces.api.RescaleRequest;
import io.meces.api.RescaleState;
import io.meces.api.RescaleStatus;
import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.MecesOptions;
import io.meces.runtime.testing.MecesMiniCluster;
import io.meces.state.rocksdb.SmallDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.contrib.streaming.state.RocksDBOptionsFactory;
import org.apache.flink.contrib.streaming.state.RocksDBStateBackend;
import org.apache.flink.runtime.executiongraph.ErrorInfo;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.DBOptions;

/**
 * Disks that are full or gone, and tasks that die, while data is on its way: the job says what has
 * failed, recovers from its last checkpoint, and is exact.
 */
@Tag("full")
@Timeout(300)
class RocksDBFaultsTest {

    private static final int KEYS = 1_000;
    private static final int CANCELLATIONS = 20;

    @TempDir static Path directory;

    private static MecesMiniCluster cluster;

    private final Ledger ledger = new Ledger();
    private final AtomicInteger failing = LargeCounter.failing(ledger.name);
    private JobID job;

    @BeforeAll
    static void start() throws Exception {
        Configuration configuration = new Configuration();
        configuration.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.parse("128m"));
        // a disk may be full for a few of them
        configuration.set(MecesOptions.ATTEMPTS, 100);
        cluster = Clusters.start(2, 4, configuration);
    }

    /** RocksDB can wait for room on a full disk without an end. */
    @AfterAll
    @Timeout(120)
    static void stop() throws Exception {
        cluster.close();
    }

    @AfterEach
    void cancel() throws Exception {
        if (job != null) {
            cluster.cancel(job).get(30, TimeUnit.SECONDS);
            job = null;
        }
    }

    /**
     * @param databases where RocksDB keeps its files
     * @param payload bytes per key, written once
     */
    private void submit(Path databases, int payload) throws Exception {
        ledger.rate = 2_000;
        start(databases, payload, KEYS);
        ledger.awaitResults(3 * KEYS);
        Clusters.awaitCheckpointOfNow(cluster, job);
    }

    private void start(Path databases, int payload, int keys) throws Exception {
        StreamExecutionEnvironment env = Jobs.environment(1_000);
        TestGraphs.restart(env, Integer.MAX_VALUE, 200);
        RocksDBStateBackend backend =
                new RocksDBStateBackend(directory.resolve("checkpoints").toUri(), true);
        backend.setDbStoragePath(databases.toString());
        // what is written is soon on the disk
        backend.setRocksDBOptions(new SmallMemtables());
        TestGraphs.setStateBackend(env, backend);
        Jobs.source(env, ledger, keys, Long.MAX_VALUE)
                .keyBy(r -> r.f0, Types.INT)
                .process(new LargeCounter(ledger.name, payload))
                .returns(Jobs.RESULT)
                .name("count")
                .uid("count")
                .rebalance()
                .addSink(new Jobs.Books(ledger.name))
                .name("books")
                .uid("books");
        job = cluster.submit(TestGraphs.of(env, "large"));
    }

    /** All in one step. */
    private CompletableFuture<RescaleDetails> rescale(int parallelism) {
        return cluster.rescale(
                job,
                RescaleRequest.of(RescaleRequest.Target.byName("count", parallelism))
                        .withBatchSize(Jobs.MAX_PARALLELISM));
    }

    /** Waits until data is on its way. */
    private void awaitTransfer() throws Exception {
        Ledger.awaitOrFail(
                "data that is on its way",
                () -> {
                    List<RescaleDetails> all = cluster.rescales(job).get();
                    return !all.isEmpty() && all.get(0).state() == RescaleState.TRANSFERRING;
                });
    }

    private String awaitFailure() throws Exception {
        Ledger.awaitOrFail("a failure", () -> failure() != null);
        return failure().getExceptionAsString();
    }

    private ErrorInfo failure() throws Exception {
        return cluster.flink().getExecutionGraph(job).get().getFailureInfo();
    }

    private void expectExactResults() throws Exception {
        Clusters.awaitRecovery(cluster, job, ledger, ledger.results.get());
        Ledger.Verdict verdict = ledger.settle();
        assertThat(verdict.violations).isEmpty();
        assertThat(verdict.distinct).isEqualTo(verdict.emitted);
    }

    private void expectTheRescaleToGoOn(CompletableFuture<RescaleDetails> rescale)
            throws Exception {
        RescaleDetails status = rescale.get(120, TimeUnit.SECONDS);
        assertThat(status.failure()).isNull();
        assertThat(status.status()).isEqualTo(RescaleStatus.FINISHED);
        assertThat(status.attempt()).isGreaterThan(1);
    }

    /** Also where no record comes that would notice. */
    @ParameterizedTest(name = "no records meanwhile: {0}")
    @ValueSource(booleans = {false, true})
    void aDiskThatIsFullAtAReceiver(boolean idle) throws Exception {
        try (SmallDisk disk = SmallDisk.mount(directory.resolve("full-" + idle), 96)) {
            submit(disk.path(), 16 << 10);
            ledger.paused = idle;
            disk.fill(3 << 20);
            CompletableFuture<RescaleDetails> rescale = rescale(4);
            String failure = awaitFailure();
            disk.free();
            ledger.resume();

            // RocksDB says the former, a checkpoint that comes before it does the latter
            assertThat(failure)
                    .containsAnyOf(
                            "No space left on device",
                            "could not write memtables to its disk, which may be full");
            expectTheRescaleToGoOn(rescale);
            expectExactResults();
            // a database whose disk has gone below it may not be closed for good
            cancel();
        }
    }

    /** At once: what is deleted file by file gets new ones meanwhile. */
    private static void vanish(Path databases) throws IOException {
        Files.move(databases, databases.resolveSibling(databases.getFileName() + "-elsewhere"));
    }

    @Test
    void directoriesThatVanishAtRest() throws Exception {
        Path databases = directory.resolve("vanish");
        submit(databases, 1 << 10);
        vanish(databases);
        assertThat(awaitFailure()).contains("No such file or directory");
        expectExactResults();
    }

    @Test
    void directoriesThatVanishInARescale() throws Exception {
        Path databases = directory.resolve("vanish-in-rescale");
        submit(databases, 64 << 10);
        CompletableFuture<RescaleDetails> rescale = rescale(4);
        awaitTransfer();
        vanish(databases);
        assertThat(awaitFailure()).contains("No such file or directory");
        expectTheRescaleToGoOn(rescale);
        expectExactResults();
    }

    @Test
    void aDonorThatDiesWhileItStreams() throws Exception {
        submit(directory.resolve("donor"), 64 << 10);
        CompletableFuture<RescaleDetails> rescale = rescale(4);
        awaitTransfer();
        failing.set(0);
        assertThat(awaitFailure()).contains("a failure that the test asked for");
        expectTheRescaleToGoOn(rescale);
        expectExactResults();
    }

    @Test
    void aReceiverThatDiesWhileItInstalls() throws Exception {
        submit(directory.resolve("receiver"), 64 << 10);
        CompletableFuture<RescaleDetails> rescale = rescale(4);
        awaitTransfer();
        failing.set(3);
        assertThat(awaitFailure()).contains("a failure that the test asked for");
        expectTheRescaleToGoOn(rescale);
        expectExactResults();
    }

    /** Helpers read and write databases that are closed meanwhile: the process survives that. */
    @Test
    void jobsThatAreCancelledWhileDataIsOnItsWay() throws Exception {
        long seed = Long.getLong("rescale.seed", System.nanoTime());
        Random random = new Random(seed);
        Path databases = directory.resolve("cancelled");
        for (int i = 0; i < CANCELLATIONS; i++) {
            ledger.rate = 10_000;
            start(databases, 64 << 10, KEYS / 4);
            ledger.awaitResults(KEYS / 2);
            Ledger.awaitOrFail("all tasks", () -> Clusters.knowsToRun(cluster, job, 0));
            rescale(2 + random.nextInt(3) * 2 - 1);
            awaitTransfer();
            LockSupport.parkNanos(random.nextInt(60_000_000));
            cluster.cancel(job).get(30, TimeUnit.SECONDS);
            Ledger.awaitOrFail(
                    "the end of all databases (-Drescale.seed=" + seed + ")",
                    () -> cluster.status(job).get() == JobStatus.CANCELED && isEmpty(databases));
        }
        job = null;
    }

    private static boolean isEmpty(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return !files.findAny().isPresent();
        }
    }

    private static final class SmallMemtables implements RocksDBOptionsFactory {
        private static final long serialVersionUID = 1L;

        @Override
        public DBOptions createDBOptions(
                DBOptions current, Collection<AutoCloseable> handlesToClose) {
            return current;
        }

        @Override
        public ColumnFamilyOptions createColumnOptions(
                ColumnFamilyOptions current, Collection<AutoCloseable> handlesToClose) {
            return current.setWriteBufferSize(512 << 10);
        }
    }
}
