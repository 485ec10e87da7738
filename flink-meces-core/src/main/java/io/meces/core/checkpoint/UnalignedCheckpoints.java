// SPDX-License-Identifier: Apache-2.0
package io.meces.core.checkpoint;

import java.util.HashSet;
import java.util.Set;

/**
 * Which checkpoints may be unaligned, in a job that asks for such. What is in flight is restored
 * into the channels that it was in, and without what was between the records. So none may be while
 * a rescale changes who reads a channel, nor before all that it has sent through channels has been
 * read. A barrier that is aligned and complete has passed behind that.
 *
 * <p>Not thread-safe: guarded by its owner.
 */
final class UnalignedCheckpoints {

    /** Those that have passed, by id, until they have ended. */
    private final Set<Long> unaligned = new HashSet<>();

    /** Aligned ones that have passed since the last rescale has ended. */
    private final Set<Long> behindRescale = new HashSet<>();

    private boolean rescaling;
    private boolean settled = true;

    /** A rescale begins to change channels, or has ended. */
    void onRescaling(boolean now) {
        rescaling = now;
        settled = false;
        behindRescale.clear();
    }

    /** Barriers of a checkpoint are about to be sent. */
    void onPassed(long id) {
        if (rescaling) {
            return;
        }
        (settled ? unaligned : behindRescale).add(id);
    }

    /** It has ended, however it has. */
    void onEnded(long id, boolean complete) {
        settled |= behindRescale.remove(id) && complete;
        unaligned.remove(id);
    }

    boolean mayBe(long id) {
        return unaligned.contains(id);
    }
}
