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

package io.meces.runtime.checkpoint;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import javax.annotation.Nullable;
import org.apache.flink.runtime.checkpoint.PendingCheckpoint;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The checkpoints that have passed the gate, until the coordinator is done with them. It stores a
 * checkpoint under its lock, and can wait there for the storage and for ZooKeeper. So who must not
 * wait is told what is known, and an executor looks what the coordinator has. Once it has a
 * checkpoint no more it never has it again: what has been seen stays true. Thread-safe.
 */
final class PassedCheckpoints {

    private static final Logger LOG = LoggerFactory.getLogger(PassedCheckpoints.class);

    private final Supplier<Map<Long, PendingCheckpoint>> coordinator;
    private final Executor executor;

    /** By id; null: the coordinator had it no more when it came to the gate. */
    private final Map<Long, PendingCheckpoint> passed = new HashMap<>();

    private boolean looking;

    /**
     * @param coordinator what the coordinator has, by id; may wait for its lock
     * @param executor may wait
     */
    PassedCheckpoints(Supplier<Map<Long, PendingCheckpoint>> coordinator, Executor executor) {
        this.coordinator = coordinator;
        this.executor = executor;
    }

    synchronized void add(long id, @Nullable PendingCheckpoint checkpoint) {
        passed.put(id, checkpoint);
    }

    synchronized void addAll(Map<Long, PendingCheckpoint> checkpoints) {
        passed.putAll(checkpoints);
    }

    synchronized void remove(long id) {
        passed.remove(id);
    }

    synchronized Set<Long> ids() {
        return new HashSet<>(passed.keySet());
    }

    /** Those that have neither been aborted nor got all they wait for, by id. */
    synchronized Map<Long, PendingCheckpoint> incomplete() {
        return incompleteOf(passed);
    }

    static Map<Long, PendingCheckpoint> incompleteOf(Map<Long, PendingCheckpoint> checkpoints) {
        Map<Long, PendingCheckpoint> incomplete = new HashMap<>(checkpoints);
        incomplete.values().removeIf(c -> c == null || c.getCompletionFuture().isDone());
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
    Map<Long, PendingCheckpoint> forgetEnded() {
        // before the look: who passes behind it would seem to have ended
        Set<Long> ended = ids();
        Map<Long, PendingCheckpoint> pending = coordinator.get();
        ended.removeAll(pending.keySet());
        synchronized (this) {
            passed.keySet().removeAll(ended);
        }
        return pending;
    }
}
