// SPDX-License-Identifier: Apache-2.0
package io.meces.core.command;

import java.io.Serializable;

/** How far a subtask is in event time. Times are those of the job, in ms. Immutable. */
public final class EventTime implements Serializable {
    private static final long serialVersionUID = 1L;

    /** {@link Long#MIN_VALUE} if there was none yet. */
    public final long watermark;

    /** When its first timer is to fire; {@link Long#MAX_VALUE} if it has none. */
    public final long nextTimer;

    public EventTime(long watermark, long nextTimer) {
        this.watermark = watermark;
        this.nextTimer = nextTimer;
    }
}
