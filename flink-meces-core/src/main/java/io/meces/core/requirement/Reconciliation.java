// SPDX-License-Identifier: Apache-2.0
package io.meces.core.requirement;

import io.meces.core.id.VertexId;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Decides which rescale is next so that the vertices of a job get to their upper bounds, as far as
 * there are slots. What there are slots for comes at once. For the rest slots are asked for by a
 * rescale that waits for them, as some clusters start TaskManagers only then; in between, slots
 * that have come are taken. What has failed is tried again later and later. Owned by one thread.
 */
public final class Reconciliation {

    /** How often to look for slots. */
    public static final Duration POLL = Duration.ofSeconds(2);

    /** After a rescale for which there were slots. */
    private final RetryTimes retries =
            new RetryTimes(Duration.ofSeconds(10), Duration.ofMinutes(10));

    /** After one that has waited for slots. */
    private final RetryTimes slotRequests =
            new RetryTimes(Duration.ofMinutes(1), Duration.ofHours(1));

    /** While no rescale runs: what to do now. */
    public Decision decide(List<Demand> demands, SlotSupply supply, long nowNanos) {
        Map<VertexId, Integer> fitting = FittingGoals.of(demands, supply);
        Map<VertexId, Integer> changes = new LinkedHashMap<>();
        Map<VertexId, Integer> wanted = new LinkedHashMap<>();
        for (Demand d : demands) {
            if (d.parallelism < d.bounds.upper()) {
                wanted.put(d.vertex, d.bounds.upper());
            }
        }
        fitting.forEach(
                (vertex, goal) -> {
                    Demand d = find(demands, vertex);
                    if (d.parallelism != goal || !d.settled) {
                        changes.put(vertex, goal);
                    }
                });
        if (!changes.isEmpty()) {
            return retries.isDue(nowNanos)
                    ? Decision.rescale(changes, false)
                    : Decision.askAgainIn(retries.left(nowNanos));
        }
        if (wanted.isEmpty()) {
            return Decision.rest();
        }
        return supply.isKnown() && slotRequests.isDue(nowNanos) && retries.isDue(nowNanos)
                ? Decision.rescale(wanted, true)
                : Decision.askAgainIn(POLL);
    }

    private static Demand find(List<Demand> demands, VertexId vertex) {
        return demands.stream().filter(d -> d.vertex.equals(vertex)).findFirst().get();
    }

    /** Something else is wanted from now on: nothing of that has failed yet. */
    public void onChanged() {
        retries.reset();
        slotRequests.reset();
    }

    /** A rescale that was decided on has reached its goal, or not. */
    public void onEnded(boolean awaitedSlots, boolean successful, long nowNanos) {
        RetryTimes times = awaitedSlots ? slotRequests : retries;
        if (successful) {
            times.reset();
        } else {
            times.failed(nowNanos);
        }
    }
}
