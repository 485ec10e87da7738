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

package io.meces.core.rescale;

import java.time.Duration;

/**
 * Whether the checkpoint that is on its way moves. Its barriers wait in the queues of the tasks
 * like any record: behind a backlog, for as long as that takes. No task tells where a barrier is.
 * But a task that has its barriers writes its state, which takes about as long as the last time. So
 * a checkpoint <em>stands</em> if no task has taken part in it for longer than that, and a bit.
 *
 * <p>Aborting one costs a recovery point. So none stands, by this, until another one has been
 * completed after the last that was aborted. Times are of one clock, in ns. Thread-safe.
 */
final class CheckpointProgress {

    /** What it takes barriers to get through tasks that keep up, on a busy machine. */
    static final Duration PATIENCE = Duration.ofMillis(300);

    private final long patienceNanos;
    private long movedAt;

    /** The newest in which a task has taken part. */
    private long current = -1;

    /** The longest that a task has written in it. */
    private long longestWrite;

    /** The same of the last one that was completed. */
    private long usualWrite;

    private boolean aborted;

    CheckpointProgress(Duration patience, long nowNanos) {
        this.patienceNanos = patience.toNanos();
        this.movedAt = nowNanos;
    }

    /** Barriers are about to be sent. */
    synchronized void onPassed(long nowNanos) {
        movedAt = nowNanos;
    }

    /** A task has taken part in a checkpoint, and has written for so long. */
    synchronized void onAcknowledged(long id, long writeNanos, long nowNanos) {
        movedAt = nowNanos;
        if (id > current) {
            current = id;
            longestWrite = 0;
        }
        if (id == current) {
            longestWrite = Math.max(longestWrite, writeNanos);
        }
    }

    synchronized void onCompleted() {
        usualWrite = longestWrite;
        aborted = false;
    }

    /** One has been aborted because it stood. */
    synchronized void onAborted() {
        aborted = true;
    }

    synchronized boolean stands(long nowNanos) {
        return !aborted && nowNanos - movedAt > patienceNanos + usualWrite;
    }
}
