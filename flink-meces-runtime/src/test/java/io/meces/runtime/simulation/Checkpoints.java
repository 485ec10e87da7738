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

package io.meces.runtime.simulation;

import io.meces.runtime.rescale.CheckpointControl;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import javax.annotation.Nullable;
import org.apache.flink.util.FlinkException;

/**
 * The checkpoint coordinator of a JobManager, with one checkpoint at a time, and the gate in front
 * of it: {@code CheckpointGate} over a coordinator that does what Flink's does.
 */
final class Checkpoints implements CheckpointControl {

    /** Flink's default. */
    private static final long EXPIRY_NANOS = 600_000_000_000L;

    private final JobMaster master;
    private final Simulation world;
    private final Wire hook;
    private boolean held;
    private long lastPassed = -1;
    private long measuredSince;
    @Nullable private Checkpoint pending;
    @Nullable private CompletableFuture<Long> next;

    Checkpoints(JobMaster master) {
        this.master = master;
        this.world = master.world;
        this.hook = world.wire();
    }

    // ------------------------------------------------------------------------
    //  Coordinator
    // ------------------------------------------------------------------------

    /**
     * Triggers a checkpoint.
     *
     * @return whether it has begun
     */
    boolean trigger() {
        if (pending != null || !master.isEverythingRunning()) {
            return false;
        }
        Checkpoint checkpoint = new Checkpoint(world.nextCheckpoint(), world.oracle().upstreams());
        pending = checkpoint;
        world.at(
                world.now() + EXPIRY_NANOS,
                () -> {
                    if (isPending(checkpoint)) {
                        abort("expired");
                    }
                });
        hook.send(
                () -> {
                    if (isPending(checkpoint)) {
                        if (held && next == null) {
                            world.trace("checkpoint %d waits", checkpoint.id);
                            checkpoint.waiting = true;
                        } else {
                            pass(checkpoint);
                        }
                    }
                });
        return true;
    }

    private boolean isPending(Checkpoint checkpoint) {
        return pending == checkpoint && master.isAlive();
    }

    private void pass(Checkpoint checkpoint) {
        world.trace("checkpoint %d begins", checkpoint.id);
        lastPassed = checkpoint.id;
        checkpoint.letPass = next;
        next = null;
        checkpoint.snapshot.carried = master.carried();
        master.storeInto(checkpoint.snapshot);
        checkpoint.begin(master.job(), master.vertex().connected());
        for (SimulatedSource source : master.job().sources) {
            source.mail(
                    "take checkpoint " + checkpoint.id,
                    () -> source.takeCheckpoint(checkpoint),
                    () -> {},
                    () -> decline(checkpoint.id));
        }
    }

    @Override
    public long lastPassed() {
        return lastPassed;
    }

    void acknowledge(Checkpoint checkpoint, SimulatedTask task, Consumer<Snapshot> part) {
        acknowledge(checkpoint.id, task, part);
    }

    void acknowledge(long id, SimulatedTask task, Consumer<Snapshot> part) {
        Checkpoint checkpoint = pending;
        if (checkpoint == null || checkpoint.id != id || !checkpoint.missing.remove(task)) {
            return;
        }
        part.accept(checkpoint.snapshot);
        if (checkpoint.missing.isEmpty()) {
            hook.send(
                    () -> {
                        if (isPending(checkpoint)) {
                            complete(checkpoint);
                        }
                    });
        }
    }

    private void complete(Checkpoint checkpoint) {
        world.trace("checkpoint %d is complete", checkpoint.id);
        pending = null;
        world.onCheckpointComplete(checkpoint.snapshot);
        for (SimulatedTask task : master.job().tasks()) {
            task.mail(
                    "checkpoint " + checkpoint.id + " is complete",
                    () -> task.onCheckpointComplete(checkpoint.id),
                    () -> {},
                    () -> {});
        }
        if (checkpoint.letPass != null) {
            hook.send(() -> complete(checkpoint.letPass, checkpoint.id, null));
        }
    }

    private void complete(CompletableFuture<Long> future, long id, @Nullable Throwable failure) {
        if (!master.isAlive()) {
            return;
        }
        if (failure == null) {
            future.complete(id);
        } else {
            future.completeExceptionally(failure);
        }
    }

    void decline(long id) {
        if (pending != null && pending.id == id) {
            abort("declined");
        }
    }

    void abort(String reason) {
        Checkpoint aborted = pending;
        if (aborted == null) {
            return;
        }
        world.trace("checkpoint %d is aborted: %s", aborted.id, reason);
        pending = null;
        if (aborted.missing != null) {
            for (SimulatedTask task : master.job().tasks()) {
                task.mail(
                        "checkpoint " + aborted.id + " is aborted",
                        () -> task.onCheckpointAborted(aborted.id),
                        () -> {},
                        () -> {});
            }
        }
        CompletableFuture<Long> told = aborted.letPass;
        if (told == null && !aborted.waiting) {
            // it was to be the next one to pass
            told = next;
            next = null;
        }
        if (told != null) {
            CompletableFuture<Long> future = told;
            hook.send(() -> complete(future, -1, new FlinkException(reason)));
        }
    }

    // ------------------------------------------------------------------------
    //  CheckpointControl
    // ------------------------------------------------------------------------

    @Override
    public void hold() {
        held = world.variant() != Variant.CHECKPOINT_IN_STEP;
    }

    @Override
    public void release() {
        held = false;
        goOn();
    }

    private boolean goOn() {
        Checkpoint checkpoint = pending;
        if (checkpoint == null || !checkpoint.waiting) {
            return false;
        }
        checkpoint.waiting = false;
        hook.send(
                () -> {
                    if (isPending(checkpoint)) {
                        pass(checkpoint);
                    }
                });
        return true;
    }

    @Override
    public boolean isQuiet() {
        return pending == null
                || pending.waiting
                || world.variant() == Variant.CHECKPOINT_NOT_AWAITED;
    }

    @Override
    public void abortRunning() {
        if (pending != null) {
            abort("a rescale begins");
        }
    }

    @Override
    public boolean isOneWaiting() {
        return pending != null && pending.waiting;
    }

    @Override
    public boolean isSavepointAwaited() {
        return false;
    }

    @Override
    public long timeoutNanos() {
        return EXPIRY_NANOS;
    }

    @Override
    public boolean isEnabled() {
        return true;
    }

    @Override
    public CompletableFuture<Long> letOnePass() {
        CompletableFuture<Long> passed = new CompletableFuture<>();
        if (world.variant() == Variant.LEAVES_UNCONFIRMED) {
            hook.send(() -> complete(passed, world.nextCheckpoint(), null));
            return passed;
        }
        next = passed;
        if (!goOn() && pending == null && !trigger()) {
            next = null;
            hook.send(() -> complete(passed, -1, new FlinkException("not all tasks run")));
        }
        return passed;
    }

    @Override
    public long intervalMillis() {
        return Long.MAX_VALUE;
    }

    @Override
    public void requestOne() {
        trigger();
    }

    @Override
    public void measureGaps() {
        measuredSince = world.now();
    }

    @Override
    public long longestGapNanos() {
        return world.now() - measuredSince;
    }
}
