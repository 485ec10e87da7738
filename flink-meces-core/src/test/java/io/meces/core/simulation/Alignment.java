// SPDX-License-Identifier: Apache-2.0
package io.meces.core.simulation;

import java.util.BitSet;

/** Aligns the barriers of channels as Flink does, with inactive channels as our gate has them. */
final class Alignment {

    private final BitSet blocked = new BitSet();
    private int open;
    private int received;
    private long current = -1;

    Alignment(int channels) {
        open = channels;
    }

    boolean isBlocked(int channel) {
        return blocked.get(channel);
    }

    long current() {
        return current;
    }

    /**
     * A barrier has come.
     *
     * @return whether it was the last one
     */
    boolean onBarrier(long checkpoint, int channel, BitSet inactive) {
        if (checkpoint < current || checkpoint == current && received == 0) {
            return false;
        }
        if (checkpoint > current) {
            current = checkpoint;
            blocked.clear();
            // they never bring one
            received = inactive.cardinality();
        }
        blocked.set(channel);
        if (++received < open) {
            return false;
        }
        received = 0;
        blocked.clear();
        return true;
    }

    /**
     * A checkpoint is cancelled.
     *
     * @return whether that is news
     */
    boolean onCancel(long checkpoint) {
        if (checkpoint < current || checkpoint == current && received == 0) {
            return false;
        }
        current = checkpoint;
        received = 0;
        blocked.clear();
        return true;
    }

    /**
     * A channel has ended.
     *
     * @return whether that aborts an alignment
     */
    boolean onEnd() {
        open--;
        if (received == 0) {
            return false;
        }
        received = 0;
        blocked.clear();
        return true;
    }
}
