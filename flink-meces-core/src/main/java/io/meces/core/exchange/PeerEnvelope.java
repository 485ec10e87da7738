// SPDX-License-Identifier: Apache-2.0
package io.meces.core.exchange;

import java.util.UUID;

/** A message as it has come: from whom, in which rescale, and where it stands among the others. */
public interface PeerEnvelope {

    UUID rescale();

    /** The subtask index of the sender. */
    int from();

    /**
     * The attempt of the sender; equal to what {@link
     * io.meces.core.protocol.SubtaskRescale#startStep} is told.
     */
    Object sender();

    Priority priority();

    /** The position in the priority, from 0; -1 for an acknowledgement. */
    long sequence();

    PeerMessage content();
}
