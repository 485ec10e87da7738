// SPDX-License-Identifier: Apache-2.0
package io.meces.core.checkpoint;

import io.meces.core.id.AttemptId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * Cancels subtasks while their job goes on, so that they can be deployed anew. Owned by the
 * JobMaster's main thread.
 *
 * @param <S> a subtask
 * @param <V> tells whether a failover has taken subtasks over
 */
public final class SubtaskCancellation<S, V> {

    private final Scheduler<S, V> scheduler;
    private final AbsentAcknowledgements<?> acknowledgements;
    private final Runnable whenGone;
    private final Executor mainThread;

    /**
     * @param whenGone looks whether the job has finished
     */
    public SubtaskCancellation(
            Scheduler<S, V> scheduler,
            AbsentAcknowledgements<?> acknowledgements,
            Runnable whenGone,
            Executor mainThread) {
        this.scheduler = scheduler;
        this.acknowledgements = acknowledgements;
        this.whenGone = whenGone;
        this.mainThread = mainThread;
    }

    /** Who runs the subtasks. */
    public interface Scheduler<S, V> {

        AttemptId attempt(S subtask);

        /** Deployments of these subtasks that are under way come to nothing. */
        V outdateDeployments(List<S> subtasks);

        /** Cancels a subtask and what it has requested; completes when its slot is released. */
        CompletableFuture<?> cancel(S subtask);

        /**
         * Has subtasks that have ended ready to be deployed, unless a failover has taken them over.
         *
         * @return whether it has
         */
        boolean reset(List<S> subtasks, V version);
    }

    /** Completes in the main thread when they are new; fails if a failover has taken them over. */
    public CompletableFuture<?> cancel(List<S> subtasks) {
        subtasks.forEach(subtask -> acknowledgements.onLeaving(scheduler.attempt(subtask)));
        V version = scheduler.outdateDeployments(subtasks);
        List<CompletableFuture<?>> released = new ArrayList<>();
        subtasks.forEach(subtask -> released.add(scheduler.cancel(subtask)));
        return CompletableFuture.allOf(released.toArray(new CompletableFuture<?>[0]))
                .thenRunAsync(
                        () -> {
                            if (!scheduler.reset(subtasks, version)) {
                                throw new IllegalStateException(
                                        "a failover has taken over subtasks that were to end");
                            }
                            // the others may have finished meanwhile, and nobody else will tell
                            whenGone.run();
                        },
                        mainThread);
    }
}
