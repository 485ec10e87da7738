// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.annotation.Nullable;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.checkpoint.CheckpointCoordinator;
import org.apache.flink.runtime.checkpoint.CheckpointException;
import org.apache.flink.runtime.checkpoint.CheckpointFailureManager;
import org.apache.flink.runtime.checkpoint.CheckpointFailureReason;
import org.apache.flink.runtime.checkpoint.CheckpointsCleaner;
import org.apache.flink.runtime.checkpoint.CompletedCheckpoint;
import org.apache.flink.runtime.checkpoint.PendingCheckpoint;
import org.apache.flink.runtime.checkpoint.StandaloneCheckpointIDCounter;
import org.apache.flink.runtime.checkpoint.StandaloneCompletedCheckpointStore;
import org.apache.flink.runtime.concurrent.FutureUtils;
import org.apache.flink.runtime.concurrent.ScheduledExecutorServiceAdapter;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.apache.flink.runtime.executiongraph.ExecutionVertex;
import org.apache.flink.runtime.jobgraph.tasks.CheckpointCoordinatorConfiguration;
import org.apache.flink.runtime.jobgraph.tasks.JobCheckpointingSettings;
import org.apache.flink.runtime.state.SharedStateRegistry;
import org.apache.flink.runtime.state.memory.MemoryStateBackend;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CheckpointGateTest {

    private static final long CHECKPOINT = 7;
    private static final long LATER = 8;
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final ExecutorService storage = Executors.newSingleThreadExecutor();
    private final Map<Long, PendingCheckpoint> pending = new ConcurrentHashMap<>();
    private final List<CheckpointException> aborts = new ArrayList<>();
    private final CheckpointGate gate = new CheckpointGate(null);

    /** What is to be done beside the main thread. */
    private final Queue<Runnable> beside = new ArrayDeque<>();

    private final CountDownLatch storing = new CountDownLatch(1);
    private final CountDownLatch stored = new CountDownLatch(1);
    private Coordinator coordinator;
    private int requests;

    /** Happens as soon as the coordinator has told what it has. */
    @Nullable private Runnable afterLook;

    @AfterEach
    void stop() {
        stored.countDown();
        timer.shutdownNow();
        storage.shutdownNow();
    }

    @Test
    void tellsThatTheCheckpointThatWasToPassCouldNotBePrepared() throws Exception {
        connect(
                checkpoint -> {
                    throw new IllegalArgumentException("no room");
                });
        gate.checkpoints().hold();
        CompletableFuture<?> held = trigger();
        assertThat(held).isNotDone();
        CompletableFuture<Long> passed = gate.checkpoints().letOnePass();
        assertThat(held).isCompletedExceptionally();
        assertThat(passed).hasFailedWithThrowableThat().hasMessageContaining("no room");
    }

    @Test
    void othersAreHeldBackBehindTheOneThatPasses() throws Exception {
        connect(checkpoint -> {});
        gate.checkpoints().hold();
        CompletableFuture<?> held = trigger();
        CompletableFuture<Long> passed = gate.checkpoints().letOnePass();
        assertThat(held).isCompleted();
        assertThat(passed).isNotDone();
        assertThat(trigger()).isNotDone();
    }

    @Test
    void oneThatIsHeldBackForHalfOfItsTimeIsAbortedAndDoesNotCountAsAFailure() throws Exception {
        connect(checkpoint -> {}, 200);
        gate.checkpoints().hold();
        CompletableFuture<?> held = trigger();
        assertThatThrownBy(() -> held.get(LIMIT.toMillis(), TimeUnit.MILLISECONDS))
                .cause()
                .isInstanceOfSatisfying(
                        CheckpointException.class,
                        e ->
                                assertThat(e.getCheckpointFailureReason())
                                        .isEqualTo(
                                                CheckpointFailureReason
                                                        .CHECKPOINT_COORDINATOR_SUSPEND))
                .hasMessageContaining("a rescale has held it back");
        assertThat(gate.checkpoints().isOneWaiting()).isFalse();
        gate.checkpoints().release();
        assertThat(gate.checkpoints().lastPassed()).isEqualTo(-1);
    }

    @Test
    void itIsQuietWhenTheCoordinatorIsDoneWithWhatHasPassed() throws Exception {
        connect(checkpoint -> {});
        trigger();
        gate.checkpoints().hold();
        assertThat(gate.checkpoints().isQuiet()).isFalse();
        assertThat(beside).as("asked before it can have ended").isEmpty();
        PendingCheckpoints.complete(pending.get(CHECKPOINT));
        assertThat(gate.checkpoints().isQuiet()).isFalse();
        doBeside();
        assertThat(gate.checkpoints().isQuiet()).as("while it is being stored").isFalse();
        pending.clear();
        doBeside();
        assertThat(gate.checkpoints().isQuiet()).isTrue();
    }

    @Test
    void aRestartGoesBackToTheOneBeforeTheNewestAtLeast() throws Exception {
        connect(checkpoint -> {});
        trigger();
        assertThat(gate.stored()).isZero();
        CompletedCheckpoint first = PendingCheckpoints.complete(pending.get(CHECKPOINT));
        assertThat(gate.stored()).as("the newest may not be stored yet").isZero();
        PendingCheckpoint later = PendingCheckpoints.waitingFor(LATER, new ExecutionAttemptID());
        pending.put(LATER, later);
        gate.triggerCheckpoint(LATER, 0, Runnable::run);
        PendingCheckpoints.complete(later);
        assertThat(gate.stored()).isEqualTo(CHECKPOINT);

        gate.onRestored(first);
        assertThat(gate.stored()).as("it has been read").isEqualTo(CHECKPOINT);
    }

    @Test
    void itIsQuietWithOneThatWaits() throws Exception {
        connect(checkpoint -> {});
        gate.checkpoints().hold();
        trigger();
        assertThat(gate.checkpoints().isQuiet()).isTrue();
        gate.checkpoints().release();
        assertThat(gate.checkpoints().isQuiet()).isFalse();
    }

    @Test
    void itIsQuietWhenTheOneThatWaitedHadBeenAborted() throws Exception {
        connect(checkpoint -> {});
        gate.checkpoints().hold();
        trigger();
        pending.remove(CHECKPOINT).getCompletionFuture().completeExceptionally(new Exception());
        CompletableFuture<Long> passed = gate.checkpoints().letOnePass();
        assertThat(passed).hasFailedWithThrowableThat().hasMessageContaining("was aborted");
        assertThat(gate.checkpoints().isQuiet()).isTrue();
    }

    @Test
    void whatPassesBehindALookHasNotEnded() throws Exception {
        connect(checkpoint -> {});
        trigger();
        gate.checkpoints().hold();
        PendingCheckpoints.complete(pending.remove(CHECKPOINT));
        assertThat(gate.checkpoints().isQuiet()).isFalse();
        gate.checkpoints().release();
        PendingCheckpoint later = PendingCheckpoints.waitingFor(LATER, new ExecutionAttemptID());
        afterLook =
                () -> {
                    pending.put(LATER, later);
                    gate.triggerCheckpoint(LATER, 0, Runnable::run);
                };
        doBeside();
        gate.checkpoints().hold();
        assertThat(gate.checkpoints().isQuiet()).isFalse();
        assertThat(gate.checkpoints().incomplete()).containsOnlyKeys(LATER);
    }

    @Test
    void nothingThatTheMainThreadAsksWaitsForTheStorage() throws Exception {
        connect(checkpoint -> {});
        trigger();
        CompletedCheckpoint complete = PendingCheckpoints.complete(pending.get(CHECKPOINT));
        holdLock();
        assertTimeoutPreemptively(
                LIMIT,
                () -> {
                    gate.checkpoints().hold();
                    assertThat(gate.checkpoints().isQuiet()).isFalse();
                    assertThat(gate.checkpoints().isQuiet()).isFalse();
                    assertThat(beside).as("looks at a time").hasSize(1);
                    gate.checkpoints().abortRunning();
                    gate.checkpoints().letOnePass();
                    gate.checkpoints().requestOne();
                    assertThat(gate.newest()).isSameAs(complete);
                    assertThat(gate.checkpoints().incomplete()).isEmpty();
                    gate.checkpoints().release();
                });
        assertThat(requests).isZero();
        pending.clear();
        stored.countDown();
        doBeside();
        assertThat(gate.checkpoints().isQuiet()).isTrue();
        assertThat(requests).as("that nobody has withdrawn").isEqualTo(1);
    }

    @Test
    void theOneThatWaitsGoesWithoutWaitingForTheStorage() throws Exception {
        connect(checkpoint -> {});
        gate.checkpoints().hold();
        CompletableFuture<?> held = trigger();
        holdLock();
        assertTimeoutPreemptively(LIMIT, gate.checkpoints()::release);
        assertThat(held).isCompleted();
        assertThat(gate.checkpoints().incomplete()).containsOnlyKeys(CHECKPOINT);
    }

    @Test
    void oneIsTriggeredToPassBesideTheMainThread() throws Exception {
        connect(checkpoint -> {});
        gate.checkpoints().hold();
        CompletableFuture<Long> passed = gate.checkpoints().letOnePass();
        assertThat(requests).isZero();
        doBeside();
        assertThat(requests).isEqualTo(1);
        assertThat(passed).hasFailedWithThrowableThat().hasMessageContaining("required tasks");
    }

    @Test
    void whatWasToPassForARescaleDoesNotPassInTheNextOne() throws Exception {
        connect(checkpoint -> {});
        gate.checkpoints().hold();
        CompletableFuture<Long> passed = gate.checkpoints().letOnePass();
        gate.checkpoints().release();
        assertThat(passed).isCompletedExceptionally();
        gate.checkpoints().hold();
        doBeside();
        assertThat(requests).isZero();
        assertThat(trigger()).isNotDone();
    }

    @Test
    void abortsWhatWasOnItsWay() throws Exception {
        connect(checkpoint -> {});
        trigger();
        gate.checkpoints().hold();
        gate.checkpoints().abortRunning();
        doBeside();
        assertThat(aborts).hasSize(1);
    }

    @Test
    void knowsHowOftenCheckpointsBegin() {
        assertThat(new CheckpointGate(settings(20_000, 5_000)).checkpoints().intervalMillis())
                .isEqualTo(20_000);
        assertThat(new CheckpointGate(settings(1_000, 30_000)).checkpoints().intervalMillis())
                .isEqualTo(30_000);
        assertThat(gate.checkpoints().intervalMillis()).isEqualTo(Long.MAX_VALUE);
    }

    private static JobCheckpointingSettings settings(long interval, long minPause) {
        return new JobCheckpointingSettings(
                Collections.emptyList(),
                Collections.emptyList(),
                Collections.emptyList(),
                CheckpointCoordinatorConfiguration.builder()
                        .setCheckpointInterval(interval)
                        .setMinPauseBetweenCheckpoints(minPause)
                        .build(),
                null);
    }

    @Test
    void abortsNothingThatPassedLater() throws Exception {
        connect(checkpoint -> {});
        trigger();
        gate.checkpoints().hold();
        gate.checkpoints().abortRunning();
        pending.clear();
        pending.put(LATER, PendingCheckpoints.waitingFor(LATER, new ExecutionAttemptID()));
        doBeside();
        assertThat(aborts).isEmpty();
    }

    private CompletableFuture<?> trigger() throws Exception {
        return gate.triggerCheckpoint(CHECKPOINT, 0, Runnable::run);
    }

    private void connect(Consumer<PendingCheckpoint> preparation) throws Exception {
        connect(preparation, TimeUnit.MINUTES.toMillis(10));
    }

    private void connect(Consumer<PendingCheckpoint> preparation, long timeoutMillis)
            throws Exception {
        pending.put(
                CHECKPOINT, PendingCheckpoints.waitingFor(CHECKPOINT, new ExecutionAttemptID()));
        coordinator = new Coordinator(timeoutMillis);
        gate.connect(
                coordinator,
                beside::add,
                () -> Runnable::run,
                (action, delay) -> timer.schedule(action, delay.toNanos(), TimeUnit.NANOSECONDS),
                preparation,
                () -> null);
    }

    private void doBeside() {
        for (Runnable action = beside.poll(); action != null; action = beside.poll()) {
            action.run();
        }
    }

    /** Has another thread hold the coordinator's lock until {@link #stored}. */
    private void holdLock() throws Exception {
        storage.submit(coordinator::getSuccessfulCheckpoints);
        assertThat(storing.await(LIMIT.toMillis(), TimeUnit.MILLISECONDS)).isTrue();
    }

    /** Takes as long as the test says. */
    private final class SlowStore extends StandaloneCompletedCheckpointStore {

        SlowStore() {
            super(1);
        }

        @Override
        public List<CompletedCheckpoint> getAllCheckpoints() {
            storing.countDown();
            try {
                stored.await(3 * LIMIT.toMillis(), TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return super.getAllCheckpoints();
        }
    }

    /** Has the checkpoints of the test on their way. */
    private final class Coordinator extends CheckpointCoordinator {

        Coordinator(long timeoutMillis) {
            super(
                    new JobID(),
                    CheckpointCoordinatorConfiguration.builder()
                            .setCheckpointTimeout(timeoutMillis)
                            .build(),
                    new ExecutionVertex[0],
                    new ExecutionVertex[0],
                    new ExecutionVertex[0],
                    Collections.emptyList(),
                    new StandaloneCheckpointIDCounter(),
                    new SlowStore(),
                    new MemoryStateBackend(),
                    Runnable::run,
                    new CheckpointsCleaner(),
                    new ScheduledExecutorServiceAdapter(timer),
                    SharedStateRegistry.DEFAULT_FACTORY,
                    new CheckpointFailureManager(0, new NoFailures()));
        }

        @Override
        public Map<Long, PendingCheckpoint> getPendingCheckpoints() {
            // for the lock
            super.getPendingCheckpoints();
            Map<Long, PendingCheckpoint> told = new HashMap<>(pending);
            Runnable after = afterLook;
            afterLook = null;
            if (after != null) {
                after.run();
            }
            return told;
        }

        @Override
        public void abortPendingCheckpoints(CheckpointException cause) {
            super.abortPendingCheckpoints(cause);
            aborts.add(cause);
        }

        @Override
        public CompletableFuture<CompletedCheckpoint> triggerCheckpoint(boolean isPeriodic) {
            requests++;
            // not Flink's own: it would go on in the timer, and end the process if that is gone
            return FutureUtils.completedExceptionally(
                    new CheckpointException(
                            CheckpointFailureReason.NOT_ALL_REQUIRED_TASKS_RUNNING));
        }
    }

    private static final class NoFailures implements CheckpointFailureManager.FailJobCallback {

        @Override
        public void failJob(Throwable cause) {
            throw new AssertionError(cause);
        }

        @Override
        public void failJobDueToTaskFailure(Throwable cause, ExecutionAttemptID task) {
            throw new AssertionError(cause);
        }
    }
}
