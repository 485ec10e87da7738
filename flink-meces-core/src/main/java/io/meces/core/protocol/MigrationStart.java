// SPDX-License-Identifier: Apache-2.0
package io.meces.core.protocol;

import java.util.BitSet;

/** How a subtask stands when a rescale begins. An immutable value. */
public final class MigrationStart {

    /** Whether the subtask takes units. */
    final boolean receives;

    final BitSet openChannels;
    final BitSet broadcastChannels;
    final boolean broadcastStateMissing;
    final long watermark;
    final boolean singleUpstream;

    /**
     * @param receives whether the subtask takes units
     * @param openChannels the input channels (numbered through all gates) that are connected and
     *     not at their end
     * @param broadcastChannels the input channels of which a record concerns all units
     * @param broadcastStateMissing whether the subtask is new and will be handed over the state of
     *     the broadcast records that came before
     * @param watermark the operator's current watermark
     * @param singleUpstream whether all elements come from one upstream subtask; the watermark of a
     *     receiver must not be held back then
     */
    public MigrationStart(
            boolean receives,
            BitSet openChannels,
            BitSet broadcastChannels,
            boolean broadcastStateMissing,
            long watermark,
            boolean singleUpstream) {
        this.receives = receives;
        this.openChannels = (BitSet) openChannels.clone();
        this.broadcastChannels = (BitSet) broadcastChannels.clone();
        this.broadcastStateMissing = broadcastStateMissing;
        this.watermark = watermark;
        this.singleUpstream = singleUpstream;
    }

    /** Whether the subtask's watermark stands still until it is told that it may rise. */
    boolean holdsWatermark() {
        return receives && !singleUpstream;
    }
}
