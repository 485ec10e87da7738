// SPDX-License-Identifier: Apache-2.0
package io.meces.core.job;

import io.meces.core.exchange.TransitionAddress;
import io.meces.core.id.AttemptId;
import io.meces.core.plan.MovesLeft;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import javax.annotation.Nullable;

/**
 * The subtasks that take part in the rescale of a vertex: where they are, and how far they are in
 * event time. Each tells the latter again and again; what that costs does not grow with what there
 * is to move. Owned by the JobMaster's main thread.
 */
public final class Participants {

    private final Set<Integer> told = new TreeSet<>();
    private final Map<AttemptId, Integer> byAttempt = new HashMap<>();
    private final Map<Integer, TransitionAddress> addresses = new HashMap<>();
    private final Map<Integer, Progress> watermarks = new HashMap<>();

    /** Who is furthest behind first; those that have nothing to give any more go when met there. */
    private final NavigableSet<Progress> donors =
            new TreeSet<>(
                    Comparator.<Progress>comparingLong(p -> p.watermark)
                            .thenComparingInt(p -> p.subtask));

    private boolean haveEventTime;
    private long watermarkOfReceivers = Long.MIN_VALUE;

    /** It is told to begin. */
    public void add(int subtask, AttemptId attempt) {
        told.add(subtask);
        byAttempt.put(attempt, subtask);
    }

    /** Those that were told to begin, whether they have reported it or not. */
    public Set<Integer> told() {
        return told;
    }

    /** Which of them an attempt is; null: none. */
    @Nullable
    public Integer subtask(AttemptId attempt) {
        return byAttempt.get(attempt);
    }

    public void onBegun(int subtask, TransitionAddress address) {
        addresses.put(subtask, address);
    }

    /** They have all begun. */
    public void onAllBegun(Collection<Integer> receivers) {
        for (int receiver : receivers) {
            watermarkOfReceivers =
                    Math.max(watermarkOfReceivers, watermarks.get(receiver).watermark);
        }
    }

    /** A task has told its watermark; it need not be one of them. */
    public void onWatermark(AttemptId task, long watermark) {
        Integer subtask = subtask(task);
        Progress before = subtask == null ? null : watermarks.get(subtask);
        if (subtask == null || before != null && before.watermark >= watermark) {
            return;
        }
        if (before != null) {
            donors.remove(before);
        }
        Progress now = new Progress(subtask, watermark);
        watermarks.put(subtask, now);
        donors.add(now);
        haveEventTime |= watermark > Long.MIN_VALUE;
    }

    /** Whether the job has event time; otherwise no watermark has ever come. */
    public boolean haveEventTime() {
        return haveEventTime;
    }

    /** To what receivers may have risen. */
    public long watermarkOfReceivers() {
        return watermarkOfReceivers;
    }

    public TransitionAddress address(int subtask) {
        return addresses.get(subtask);
    }

    /**
     * The watermark to which all receivers may rise: none must pass any donor that still has
     * something to give. To be called between two steps; in the second one they all stand at it.
     *
     * @param left the moves that are left, those of the next step included
     */
    public long nextWatermarkOfReceivers(MovesLeft left) {
        while (!donors.isEmpty() && !left.gives(donors.first().subtask)) {
            donors.pollFirst();
        }
        long lowestOfDonors = donors.isEmpty() ? Long.MAX_VALUE : donors.first().watermark;
        watermarkOfReceivers = Math.max(watermarkOfReceivers, lowestOfDonors);
        return watermarkOfReceivers;
    }

    /** How far one is in event time. Immutable. */
    private static final class Progress {
        final int subtask;
        final long watermark;

        Progress(int subtask, long watermark) {
            this.subtask = subtask;
            this.watermark = watermark;
        }
    }
}
