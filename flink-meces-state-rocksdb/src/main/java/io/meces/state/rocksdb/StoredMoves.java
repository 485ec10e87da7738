// SPDX-License-Identifier: Apache-2.0
package io.meces.state.rocksdb;

import java.util.function.BooleanSupplier;

/**
 * Whether a checkpoint may have to store what has moved, or has been compacted since: from the
 * begin of a rescale until one is complete that began when nothing was being compacted.
 *
 * <p>Owned by the task thread.
 */
final class StoredMoves {

    /**
     * After as many checkpoints it is likely the job that has RocksDB compact, not what has moved.
     */
    static final int MANY_CHECKPOINTS = 8;

    private boolean pending;

    /** How many have been completed since compactions have gone on. */
    private int completed;

    /** The first one that has all that there is to store; none yet: the highest number. */
    private long storedBy = Long.MAX_VALUE;

    /** A rescale begins, or a database has been restored with more than belongs here. */
    void begin() {
        pending = true;
        completed = 0;
        storedBy = Long.MAX_VALUE;
    }

    /** A checkpoint is complete, and compactions have gone on since the last rescale. */
    void onComplete(long checkpoint) {
        completed++;
        pending = pending && checkpoint < storedBy && completed < MANY_CHECKPOINTS;
    }

    /**
     * A checkpoint begins.
     *
     * @param isSavepoint whether later ones have to store once more what this one does
     * @param isCompacting whether something is being compacted, or will be, which is left to later
     *     ones
     */
    boolean mayBeIn(long checkpoint, boolean isSavepoint, BooleanSupplier isCompacting) {
        if (pending && storedBy == Long.MAX_VALUE && !isSavepoint && !isCompacting.getAsBoolean()) {
            storedBy = checkpoint;
        }
        return pending;
    }
}
