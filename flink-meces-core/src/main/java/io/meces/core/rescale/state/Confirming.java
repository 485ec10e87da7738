// SPDX-License-Identifier: Apache-2.0
package io.meces.core.rescale.state;

import io.meces.api.RescaleState;
import io.meces.core.command.TaskReport;
import io.meces.core.id.AttemptId;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import javax.annotation.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Scale-in: a checkpoint completes, and the operators of the subtasks that leave have been told.
 * Where none completes any more, as a task of the job has finished, who has nothing but keyed
 * state, which has moved, leaves without.
 */
public final class Confirming extends State<Confirming.Context> {

    private static final Logger LOG = LoggerFactory.getLogger(Confirming.class);
    private static final long NONE = -1;
    private static final int ATTEMPTS = 10;
    private static final Duration PATIENCE = Duration.ofMillis(200);

    private final Map<AttemptId, Long> confirmed = new HashMap<>();
    private int attempts;
    private long checkpoint = NONE;

    /** What this state may do. */
    public interface Context extends State.Context {

        /** Null: they can. */
        @Nullable
        String whyNoneCanLeave();

        /** As {@link io.meces.core.checkpoint.CheckpointControl#letOnePass}. */
        CompletableFuture<Long> letOnePass();

        void onConfirmed(long checkpoint);

        /** There is no checkpoint to come, and no need for one. */
        void onUnneeded();

        /** As {@link io.meces.core.checkpoint.CheckpointControl#abortRunning}. */
        void abortRunning();

        /** The job is ending: the subtasks without key-groups end with the others. */
        void stay();

        /** All key-groups have moved, but no subtask can leave: those without key-groups stay. */
        void stay(String reason);
    }

    public Confirming(Context context) {
        super(context, RescaleState.CONFIRMING);
    }

    @Override
    public void enter() {
        if (scaling.isEnding()) {
            context.stay();
            return;
        }
        String obstacle = context.whyNoneCanLeave();
        if (obstacle != null) {
            // a restart would do for nothing what was done since the last checkpoint
            context.stay(obstacle);
            return;
        }
        if (noneCompletes()) {
            context.onUnneeded();
            return;
        }
        int attempt = ++attempts;
        checkpoint = NONE;
        after(
                context.letOnePass(),
                (completed, failure) -> {
                    if (failure != null) {
                        again(failure);
                        return;
                    }
                    checkpoint = completed;
                    within(
                            scaling.settings.stepTimeout(),
                            () -> {
                                if (attempt == attempts && checkpoint != NONE) {
                                    again(new TimeoutException("not confirmed"));
                                }
                            });
                    maybeConfirmed();
                });
    }

    private boolean noneCompletes() {
        return scaling.tasks.endOfCheckpoints() != null;
    }

    /** It may not have heard of the checkpoint that is on its way. */
    @Override
    public void onFinished(AttemptId task) {
        if (checkpoint == NONE && noneCompletes()) {
            context.abortRunning();
        }
    }

    private void again(Throwable failure) {
        if (scaling.isEnding()) {
            context.stay();
        } else if (noneCompletes() || attempts < ATTEMPTS || !context.canRestart()) {
            LOG.info("The checkpoint before a scale-in failed, again:", failure);
            within(PATIENCE, this::enter);
        } else {
            // their operators have ended: they cannot go on
            context.failJob(failure);
        }
    }

    @Override
    public void onReport(AttemptId task, TaskReport report) {
        if (report instanceof TaskReport.CheckpointConfirmed) {
            confirmed.merge(task, ((TaskReport.CheckpointConfirmed) report).checkpoint, Math::max);
            maybeConfirmed();
        }
    }

    private void maybeConfirmed() {
        if (checkpoint != NONE
                && scaling.leavingSubtasks().stream()
                        .allMatch(
                                k ->
                                        confirmed.getOrDefault(scaling.attempt(k), NONE)
                                                >= checkpoint)) {
            context.onConfirmed(checkpoint);
        }
    }
}
