// SPDX-License-Identifier: Apache-2.0
package io.meces.core.rescale.state;

import io.meces.core.checkpoint.RescaleException;
import io.meces.core.command.TaskCommand;
import io.meces.core.id.AttemptId;
import io.meces.core.id.VertexId;
import io.meces.core.job.BatchSize;
import io.meces.core.job.ElasticVertex;
import io.meces.core.job.JobReadiness;
import io.meces.core.job.JobTasks;
import io.meces.core.job.RescaleContext;
import io.meces.core.job.RescaleSettings;
import io.meces.core.plan.RescalePlan;
import java.time.Duration;
import java.util.BitSet;
import java.util.Collection;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import javax.annotation.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How one vertex is scaled: between which parallelisms and assignments, and the tasks that this
 * concerns. It does not change. Owned by the JobMaster's main thread.
 */
public final class VertexScaling {

    /** The subtask that hands over its broadcast state, and tells its format: it is never new. */
    public static final int BROADCAST_DONOR = 0;

    private static final Logger LOG = LoggerFactory.getLogger(VertexScaling.class);

    /** The rescale's, for the log. */
    public final String name;

    /**
     * Tells the messages of this rescale from those of any other between the same tasks, such as
     * its own rollback. Tasks take a message for one of a peer by it, so it is a secret: it is in
     * commands and in messages, and is neither logged nor shown.
     */
    public final UUID id;

    public final ElasticVertex vertex;
    public final int from;
    public final int to;

    /** Its steps are as large as they may be; they can turn out to be smaller. */
    public final RescalePlan plan;

    public final BatchSize batchSize;
    public final RescaleSettings settings;
    final JobTasks tasks;
    private final RescaleContext context;
    private final long startNanos;

    public VertexScaling(
            String name,
            UUID id,
            ElasticVertex vertex,
            int to,
            RescalePlan plan,
            BatchSize batchSize,
            RescaleSettings settings,
            RescaleContext context) {
        this.name = name;
        this.id = id;
        this.vertex = vertex;
        this.from = vertex.parallelism();
        this.to = to;
        this.plan = plan;
        this.batchSize = batchSize;
        this.settings = settings;
        this.tasks = context;
        this.context = context;
        this.startNanos = context.nanoTime();
    }

    public boolean isScaleOut() {
        return to > from;
    }

    public boolean isScaleIn() {
        return to < from;
    }

    public boolean handsOverBroadcastState() {
        return isScaleOut() && vertex.hasBroadcastInputs();
    }

    /** Those that come; none at a scale-in. */
    public BitSet newSubtasks() {
        return range(from, to);
    }

    /** Those that leave; none at a scale-out. */
    public BitSet leavingSubtasks() {
        return range(to, from);
    }

    private static BitSet range(int first, int end) {
        BitSet subtasks = new BitSet();
        subtasks.set(Math.min(first, end), end);
        return subtasks;
    }

    /** Whether all that the vertex gets comes from one subtask. */
    boolean hasSingleUpstream() {
        return vertex.inputs().size() == 1
                && vertex.upstreams().stream().mapToInt(context::activeSubtasks).sum() == 1;
    }

    /** A clock that never goes back. */
    public long nanoTime() {
        return context.nanoTime();
    }

    /** Tells the log how far the rescale is. */
    public void logReached(String what) {
        long ms = (nanoTime() - startNanos) / 1_000_000;
        LOG.info("Rescale {} of {}: {} after {} ms.", name, vertex, what, ms);
    }

    public AttemptId attempt(int subtask) {
        return context.attempt(vertex.id(), subtask);
    }

    /** Why subtasks cannot leave that are to; null: they can. */
    @Nullable
    public String whyNoneCanLeave() {
        return isScaleIn() ? JobReadiness.whyNoneCanLeave(context, vertex) : null;
    }

    /** As {@link JobReadiness#isEnding}. */
    public boolean isEnding() {
        return new JobReadiness(context).isEnding(vertex);
    }

    /** Why it cannot go on if {@link #isEnding}. */
    public String end() {
        return "all that " + vertex.name() + " reads from has finished";
    }

    /** The upstream vertex that an attempt is of; null: of none. */
    @Nullable
    public VertexId upstreamOf(AttemptId task) {
        for (VertexId upstream : vertex.upstreams()) {
            for (int i = 0; i < context.activeSubtasks(upstream); i++) {
                if (context.attempt(upstream, i).equals(task)) {
                    return upstream;
                }
            }
        }
        return null;
    }

    /**
     * Sends a command to a subtask of the vertex.
     *
     * @return fails if the task does not get it; for many commands that does not matter
     */
    CompletableFuture<?> tell(int subtask, TaskCommand command) {
        return context.send(vertex.id(), subtask, command)
                .whenComplete(
                        (ok, failure) -> {
                            if (failure != null) {
                                LOG.info(
                                        "{} did not reach subtask {} of {}: {}",
                                        command.getClass().getSimpleName(),
                                        subtask,
                                        vertex.id(),
                                        failure.toString());
                            }
                        });
    }

    /** The rescale has ended for these subtasks, which are told so until they have heard of it. */
    public void tellEnd(Collection<Integer> subtasks) {
        TaskCommand end = new TaskCommand.End(id);
        for (int subtask : subtasks) {
            tellUntilHeard(subtask, attempt(subtask), end, nanoTime());
        }
    }

    /**
     * Sends a command to a subtask of the vertex, again and again until it arrives or that attempt
     * runs no more. If it does not for as long as a step may take, the job restarts. The command is
     * one that may arrive twice, also when the rescale has ended.
     */
    private void tellUntilHeard(
            int subtask, AttemptId meant, TaskCommand command, long sinceNanos) {
        tell(subtask, command)
                .whenComplete(
                        (ok, failure) -> {
                            if (failure != null) {
                                context.schedule(
                                        () ->
                                                tellAgain(
                                                        subtask,
                                                        meant,
                                                        command,
                                                        sinceNanos,
                                                        failure),
                                        ReportState.NEWS);
                            }
                        });
    }

    private void tellAgain(
            int subtask, AttemptId meant, TaskCommand command, long sinceNanos, Throwable failure) {
        Duration limit = settings.stepTimeout();
        if (!attempt(subtask).equals(meant) || !context.isRunning(vertex.id(), subtask)) {
            return;
        }
        if (context.nanoTime() - sinceNanos < limit.toNanos()) {
            tellUntilHeard(subtask, meant, command, sinceNanos);
            return;
        }
        RescaleException unheard =
                new RescaleException(
                        command.getClass().getSimpleName()
                                + " of a rescale has not reached subtask "
                                + subtask
                                + " of "
                                + vertex
                                + " for "
                                + limit
                                + " (meces.migration.timeout): "
                                + failure,
                        failure);
        if (context.canRestart()) {
            context.failJob(unheard);
        } else {
            LOG.warn("It is told on, as the job cannot restart from a checkpoint:", unheard);
            tellUntilHeard(subtask, meant, command, context.nanoTime());
        }
    }
}
