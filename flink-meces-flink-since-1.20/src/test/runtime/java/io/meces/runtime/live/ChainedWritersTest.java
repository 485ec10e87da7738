// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.api.RescaleDetails;
import io.meces.api.RescaleRequest;
import io.meces.api.RescaleState;
import io.meces.flink.runtime.Savepoints;
import io.meces.flink.runtime.SinkOfWriters;
import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.MecesOptions;
import io.meces.runtime.testing.MecesMiniCluster;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.annotation.Nullable;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.api.connector.sink2.Committer;
import org.apache.flink.api.connector.sink2.CommitterInitContext;
import org.apache.flink.api.connector.sink2.CommittingSinkWriter;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.StatefulSinkWriter;
import org.apache.flink.api.connector.sink2.SupportsCommitter;
import org.apache.flink.api.connector.sink2.SupportsWriterState;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.api.java.tuple.Tuple5;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What sinks of the API V2 in the chain write while a job is rescaled at random. */
@Tag("full")
@Timeout(300)
class ChainedWritersTest {

    private static final int RESCALES = 20;

    private final long seed = Long.getLong("rescale.seed", System.nanoTime());
    private final Ledger ledger = new Ledger();
    private final Outside outside = new Outside(ledger);
    private MecesMiniCluster cluster;

    @AfterEach
    void stop() throws Exception {
        outside.mayWrite.countDown();
        cluster.close();
    }

    private JobID submit(
            Sink<Tuple5<Integer, Integer, Long, Long, Integer>> sink, long checkpointInterval)
            throws Exception {
        StreamExecutionEnvironment env = Jobs.environment(checkpointInterval);
        Jobs.source(env, ledger, 1_000, Long.MAX_VALUE)
                .keyBy(r -> r.f0)
                .process(new Jobs.Counter(ledger.name))
                .returns(Jobs.RESULT)
                .name("count")
                .uid("count")
                .sinkTo(sink)
                .name("sink")
                .uid("sink");
        JobID job = cluster.submit(TestGraphs.of(env, "written"));
        Ledger.awaitOrFail("it runs", () -> Clusters.knowsToRun(cluster, job, 0));
        return job;
    }

    private void rescaleAtRandom(JobID job) throws Exception {
        Random random = new Random(seed);
        for (int i = 0; i < RESCALES; i++) {
            rescale(job, 1 + random.nextInt(6), 1 + random.nextInt(64));
            ledger.awaitResults(random.nextInt(3_000));
        }
    }

    private void rescale(JobID job, int parallelism, int batchSize) throws Exception {
        RescaleDetails status =
                cluster.rescale(
                                job,
                                RescaleRequest.of(
                                                RescaleRequest.Target.byName("count", parallelism))
                                        .withBatchSize(batchSize))
                        .get(60, TimeUnit.SECONDS);
        assertThat(status.failure()).as("-Drescale.seed=%s", seed).isNull();
    }

    /** Each result is outside once, in the order per key, as of the job never rescaled. */
    private void assertExact() throws Exception {
        Ledger.Verdict verdict = ledger.settle();
        outside.read();
        assertThat(ledger.verdict().violations).as("-Drescale.seed=%s", seed).isEmpty();
        assertThat(verdict.duplicated).isZero();
        assertThat(verdict.distinct).isEqualTo(verdict.emitted);
    }

    @Test
    void aWriterThatBuffersWritesResultsOfAKeyInOrder() throws Exception {
        cluster = Clusters.start(2, 4, new Configuration());
        JobID job = submit(new Buffering(ledger.name), 300);
        rescaleAtRandom(job);
        assertExact();
    }

    @Test
    void whatASubtaskThatLeavesHasWrittenIsCommitted() throws Exception {
        Configuration configuration = new Configuration();
        configuration.set(MecesOptions.UNKNOWN_SINKS, MecesOptions.UnknownSinks.ACCEPT);
        cluster = Clusters.start(2, 4, configuration);
        JobID job = submit(new Committing(ledger.name), 300);
        rescaleAtRandom(job);
        rescale(job, 4, 128);
        rescale(job, 1, 128);
        Set<String> writers = outside.writers();
        Clusters.awaitCheckpointOfNow(cluster, job);
        ledger.failOnce = true;
        Ledger.awaitOrFail(
                "the restart",
                () ->
                        Clusters.restarts(cluster, job) == 1
                                && cluster.status(job).get() == JobStatus.RUNNING);
        ledger.awaitResults(2_000);
        assertExact();
        assertThat(outside.restored()).as("writers whose state is restored").isEqualTo(writers);
    }

