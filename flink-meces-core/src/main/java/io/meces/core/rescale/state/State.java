// SPDX-License-Identifier: Apache-2.0
package io.meces.core.rescale.state;

import io.meces.api.RescaleState;
import io.meces.core.checkpoint.RescaleException;
import io.meces.core.command.TaskReport;
import io.meces.core.id.AttemptId;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A state of the rescale of a vertex: what is done there, and what is waited for. All that it may
 * do to the rescale and to the job is in its {@link Context}. What comes next is the business of
 * {@link io.meces.core.rescale.VertexRescale}. Owned by the JobMaster's main thread.
 */
public abstract class State<C extends State.Context> {

    static final Duration POLL = Duration.ofMillis(2);

    /** So often it is looked within the limit of a step whether it gets on. */
    private static final int LOOKS = 10;

    private static final Logger LOG = LoggerFactory.getLogger(State.class);

    final C context;
    final VertexScaling scaling;
    final RescaleState shown;

    /** What each state may do. */
    public interface Context {

        VertexScaling scaling();

        boolean isAt(State<?> state);

        /** What keeps messages of subtasks from their peers, as they have told. */
        Map<AttemptId, String> hindrances();

        /** Runs an action later, wherever the rescale is then. */
        void schedule(Runnable action, Duration delay);

        /** As {@link io.meces.core.job.RescaleContext#canRestart}. */
        boolean canRestart();

        /** Restarts the job, which the rescale survives. */
        void failJob(Throwable cause);
    }

    State(C context, RescaleState shown) {
        this.context = context;
        this.scaling = context.scaling();
        this.shown = shown;
    }

    public abstract void enter();

    /** Whether donors and receivers only wait here for the next step: event time then goes on. */
    boolean isBetweenSteps() {
        return false;
    }

    public void onReport(AttemptId task, TaskReport report) {
        LOG.debug("{} does not expect {} from {}", shown, report, task);
    }

    public void onFinished(AttemptId task) {
        LOG.debug("{} goes on although {} has finished", shown, task);
    }

    /** Event time has gone on between two steps. */
    public void onWatermarksAligned() {}

    final boolean isCurrent() {
        return context.isAt(this);
    }

    /**
     * Reacts to what a future brings, if the rescale is still here then. Should that fail, so does
     * the job: nobody looks at what a reaction throws, and the rescale would stand still for good.
     *
     * @param future completes in the main thread
     * @param reaction is given the result or the failure
     */
    final <T> void after(
            CompletableFuture<T> future, BiConsumer<? super T, ? super Throwable> reaction) {
        future.whenComplete(
                (result, failure) -> {
                    if (!isCurrent()) {
                        return;
                    }
                    try {
                        reaction.accept(result, failure);
                    } catch (Throwable unforeseen) {
                        LOG.error("The rescale of {} cannot go on.", scaling.vertex, unforeseen);
                        // also when it has just ended: what follows it has failed then
                        context.failJob(new RescaleException("it cannot go on", unforeseen));
                    }
                });
    }

    /** Runs an action later, if the rescale is still here. */
    public final void within(Duration limit, Runnable action) {
        context.schedule(
                () -> {
                    if (isCurrent()) {
                        action.run();
                    }
                },
                limit);
    }

    /**
     * Restarts the job when a step takes too long, or has not got on for as long. If the job cannot
     * restart, the rescale waits on.
     */
    final void failAfterStepTimeout() {
        watch(0, 0, progress());
    }

    /**
     * @param idle how often it has been looked since it has got on
     * @param all how often it has been looked
     * @param before how far it was then
     */
    private void watch(int idle, int all, long before) {
        within(
                scaling.settings.stepTimeout().dividedBy(LOOKS),
                () -> {
                    long now = progress();
                    int idleNow = now > before ? 0 : idle + 1;
                    if (idleNow < LOOKS && all + 1 < LOOKS * (1L + patience())) {
                        watch(idleNow, all + 1, now);
                        return;
                    }
                    String reason = late(idleNow < LOOKS ? 1 + patience() : 1);
                    if (context.canRestart()) {
                        context.failJob(new RescaleException(reason));
                        return;
                    }
                    LOG.warn(
                            "The rescale of {} waits on, as the job cannot restart from a"
                                    + " checkpoint: {}",
                            scaling.vertex,
                            reason);
                    watch(0, 0, now);
                });
    }

    /**
     * Does something, given the reason, if the rescale is still here when a step takes too long.
     */
    final void afterStepTimeout(Consumer<String> action) {
        within(scaling.settings.stepTimeout(), () -> action.accept(late(1)));
    }

    private String late(int times) {
        return shown
                + " took longer than "
                + scaling.settings.stepTimeout().multipliedBy(times)
                + (times == 1 ? " (" : " (" + times + " times ")
                + "meces.migration.timeout), waiting for "
                + waitingFor()
                + (context.hindrances().isEmpty()
                        ? ""
                        : "; messages do not get through: " + context.hindrances());
    }

    /** How many more times a step may take as long as the limit while it gets on. */
    int patience() {
        return 0;
    }

    /** Counts what shows that it gets on, if it may take long for that. */
    long progress() {
        return 0;
    }

    String waitingFor() {
        return "";
    }
}
