// SPDX-License-Identifier: Apache-2.0
package io.meces.core.checkpoint;

import static io.meces.core.checkpoint.HeldCheckpoints.CLEARING_NANOS;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

/** Which checkpoints stand; the rest is tested behind the gate in front of Flink's coordinator. */
class HeldCheckpointsTest {

    private static final long LONG = 301_000_000;
    private static final long INTERVAL = 1_000_000_000;

    private final FakeCoordinator coordinator = new FakeCoordinator();
    private Executor executor = Runnable::run;
    private final HeldCheckpoints<Long> checkpoints =
            new HeldCheckpoints<>(
                    coordinator, action -> executor.execute(action), Duration.ofMillis(300));

    private CompletableFuture<?> begin(long id) {
        coordinator.pending.put(id, id);
        coordinator.completions.put(id, new CompletableFuture<>());
        return checkpoints.arrive(id, checkpoint -> {}, () -> "stored");
    }

    private void complete(long id) {
        coordinator.pending.remove(id);
        coordinator.completions.get(id).complete(null);
    }

    private boolean abortsStanding() {
        int before = checkpoints.standingAborts();
        checkpoints.abortStanding();
        return checkpoints.standingAborts() > before;
    }

    @Test
    void oneThatDoesNotMoveIsAbortedOnceUntilAnotherOneIsComplete() {
        begin(1);
        checkpoints.hold();
        assertThat(abortsStanding()).isFalse();
        coordinator.nanos += LONG;
        assertThat(abortsStanding()).isTrue();
        assertThat(coordinator.aborts).hasSize(1);
        assertThat(checkpoints.isQuiet()).isTrue();
        checkpoints.release();

        begin(2);
        checkpoints.hold();
        coordinator.nanos += LONG;
        assertThat(abortsStanding()).as("none is complete since").isFalse();
        complete(2);
        checkpoints.release();
        begin(3);
        // once because state may have moved for so long
        coordinator.nanos += 2 * LONG;
        assertThat(abortsStanding()).isTrue();
    }

    @Test
    void oneThatIsLetGoHasAllItsTime() {
        checkpoints.hold();
        begin(1);
        coordinator.nanos += LONG;
        assertThat(abortsStanding()).as("it is not on its way").isFalse();
        checkpoints.letOnePass();
        assertThat(abortsStanding()).isFalse();
        coordinator.nanos += LONG;
        checkpoints.onAcknowledged(1, 0);
        assertThat(abortsStanding()).isFalse();
        // once because state may have moved for so long
        coordinator.nanos += 2 * LONG;
        assertThat(abortsStanding()).isTrue();
    }

    /** Else the next rescale would abort it, or that of the next vertex. */
    @Test
    void oneBehindARescaleHasTheTimeToStoreWhatHasMoved() {
        checkpoints.hold();
        coordinator.nanos += 10 * LONG;
        checkpoints.release();
        begin(1);
        checkpoints.hold();
        coordinator.nanos += 10 * LONG;
        assertThat(abortsStanding()).isFalse();
        coordinator.nanos += LONG;
        assertThat(abortsStanding()).isTrue();
    }

    @Test
    void savepointsAreAwaited() {
        begin(1);
        CompletableFuture<Void> savepoint = new CompletableFuture<>();
        checkpoints.onSavepointAsked(savepoint);
        coordinator.nanos += LONG;
        assertThat(abortsStanding()).isFalse();
        savepoint.complete(null);
        coordinator.savepoint = true;
        checkpoints.abortStanding();
        assertThat(coordinator.aborts).isEmpty();
    }

    @Test
    void wherePeopleWaitForNothingNothingIsAborted() {
        coordinator.nanos += LONG;
        assertThat(abortsStanding()).isFalse();
    }

    /** The coordinator is asked what has ended, and that takes a while. */
    @Test
    void oneThatIsCompleteDoesNotStandUntilThatIsKnown() {
        begin(1);
        complete(1);
        coordinator.nanos += LONG;
        List<Runnable> later = new ArrayList<>();
        executor = later::add;
        checkpoints.hold();
        assertThat(checkpoints.isQuiet()).isFalse();
        assertThat(abortsStanding()).isFalse();

        executor = Runnable::run;
        later.forEach(Runnable::run);
        assertNoneHasBeenAborted();
    }