    @Test
    void aSavepointDoesNotHoldASubtaskUpThatLeaves(@TempDir Path savepoints) throws Exception {
        Configuration configuration = new Configuration();
        configuration.set(MecesOptions.STEP_TIMEOUT, Duration.ofMinutes(10));
        cluster = Clusters.start(2, 4, configuration);
        JobID job = submit(new Buffering(ledger.name), 3_600_000);
        outside.mayWrite = new CountDownLatch(1);
        CompletableFuture<RescaleDetails> scaledIn =
                cluster.rescale(
                        job,
                        RescaleRequest.of(RescaleRequest.Target.byName("count", 1))
                                .withBatchSize(128));
        Ledger.awaitOrFail(
                "a step",
                () ->
                        cluster.rescales(job).get().stream()
                                .anyMatch(r -> r.state() == RescaleState.MIGRATING));
        CompletableFuture<String> savepoint =
                Savepoints.take(cluster.flink(), job, savepoints.toUri().toString(), false);
        Ledger.awaitOrFail("the savepoint waits", () -> inProgress(job) == 1);
        outside.mayWrite.countDown();
        assertThat(savepoint.get(60, TimeUnit.SECONDS)).isNotNull();
        assertThat(scaledIn.get(60, TimeUnit.SECONDS).failure()).isNull();
        outside.writesAtOnce = true;
        ledger.awaitResults(2_000);
        assertExact();
    }

    private int inProgress(JobID job) throws Exception {
        return cluster.flink()
                .getExecutionGraph(job)
                .get()
                .getCheckpointStatsSnapshot()
                .getCounts()
                .getNumberOfInProgressCheckpoints();
    }

    /**
     * What is written to: a log, of which readers get what is committed, in the order of writing.
     * Any thread.
     */
    private static final class Outside {
        private static final Map<String, Outside> ALL = new ConcurrentHashMap<>();

        private final Ledger ledger;
        private final List<Written> log = new ArrayList<>();
        private final Set<String> committed = new HashSet<>();
        private final Set<String> writers = new HashSet<>();
        private final Set<String> restored = new HashSet<>();
        private volatile CountDownLatch mayWrite = new CountDownLatch(0);
        private volatile boolean writesAtOnce;

        Outside(Ledger ledger) {
            this.ledger = ledger;
            ALL.put(ledger.name, this);
        }

        static Outside named(String name) {
            return ALL.get(name);
        }

        synchronized void write(
                @Nullable String transaction,
                List<Tuple5<Integer, Integer, Long, Long, Integer>> results) {
            for (Tuple5<Integer, Integer, Long, Long, Integer> result : results) {
                log.add(new Written(transaction, result));
                if (transaction == null) {
                    book(result);
                }
            }
        }

        /** A restart commits again what it cannot know to be committed. */
        synchronized void commit(String transaction) {
            if (committed.add(transaction)) {
                log.stream()
                        .filter(written -> transaction.equals(written.transaction))
                        .forEach(written -> book(written.result));
            }
        }

        private void book(Tuple5<Integer, Integer, Long, Long, Integer> r) {
            ledger.result(r.f1, r.f0, r.f2, r.f3, r.f4);
        }

        synchronized void begin(String writer, Collection<String> before) {
            writers.add(writer);
            restored.addAll(before);
        }

        synchronized Set<String> writers() {
            return new HashSet<>(writers);
        }

        synchronized Set<String> restored() {
            return new HashSet<>(restored);
        }

        /** Reads all, and tells the ledger what is not as of a job that is never rescaled. */
        synchronized void read() {
            Map<Long, Long> last = new HashMap<>();
            for (Written written : log) {
                if (written.transaction != null && !committed.contains(written.transaction)) {
                    continue;
                }
                Tuple5<Integer, Integer, Long, Long, Integer> r = written.result;
                Long before = last.put((long) r.f1 << 32 | r.f0, r.f2);
                if (r.f2 != (before == null ? 0 : before + 1)
                        || r.f3 != Ledger.expectedState(r.f2)) {
                    ledger.violation(r + " is read after number " + before);
                }
            }
        }
    }

    private static final class Written {
        @Nullable private final String transaction;
        private final Tuple5<Integer, Integer, Long, Long, Integer> result;

