// SPDX-License-Identifier: Apache-2.0
package io.meces.core.checkpoint;

import io.meces.core.id.AttemptId;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * Acknowledges checkpoints for subtasks that cannot. Flink's coordinator waits for all attempts
 * that were current when a checkpoint was triggered: also for those that are not active, and for
 * those that leave before its barrier comes. Owned by the JobMaster's main thread.
 *
 * @param <C> a checkpoint that has been triggered and is not complete
 */
public final class AbsentAcknowledgements<C> {

    /** Far more than can leave while a checkpoint is on its way. */
    static final int REMEMBERED = 10_000;

    private final Coordinator<C> coordinator;

    /** The oldest first. */
    private final Set<AttemptId> former = new LinkedHashSet<>();

    private final Set<Long> begun = new HashSet<>();

    public AbsentAcknowledgements(Coordinator<C> coordinator) {
        this.coordinator = coordinator;
    }

    /** Who keeps the checkpoints. */
    public interface Coordinator<C> {

        /** The checkpoints that are on their way, by id. */
        Map<Long, C> incomplete();

        /** Whether a checkpoint does not wait for an attempt, or no longer. */
        boolean isAcknowledgedBy(C checkpoint, AttemptId attempt);

        /** The current attempts of subtasks that have no part in checkpoints. */
        Collection<AttemptId> inactive();

        /** The current attempts of elastic subtasks that have a part. Any thread. */
        Collection<AttemptId> active();

        /** Without any state; does nothing if the checkpoint does not wait for it. */
        void acknowledge(long checkpoint, AttemptId attempt);
    }

    /**
     * Whether a checkpoint of which no task has heard waits for all that have a part in it. If not,
     * it must not begin: a rescale that ended and another one have replaced a subtask since it was
     * triggered, and what the new attempt acknowledges would be dropped. Any thread.
     */
    public boolean awaitsAllActive(C checkpoint) {
        return coordinator.active().stream()
                .noneMatch(attempt -> coordinator.isAcknowledgedBy(checkpoint, attempt));
    }

    /**
     * An attempt acknowledges nothing any more. It is remembered although it has been acknowledged
     * for once, as until it is replaced further checkpoints are triggered that wait for it.
     */
    public void onLeaving(AttemptId attempt) {
        former.add(attempt);
        if (former.size() > REMEMBERED) {
            former.remove(former.iterator().next());
        }
    }

    /**
     * A task has acknowledged a checkpoint. At the first time the checkpoint has begun, and is
     * acknowledged for all who cannot. Several can be on their way, and the first acknowledgement
     * of a later one can come before that of an earlier one.
     */
    public void onAcknowledged(long checkpoint) {
        if (begun.contains(checkpoint)) {
            return;
        }
        Map<Long, C> onTheirWay = coordinator.incomplete();
        begun.retainAll(onTheirWay.keySet());
        C first = onTheirWay.get(checkpoint);
        if (first == null) {
            return;
        }
        begun.add(checkpoint);
        Set<AttemptId> absent = new LinkedHashSet<>(coordinator.inactive());
        absent.addAll(former);
        absent.removeIf(attempt -> coordinator.isAcknowledgedBy(first, attempt));
        absent.forEach(attempt -> coordinator.acknowledge(checkpoint, attempt));
    }
}