    private void assertNoneHasBeenAborted() {
        assertThat(checkpoints.isQuiet()).isTrue();
        assertThat(checkpoints.standingAborts()).isZero();
        assertThat(coordinator.aborts).isEmpty();
        checkpoints.release();
        begin(2);
        coordinator.nanos += LONG;
        assertThat(abortsStanding()).as("one can still be aborted").isTrue();
    }

    /** It seems to stand until its metadata are stored, and only the lock tells. */
    @Test
    void oneThatIsStoredMeanwhileHasNotStood() {
        begin(1);
        coordinator.nanos += LONG;
        List<Runnable> withLock = new ArrayList<>();
        executor = withLock::add;
        checkpoints.hold();
        checkpoints.abortStanding();
        checkpoints.abortStanding();
        assertThat(withLock).as("one waits for the lock").hasSize(1);
        complete(1);
        executor = Runnable::run;
        withLock.forEach(Runnable::run);
        assertNoneHasBeenAborted();
    }

    @Test
    void tellsWhenTheNextOneIsLikelyToBegin() {
        assertThat(checkpoints.untilNextNanos()).isEqualTo(INTERVAL);
        coordinator.nanos += INTERVAL / 4;
        begin(1);
        coordinator.nanos += INTERVAL / 4;
        assertThat(checkpoints.untilNextNanos()).isEqualTo(INTERVAL / 4 * 3);
        checkpoints.hold();
        checkpoints.letOnePass();
        begin(2);
        assertThat(checkpoints.untilNextNanos())
                .as("it has been asked for, and is none of those that come by themselves")
                .isEqualTo(INTERVAL / 4 * 3);
        begin(3);
        assertThat(checkpoints.untilNextNanos()).as("also if it waits").isEqualTo(INTERVAL);
        coordinator.nanos += 2 * INTERVAL;
        assertThat(checkpoints.untilNextNanos()).as("it is late").isZero();
    }

    @Test
    void withoutCheckpointsNoneIsLikelyToBegin() {
        coordinator.intervalMillis = Long.MAX_VALUE;
        coordinator.nanos += Duration.ofDays(30).toNanos();
        assertThat(checkpoints.untilNextNanos()).isGreaterThan(Duration.ofDays(20).toNanos());
    }

    @Test
    void oneThatIsCompleteJustBeforeItIsAbortedHasNotStood() {
        begin(1);
        checkpoints.hold();
        coordinator.nanos += LONG;
        coordinator.beforeAbort = () -> complete(1);
        assertThat(abortsStanding()).isFalse();
        assertThat(coordinator.aborts).hasSize(1);
    }

    @Test
    void oneThatIsNotAbortedForASavepointIsAbortedAfterThat() {
        begin(1);
        checkpoints.hold();
        coordinator.nanos += LONG;
        coordinator.savepoint = true;
        assertThat(abortsStanding()).isFalse();
        coordinator.savepoint = false;
        assertThat(abortsStanding()).isTrue();
    }

    /** Tasks that wait to be told of it would wait in vain. */
    @Test
    void aSavepointPassesAndIsNotTheOneThatWasAskedFor() {
        coordinator.savepoint = true;
        checkpoints.hold();
        CompletableFuture<?> savepoint = begin(1);
        CompletableFuture<Long> passed = checkpoints.letOnePass();
        assertThat(savepoint).isDone();
        assertThat(passed).isNotDone();
        complete(1);
        assertThat(passed).isCompletedExceptionally();
        coordinator.savepoint = false;
        passed = checkpoints.letOnePass();
        assertThat(begin(2)).as("another one passes").isDone();
        complete(2);
        assertThat(passed).isCompletedWithValue(2L);
        assertThat(begin(3)).as("and no more").isNotDone();
    }

    /** As long as they tell so, and a while longer. */
    @Test
    void checkpointsWaitForTasksThatDeleteWhatBelongsElsewhere() {
        checkpoints.onClearing();
        CompletableFuture<?> first = begin(1);
        assertThat(checkpoints.isQuiet()).as("no rescale goes on").isFalse();
        assertThat(abortsStanding()).as("nothing is on its way").isFalse();
        coordinator.pass(CLEARING_NANOS - 1);
        checkpoints.onClearing();
        coordinator.pass(CLEARING_NANOS - 1);
        assertThat(first).isNotDone();
        coordinator.pass(1);
        assertThat(first).isDone();
        complete(1);
        assertThat(checkpoints.isQuiet()).isTrue();
        assertThat(begin(2)).isDone();
    }

