/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

package org.apache.flink.runtime.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.checkpoint.CheckpointCoordinator;
import org.apache.flink.runtime.checkpoint.CheckpointFailureManager;
import org.apache.flink.runtime.checkpoint.CheckpointsCleaner;
import org.apache.flink.runtime.checkpoint.PendingCheckpoint;
import org.apache.flink.runtime.checkpoint.StandaloneCheckpointIDCounter;
import org.apache.flink.runtime.checkpoint.StandaloneCompletedCheckpointStore;
import org.apache.flink.runtime.concurrent.ComponentMainThreadExecutor;
import org.apache.flink.runtime.concurrent.ScheduledExecutorServiceAdapter;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.apache.flink.runtime.executiongraph.ExecutionVertex;
import org.apache.flink.runtime.jobgraph.tasks.CheckpointCoordinatorConfiguration;
import org.apache.flink.runtime.state.SharedStateRegistry;
import org.apache.flink.runtime.state.memory.MemoryStateBackend;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CheckpointGateTest {

    private static final long CHECKPOINT = 7;

    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final Map<Long, PendingCheckpoint> pending = new HashMap<>();
    private final CheckpointGate gate = new CheckpointGate();

    @AfterEach
    void stop() {
        timer.shutdownNow();
    }

    @Test
    void tellsThatTheCheckpointThatWasToPassCouldNotBePrepared() throws Exception {
        connect(
                checkpoint -> {
                    throw new IllegalArgumentException("no room");
                });
        gate.hold();
        CompletableFuture<?> held = trigger();
        assertThat(held).isNotDone();
        CompletableFuture<Long> passed = gate.letOnePass();
        assertThat(held).isCompletedExceptionally();
        assertThat(passed).hasFailedWithThrowableThat().hasMessageContaining("no room");
    }

    @Test
    void othersAreHeldBackBehindTheOneThatPasses() throws Exception {
        connect(checkpoint -> {});
        gate.hold();
        CompletableFuture<?> held = trigger();
        CompletableFuture<Long> passed = gate.letOnePass();
        assertThat(held).isCompleted();
        assertThat(passed).isNotDone();
        assertThat(trigger()).isNotDone();
    }

    private CompletableFuture<?> trigger() throws Exception {
        return gate.triggerCheckpoint(CHECKPOINT, 0, Runnable::run);
    }

    private void connect(Consumer<PendingCheckpoint> preparation) throws Exception {
        pending.put(
                CHECKPOINT, PendingCheckpoints.waitingFor(CHECKPOINT, new ExecutionAttemptID()));
        gate.connect(new Coordinator(), MainThread::new, preparation, () -> null);
    }

    /** Has the checkpoints of the test on their way. */
    private final class Coordinator extends CheckpointCoordinator {

        Coordinator() {
            super(
                    new JobID(),
                    CheckpointCoordinatorConfiguration.builder().build(),
                    new ExecutionVertex[0],
                    new ExecutionVertex[0],
                    new ExecutionVertex[0],
                    Collections.emptyList(),
                    new StandaloneCheckpointIDCounter(),
                    new StandaloneCompletedCheckpointStore(1),
                    new MemoryStateBackend(),
                    Runnable::run,
                    new CheckpointsCleaner(),
                    new ScheduledExecutorServiceAdapter(timer),
                    SharedStateRegistry.DEFAULT_FACTORY,
                    new CheckpointFailureManager(0, new NoFailures()));
        }

        @Override
        public Map<Long, PendingCheckpoint> getPendingCheckpoints() {
            return pending;
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

    /** The thread of the test. */
    private final class MainThread extends ScheduledExecutorServiceAdapter
            implements ComponentMainThreadExecutor {

        MainThread() {
            super(timer);
        }

        @Override
        public void execute(Runnable action) {
            action.run();
        }

        @Override
        public void assertRunningInMainThread() {
            // it does
        }
    }
}