        Written(
                @Nullable String transaction,
                Tuple5<Integer, Integer, Long, Long, Integer> result) {
            this.transaction = transaction;
            this.result = result;
        }
    }

    /** Its writer holds results back until it is flushed. */
    private static final class Buffering
            implements SinkOfWriters<Tuple5<Integer, Integer, Long, Long, Integer>> {
        private static final long serialVersionUID = 1L;
        private final String ledger;

        Buffering(String ledger) {
            this.ledger = ledger;
        }

        @Override
        public SinkWriter<Tuple5<Integer, Integer, Long, Long, Integer>> writer() {
            return new BufferingWriter(Outside.named(ledger));
        }
    }

    private static class BufferingWriter
            implements SinkWriter<Tuple5<Integer, Integer, Long, Long, Integer>> {
        final Outside outside;
        private final List<Tuple5<Integer, Integer, Long, Long, Integer>> buffer =
                new ArrayList<>();

        BufferingWriter(Outside outside) {
            this.outside = outside;
        }

        @Nullable
        String transaction() {
            return null;
        }

        @Override
        public void write(Tuple5<Integer, Integer, Long, Long, Integer> result, Context context)
                throws InterruptedException {
            buffer.add(result);
            if (outside.writesAtOnce) {
                flush(false);
            }
        }

        @Override
        public void flush(boolean endOfInput) throws InterruptedException {
            outside.mayWrite.await();
            outside.write(transaction(), buffer);
            buffer.clear();
        }

        @Override
        public void close() {}
    }

    /** Its writer writes in transactions, as well, and its state is the names of writers. */
    private static final class Committing
            implements SinkOfWriters<Tuple5<Integer, Integer, Long, Long, Integer>>,
                    SupportsWriterState<Tuple5<Integer, Integer, Long, Long, Integer>, String>,
                    SupportsCommitter<String> {
        private static final long serialVersionUID = 1L;
        private final String ledger;

        Committing(String ledger) {
            this.ledger = ledger;
        }

        @Override
        public SinkWriter<Tuple5<Integer, Integer, Long, Long, Integer>> writer() {
            return new CommittingWriter(Outside.named(ledger), Collections.emptyList());
        }

        @Override
        public StatefulSinkWriter<Tuple5<Integer, Integer, Long, Long, Integer>, String>
                restoreWriter(WriterInitContext context, Collection<String> before) {
            return new CommittingWriter(Outside.named(ledger), before);
        }

        @Override
        public SimpleVersionedSerializer<String> getWriterStateSerializer() {
            return new Names();
        }

        @Override
        public Committer<String> createCommitter(CommitterInitContext context) {
            return new Commits(Outside.named(ledger));
        }

        @Override
        public SimpleVersionedSerializer<String> getCommittableSerializer() {
            return new Names();
        }
    }

    private static final class CommittingWriter extends BufferingWriter
            implements StatefulSinkWriter<Tuple5<Integer, Integer, Long, Long, Integer>, String>,
                    CommittingSinkWriter<Tuple5<Integer, Integer, Long, Long, Integer>, String> {
        private final List<String> names;
        private String transaction = UUID.randomUUID().toString();

        CommittingWriter(Outside outside, Collection<String> before) {
            super(outside);
            names = new ArrayList<>(before);
            names.add(UUID.randomUUID().toString());
            outside.begin(names.get(names.size() - 1), before);
        }

        @Override
        String transaction() {
            return transaction;
        }

        @Override
        public Collection<String> prepareCommit() {
            String prepared = transaction;
            transaction = UUID.randomUUID().toString();
            return Collections.singletonList(prepared);
        }

        @Override
        public List<String> snapshotState(long checkpointId) {
            return names;
        }
    }

    private static final class Commits implements Committer<String> {
        private final Outside outside;

        Commits(Outside outside) {
            this.outside = outside;
        }

        @Override
        public void commit(Collection<CommitRequest<String>> requests) {
            requests.forEach(request -> outside.commit(request.getCommittable()));
        }

        @Override
        public void close() {}
    }

    private static final class Names implements SimpleVersionedSerializer<String> {
        @Override
        public int getVersion() {
            return 1;
        }

        @Override
        public byte[] serialize(String name) {
            return name.getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public String deserialize(int version, byte[] serialized) {
            return new String(serialized, StandardCharsets.UTF_8);
        }
    }
}
