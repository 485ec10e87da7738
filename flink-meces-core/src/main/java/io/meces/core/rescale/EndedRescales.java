// SPDX-License-Identifier: Apache-2.0
package io.meces.core.rescale;

import io.meces.api.RescaleDetails;
import io.meces.api.RescaleRefusedException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * What is shown of the last rescales of a job that have ended, the oldest first. They themselves
 * are let go, with their plans. Owned by the JobMaster's main thread.
 */
final class EndedRescales {

    /** How many are remembered. */
    private static final int LENGTH = 100;

    private final Deque<RescaleDetails> ended = new ArrayDeque<>();

    void add(RescaleDetails rescale) {
        ended.addLast(rescale);
        if (ended.size() > LENGTH) {
            ended.removeFirst();
        }
    }

    /**
     * @throws RescaleRefusedException if there is none of that id
     */
    RescaleDetails find(String id) throws RescaleRefusedException {
        for (RescaleDetails rescale : ended) {
            if (rescale.id().equals(id)) {
                return rescale;
            }
        }
        throw RescaleRequests.refuse(
                RescaleRefusedException.Kind.NOT_FOUND, "The job has no rescale " + id + ".");
    }

    /** A copy. */
    List<RescaleDetails> details() {
        return new ArrayList<>(ended);
    }
}
