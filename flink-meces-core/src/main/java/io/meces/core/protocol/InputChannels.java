// SPDX-License-Identifier: Apache-2.0
package io.meces.core.protocol;

import static io.meces.core.exchange.MigrationProtocolException.checkState;

import java.util.BitSet;

/**
 * The input channels of a subtask, numbered through all gates: which can still bring elements, and
 * which have brought the marker of the current step.
 *
 * <p>Owned by the task thread.
 */
final class InputChannels {

    /** Connected and not at their end. */
    private final BitSet open;

    /** Those of broadcast inputs, whether they are open or not. */
    private final BitSet broadcast;

    private final boolean singleUpstream;
    private final BitSet passed = new BitSet();

    InputChannels(MigrationStart start) {
        this.open = (BitSet) start.openChannels.clone();
        this.broadcast = start.broadcastChannels;
        this.singleUpstream = start.singleUpstream;
    }

    boolean isBroadcast(int channel) {
        return channel >= 0 && broadcast.get(channel);
    }

    /** Whether the marker of the step has come. */
    boolean isPassed(int channel) {
        return channel >= 0 && passed.get(channel);
    }

    void pass(int channel) {
        checkState(!passed.get(channel), "a marker came twice");
        passed.set(channel);
    }

    void end(int channel) {
        open.clear(channel);
    }

    void endStep() {
        passed.clear();
    }

    /** Whether the marker has come on all channels that are open. */
    boolean areAllPassed() {
        return arePassed(open);
    }

    /** The same of the channels where the marker is a cut. */
    boolean isCutPassed() {
        return arePassed(singleUpstream ? open : broadcast);
    }

    private boolean arePassed(BitSet channels) {
        for (int c = channels.nextSetBit(0); c >= 0; c = channels.nextSetBit(c + 1)) {
            if (open.get(c) && !passed.get(c)) {
                return false;
            }
        }
        return true;
    }
}
