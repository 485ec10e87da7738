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

package io.meces.runtime.rescale;

import io.meces.api.RescaleState;
import io.meces.runtime.event.TaskReport;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.apache.flink.util.FlinkException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A state of the rescale of a vertex: what is done there, and what is waited for. What comes next
 * is the business of {@link VertexRescale}, which is told. Owned by the JobMaster's main thread.
 */
abstract class State {

    static final Duration POLL = Duration.ofMillis(2);

    private static final Logger LOG = LoggerFactory.getLogger(State.class);

    final VertexRescale rescale;
    final Way way;
    final RescaleContext context;
    final RescaleState shown;
    private boolean aborted;

    State(VertexRescale rescale, RescaleState shown) {
        this.shown = shown;
        this.rescale = rescale;
        this.way = rescale.way();
        this.context = way.context;
    }

    abstract void enter();

    /** Whether donors and receivers only wait here for the next step: event time then goes on. */
    boolean isBetweenSteps() {
        return false;
    }

    void onReport(ExecutionAttemptID task, TaskReport report) {
        LOG.debug("{} does not expect {} from {}", shown, report, task);
    }

    void onFinished(ExecutionAttemptID task) {
        LOG.debug("{} goes on although {} has finished", shown, task);
    }

    /** A task that has finished may not have heard of the checkpoint that is on its way. */
    final void abortIfItCannotComplete() {
        if (!aborted && context.finishedVertex() != null) {
            aborted = true;
            context.checkpoints().abortRunning();
        }
    }

    /** Event time has gone on between two steps. */
    void onWatermarksAligned() {}

    final boolean isCurrent() {
        return rescale.isAt(this);
    }

    /**
     * Redistributes with what a future brings, if the rescale is still here then. Should that fail,
     * so does the job: nobody looks at what a reaction throws, and the rescale would stand still
     * for good.
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
                        LOG.error("The rescale of {} cannot go on.", way.vertex, unforeseen);
                        // also when it has just ended: what follows it has failed then
                        context.failJob(
                                new FlinkException(
                                        "The rescale of " + way.vertex + " cannot go on",
                                        unforeseen));
                    }
                });
    }

    /** Runs an action later, if the rescale is still here. */
    final void within(Duration limit, Runnable action) {
        context.schedule(
                () -> {
                    if (isCurrent()) {
                        action.run();
                    }
                },
                limit);
    }

    final void failAfterStepTimeout() {
        afterStepTimeout(reason -> rescale.failJob(new FlinkException(reason)));
    }

    /**
     * Does something, given the reason, if the rescale is still here when a step takes too long.
     */
    final void afterStepTimeout(Consumer<String> action) {
        Duration limit = way.settings.stepTimeout();
        within(
                limit,
                () ->
                        action.accept(
                                shown
                                        + " took longer than "
                                        + limit
                                        + " (meces.migration.timeout), waiting for "
                                        + waitingFor()));
    }

    String waitingFor() {
        return "";
    }
}