    @Test
    void whoeverIsDoneFirstDoesNotLetGoWhatTheOtherHolds() {
        checkpoints.onClearing();
        checkpoints.hold();
        CompletableFuture<?> first = begin(1);
        checkpoints.release();
        assertThat(first).isNotDone();
        checkpoints.hold();
        coordinator.pass(CLEARING_NANOS);
        assertThat(first).isNotDone();
        assertThat(checkpoints.isQuiet()).isTrue();
        checkpoints.release();
        assertThat(first).isDone();
    }

    @Test
    void checkpointsMayBeUnalignedAtRestAlone() {
        begin(1);
        assertThat(checkpoints.mayBeUnaligned(1)).isTrue();
        complete(1);
        checkpoints.hold();
        checkpoints.letOnePass();
        begin(2);
        assertThat(checkpoints.mayBeUnaligned(2)).isFalse();
        complete(2);
        begin(3);
        checkpoints.release();
        assertThat(checkpoints.mayBeUnaligned(3)).as("it has waited").isFalse();
        checkpoints.abortRunning();
        begin(4);
        assertThat(checkpoints.mayBeUnaligned(4)).as("none has followed the rescale").isFalse();
        complete(4);
        begin(5);
        assertThat(checkpoints.mayBeUnaligned(5)).isTrue();
        checkpoints.release();
        begin(6);
        assertThat(checkpoints.mayBeUnaligned(6)).as("no rescale has ended").isTrue();
    }

    @Test
    void whatIsRestoredIsAskedForOnlyIfItCouldBeUnaligned() {
        coordinator.inFlight = true;
        assertThat(checkpoints.restoresNothingInFlight()).isCompletedWithValue(true);
        coordinator.unaligned = true;
        assertThat(checkpoints.restoresNothingInFlight()).isCompletedWithValue(false);
        coordinator.inFlight = false;
        assertThat(checkpoints.restoresNothingInFlight()).isCompletedWithValue(true);
    }

    /** Has what the test gives it, and does what it is told at once. */
    private static final class FakeCoordinator implements HeldCheckpoints.Coordinator<Long> {
        private final Map<Long, Long> pending = new HashMap<>();
        private final Map<Long, CompletableFuture<Void>> completions = new HashMap<>();
        private final List<String> aborts = new ArrayList<>();
        private final TreeMap<Long, Runnable> scheduled = new TreeMap<>();
        private Runnable beforeAbort = () -> {};
        private boolean savepoint;
        private boolean unaligned;
        private boolean inFlight;
        private long intervalMillis = INTERVAL / 1_000_000;
        private long nanos;

        @Override
        public boolean isEnabled() {
            return true;
        }

        @Override
        public boolean isUnaligned() {
            return unaligned;
        }

        @Override
        public boolean restoresRecordsInFlight() {
            return inFlight;
        }

        @Override
        public long intervalMillis() {
            return intervalMillis;
        }

        @Override
        public long id(Long checkpoint) {
            return checkpoint;
        }

        @Override
        public Map<Long, Long> pending() {
            return new HashMap<>(pending);
        }

        @Override
        public CompletableFuture<?> completion(Long checkpoint) {
            return completions.get(checkpoint);
        }

        @Override
        public boolean isSavepoint(Long checkpoint) {
            return savepoint;
        }

        @Override
        public boolean isRecoveredFrom(Long checkpoint) {
            return !savepoint;
        }

        @Override
        public CompletableFuture<?> trigger() {
            return new CompletableFuture<>();
        }

        @Override
        public void abortAll(String why) {
            aborts.add(why);
            beforeAbort.run();
            pending.keySet()
                    .forEach(id -> completions.get(id).completeExceptionally(declined(why)));
            pending.clear();
        }

        @Override
        public Throwable declined(String why) {
            return new RescaleException(why);
        }

        @Override
        public long timeoutNanos() {
            return 600_000_000_000L;
        }

        @Override
        public Executor mainThread() {
            return Runnable::run;
        }

        @Override
        public void schedule(Runnable action, long delayNanos) {
            scheduled.put(nanos + delayNanos, action);
        }

        private void pass(long passing) {
            nanos += passing;
            while (!scheduled.isEmpty() && scheduled.firstKey() <= nanos) {
                scheduled.pollFirstEntry().getValue().run();
            }
        }

        @Override
        public long nanoTime() {
            return nanos;
        }
    }
}
