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

import io.meces.runtime.rescale.CheckpointControl;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;
import javax.annotation.Nullable;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.runtime.checkpoint.CheckpointCoordinator;
import org.apache.flink.runtime.checkpoint.CheckpointException;
import org.apache.flink.runtime.checkpoint.CheckpointFailureReason;
import org.apache.flink.runtime.checkpoint.MasterTriggerRestoreHook;
import org.apache.flink.runtime.checkpoint.PendingCheckpoint;
import org.apache.flink.runtime.checkpoint.PendingCheckpoints;
import org.apache.flink.runtime.concurrent.ComponentMainThreadExecutor;
import org.apache.flink.runtime.concurrent.FutureUtils;
import org.apache.flink.util.FlinkException;

/**
 * Holds checkpoints back by a public extension point: the coordinator waits for the future of a
 * master hook before it sends any barrier. Thread-safe: the coordinator's threads call the hook,
 * the JobMaster's main thread the rest.
 */
final class CheckpointGate implements MasterTriggerRestoreHook<String>, CheckpointControl {

    @Nullable private final CheckpointCoordinator coordinator;
    private final Supplier<ComponentMainThreadExecutor> mainThread;
    private final Consumer<PendingCheckpoint> preparation;
    private final Set<Long> waiting = new HashSet<>();
    @Nullable private CompletableFuture<String> closed;

    /** Is told of the next checkpoint, which passes although others are held back. */
    @Nullable private CompletableFuture<PendingCheckpoint> next;

    /**
     * @param preparation what becomes of a checkpoint before the first task hears of it; while it
     *     runs, no rescale begins and none goes on
     */
    CheckpointGate(
            @Nullable CheckpointCoordinator coordinator,
            Supplier<ComponentMainThreadExecutor> mainThread,
            Consumer<PendingCheckpoint> preparation) {
        this.coordinator = coordinator;
        this.mainThread = mainThread;
        this.preparation = preparation;
        if (coordinator != null) {
            coordinator.addMasterHook(this);
        }
    }

    @Override
    public synchronized void hold() {
        if (closed == null) {
            closed = new CompletableFuture<>();
        }
    }

    @Override
    public void release() {
        CompletableFuture<String> released;
        synchronized (this) {
            released = closed;
            closed = null;
            waiting.clear();
        }
        if (released != null) {
            released.complete(null);
        }
    }

    @Override
    public boolean isQuiet() {
        if (coordinator == null) {
            return true;
        }
        Set<Long> pending = coordinator.getPendingCheckpoints().keySet();
        synchronized (this) {
            return waiting.containsAll(pending);
        }
    }

    @Override
    public void abortRunning() {
        if (coordinator == null) {
            return;
        }
        Map<Long, PendingCheckpoint> pending = coordinator.getPendingCheckpoints();
        if (pending.values().stream().noneMatch(PendingCheckpoints::isSavepoint)) {
            // a reason that does not count as a failure of checkpoints
            coordinator.abortPendingCheckpoints(
                    new CheckpointException(
                            "A rescale begins",
                            CheckpointFailureReason.CHECKPOINT_COORDINATOR_SUSPEND));
        }
    }

    @Override
    public synchronized boolean isOneWaiting() {
        return !waiting.isEmpty();
    }

    @Override
    public boolean isStopWaiting() {
        if (coordinator == null) {
            return false;
        }
        Map<Long, PendingCheckpoint> pending = coordinator.getPendingCheckpoints();
        synchronized (this) {
            return pending.entrySet().stream()
                    .anyMatch(
                            p ->
                                    waiting.contains(p.getKey())
                                            && PendingCheckpoints.isStop(p.getValue()));
        }
    }

    @Override
    public boolean isEnabled() {
        return coordinator != null && coordinator.isPeriodicCheckpointingConfigured();
    }

    @Override
    public CompletableFuture<Long> letOnePass() {
        if (coordinator == null) {
            return FutureUtils.completedExceptionally(
                    new FlinkException("The job has no checkpoints"));
        }
        CompletableFuture<PendingCheckpoint> passed = new CompletableFuture<>();
        CompletableFuture<String> released = null;
        synchronized (this) {
            next = passed;
            if (!waiting.isEmpty()) {
                released = closed;
                closed = new CompletableFuture<>();
                waiting.clear();
            }
        }
        if (released != null) {
            released.complete(null);
        } else {
            coordinator
                    .triggerCheckpoint(false)
                    .whenComplete(
                            (checkpoint, failure) -> {
                                if (failure != null) {
                                    passed.completeExceptionally(failure);
                                }
                            });
        }
        // hop to the main thread also if it is complete or has failed at once
        return passed.thenCompose(PendingCheckpoint::getCompletionFuture)
                .handleAsync(
                        (checkpoint, failure) -> {
                            synchronized (this) {
                                if (next == passed) {
                                    next = null;
                                }
                            }
                            if (failure != null) {
                                throw new CompletionException(failure);
                            }
                            return checkpoint.getCheckpointID();
                        },
                        mainThread.get());
    }

    @Override
    public String getIdentifier() {
        return "meces-checkpoint-gate";
    }

    @Override
    public CompletableFuture<String> triggerCheckpoint(
            long checkpointId, long timestamp, Executor executor) {
        CompletableFuture<String> open = CompletableFuture.completedFuture(null);
        synchronized (this) {
            if (closed != null && next == null) {
                waiting.add(checkpointId);
                open = closed;
            }
        }
        return open.thenApply(nothing -> pass(checkpointId));
    }

    @Nullable
    private String pass(long checkpointId) {
        CompletableFuture<PendingCheckpoint> passed;
        synchronized (this) {
            passed = next;
            next = null;
        }
        PendingCheckpoint pending = coordinator.getPendingCheckpoints().get(checkpointId);
        if (pending != null) {
            preparation.accept(pending);
        }
        if (passed != null && pending != null) {
            passed.complete(pending);
        } else if (passed != null) {
            passed.completeExceptionally(
                    new FlinkException("Checkpoint " + checkpointId + " was aborted"));
        }
        return null;
    }

    @Override
    public void restoreCheckpoint(long checkpointId, @Nullable String checkpointData) {
        // it stores nothing
    }

    @Override
    @Nullable
    public SimpleVersionedSerializer<String> createCheckpointDataSerializer() {
        return null;
    }
}
