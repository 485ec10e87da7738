// SPDX-License-Identifier: Apache-2.0
package io.meces.core.command;

import io.meces.core.exchange.TaskThread;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a task has reported to the JobManager and is not confirmed yet. Reports are numbered from 0
 * in the order in which they were made. Each transmission has all that are not confirmed, so the
 * JobManager gets them in order and without gaps, whichever transmissions are lost, and tells by
 * the numbers what it has heard before. One that fails is repeated after {@link #PAUSE_NANOS},
 * until it is confirmed or the task ends.
 *
 * <p>Owned by the task thread.
 */
public final class ReportOutbox<R> {

    /** Between a failure and the repetition. */
    static final long PAUSE_NANOS = 500_000_000;

    private static final Logger LOG = LoggerFactory.getLogger(ReportOutbox.class);

    private final TaskThread thread;
    private final Link<R> link;
    private final ArrayDeque<R> unconfirmed = new ArrayDeque<>();

    /** The number of the oldest that is not confirmed, or of the next one. */
    private long first;

    private boolean repeatScheduled;

    public ReportOutbox(TaskThread thread, Link<R> link) {
        this.thread = thread;
        this.link = link;
    }

    /** The way to the JobManager. */
    public interface Link<R> {

        /**
         * Sends reports.
         *
         * @param first the number of the first of them
         * @return complete when the JobManager has heard them all, or it is not known whether it
         *     has; by any thread
         */
        CompletionStage<?> send(long first, List<R> reports);
    }

    public void add(R report) {
        unconfirmed.add(report);
        transmit();
    }

    private void transmit() {
        long end = first + unconfirmed.size();
        link.send(first, new ArrayList<>(unconfirmed))
                .whenComplete(
                        (confirmed, failure) ->
                                thread.execute(
                                        () -> onAnswer(end, failure), "Reports are answered"));
    }

    private void onAnswer(long end, Throwable failure) {
        if (failure == null) {
            for (; first < end; first++) {
                unconfirmed.remove();
            }
        } else if (first < end && !repeatScheduled) {
            LOG.info("Not confirmed, to be sent again: {}: {}", unconfirmed, failure.toString());
            repeatScheduled = true;
            thread.executeAfter(PAUSE_NANOS, this::repeat, "Repeat reports");
        }
    }

    private void repeat() {
        repeatScheduled = false;
        if (!unconfirmed.isEmpty()) {
            transmit();
        }
    }
}
