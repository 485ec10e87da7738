// SPDX-License-Identifier: Apache-2.0
package io.meces.core.checkpoint;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.annotation.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The checkpoints that have passed the gate, until the coordinator is done with them. It stores a
 * checkpoint under its lock, and can wait there for the storage and for ZooKeeper. So who must not
 * wait is told what is known, and an executor looks what the coordinator has. Once it has a
 * checkpoint no more it never has it again: what has been seen stays true. Thread-safe.
 */
final class PassedCheckpoints<C> {

    private static final Logger LOG = LoggerFactory.getLogger(PassedCheckpoints.class);

    private final Supplier<Map<Long, C>> coordinator;
    private final Function<C, CompletableFuture<?>> completion;
    private final Executor executor;

    /** By id; null: the coordinator had it no more when it came to the gate. */
    private final Map<Long, C> passed = new HashMap<>();

    private boolean looking;

    /**
     * @param coordinator what the coordinator has, by id; may wait for its lock
     * @param completion completes when a checkpoint has got all it waits for, or has been aborted
     * @param executor may wait
     */
    PassedCheckpoints(
            Supplier<Map<Long, C>> coordinator,
            Function<C, CompletableFuture<?>> completion,
            Executor executor) {
        this.coordinator = coordinator;
        this.completion = completion;
        this.executor = executor;
    }

    synchronized void add(long id, @Nullable C checkpoint) {
        passed.put(id, checkpoint);
    }

    synchronized void addAll(Map<Long, C> checkpoints) {
        passed.putAll(checkpoints);
    }

    synchronized void remove(long id) {
        passed.remove(id);
    }

    synchronized Set<Long> ids() {
        return new HashSet<>(passed.keySet());
    }

    /** Those that have neither been aborted nor got all they wait for, by id. */
    synchronized Map<Long, C> incomplete() {
        return incompleteOf(passed);
    }

    Map<Long, C> incompleteOf(Map<Long, C> checkpoints) {
        Map<Long, C> incomplete = new HashMap<>(checkpoints);
        incomplete.values().removeIf(c -> c == null || completion.apply(c).isDone());
        return incomplete;
    }

    /**
     * Whether the coordinator is done with all of them: they have been stored, or aborted, and it
     * has sent word of it to the tasks. Does not wait; where that is not known yet, false, and it
     * is found out.
     */
    boolean areDone() {
        synchronized (this) {
            if (passed.isEmpty()) {
                return true;
            }
            // the lock is not worth asking for before; and one thread that may wait is enough
            if (looking || !incomplete().isEmpty()) {
                return false;
            }
            looking = true;
        }
        CompletableFuture.runAsync(this::forgetEnded, executor)
                .whenComplete(
                        (nothing, failure) -> {
                            if (failure != null) {
                                LOG.warn(
                                        "Cannot tell which checkpoints have ended, again:",
                                        failure);
                            }
                            synchronized (this) {
                                looking = false;
                            }
                        });
        synchronized (this) {
            return passed.isEmpty();
        }
    }

    /**
     * Forgets those with which the coordinator is done. Waits for the coordinator's lock.
     *
     * @return what the coordinator has
     */
    Map<Long, C> forgetEnded() {
        // before the look: who passes after it would seem to have ended
        Set<Long> ended = ids();
        Map<Long, C> pending = coordinator.get();
        ended.removeAll(pending.keySet());
        synchronized (this) {
            passed.keySet().removeAll(ended);
        }
        return pending;
    }
}
