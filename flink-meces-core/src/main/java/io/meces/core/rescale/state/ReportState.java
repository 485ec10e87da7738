// SPDX-License-Identifier: Apache-2.0
package io.meces.core.rescale.state;

import io.meces.api.RescaleState;
import io.meces.core.command.TaskCommand;
import io.meces.core.command.TaskReport;
import io.meces.core.id.AttemptId;
import io.meces.core.id.VertexId;
import io.meces.core.job.JobTasks;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import javax.annotation.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A state in which reports of tasks are awaited. Owned by the JobMaster's main thread. */
public abstract class ReportState<C extends State.Context> extends State<C> {

    private static final Logger LOG = LoggerFactory.getLogger(ReportState.class);

    /** In which we hear of a task that has ended. */
    public static final Duration NEWS = Duration.ofMillis(500);

    /** Attempt and subject of what is still to come, and how often. */
    private final Map<String, Integer> awaited = new HashMap<>();

    private final JobTasks tasks;
    private boolean complete;

    ReportState(C context, RescaleState shown) {
        super(context, shown);
        this.tasks = scaling.tasks;
    }

    /** All reports have come, or their tasks have finished. */
    abstract void done();

    final void await(AttemptId task, String subject) {
        awaited.merge(subject + " from " + task, 1, Integer::sum);
    }

    final boolean isAwaited(AttemptId task, String subject) {
        return awaited.containsKey(subject + " from " + task);
    }

    final void got(AttemptId task, String subject) {
        awaited.computeIfPresent(
                subject + " from " + task, (s, times) -> times == 1 ? null : times - 1);
        maybeDone();
    }

    @Override
    public void onFinished(AttemptId task) {
        if (awaited.keySet().removeIf(subject -> subject.endsWith(" from " + task))) {
            maybeDone();
        }
    }

    final void maybeDone() {
        if (awaited.isEmpty() && !complete && isCurrent()) {
            complete = true;
            done();
        }
    }

    /** A command to a subtask of the vertex, without which this state cannot be left. */
    final void send(int subtask, TaskCommand command) {
        send(scaling.vertex.id(), subtask, command);
    }

    /**
     * Sends a command, again and again until it arrives: one collection of a TaskManager can keep
     * it from confirming a command, which it has got or not. The time that this state may take
     * bounds that.
     */
    private void send(VertexId vertex, int subtask, TaskCommand command) {
        AttemptId meant = tasks.attempt(vertex, subtask);
        after(
                tasks.send(vertex, subtask, command),
                (ok, failure) -> {
                    if (failure != null) {
                        LOG.info(
                                "{} has not reached {}: {}",
                                command.getClass().getSimpleName(),
                                meant,
                                failure.toString());
                        // it may have finished, and we not have heard of it yet
                        within(NEWS, () -> sendAgain(vertex, subtask, meant, command));
                    }
                });
    }

    private void sendAgain(VertexId vertex, int subtask, AttemptId meant, TaskCommand command) {
        if (tasks.isFinished(vertex, subtask)) {
            onFinished(meant);
        } else {
            send(vertex, subtask, command);
        }
    }

    /**
     * To all upstream subtasks that run; an end of their output stands for their marker.
     *
     * @param subject of the report with which they answer; null: they do not
     */
    final void sendUpstream(TaskCommand command, @Nullable String subject) {
        for (VertexId upstream : scaling.vertex.upstreams()) {
            for (int i = 0; i < tasks.activeSubtasks(upstream); i++) {
                if (!tasks.isFinished(upstream, i)) {
                    sendUpstream(upstream, i, command, subject);
                }
            }
        }
    }

    private void sendUpstream(
            VertexId upstream, int subtask, TaskCommand command, @Nullable String subject) {
        AttemptId attempt = tasks.attempt(upstream, subtask);
        if (subject != null) {
            await(attempt, subject);
        }
        send(upstream, subtask, command);
    }

    /** All consumers are to report that the channels of these subtasks have come, or gone. */
    final void awaitConsumers(boolean up, int first, int end) {
        for (VertexId consumer : scaling.vertex.downstreams()) {
            for (int i = 0; i < tasks.activeSubtasks(consumer); i++) {
                if (!tasks.isFinished(consumer, i)) {
                    for (int k = first; k < end; k++) {
                        for (int g = tasks.gatesFrom(consumer, scaling.vertex); g > 0; g--) {
                            await(tasks.attempt(consumer, i), subject(up, k));
                        }
                    }
                }
            }
        }
    }

    final void got(AttemptId task, TaskReport.ChannelChanged report) {
        got(task, subject(report.up, report.channel));
    }

    static String subject(boolean up, int channel) {
        return (up ? "up " : "down ") + channel;
    }

    @Override
    String waitingFor() {
        return awaited.toString();
    }
}
