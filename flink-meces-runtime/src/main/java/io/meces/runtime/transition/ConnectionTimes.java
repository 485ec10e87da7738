// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition;

import java.time.Duration;

/** How patient the two ends of a connection are. Immutable. */
final class ConnectionTimes {

    static final ConnectionTimes DEFAULT =
            new ConnectionTimes(
                    Duration.ofSeconds(5), Duration.ofSeconds(15), Duration.ofSeconds(10));

    /** The pauses between attempts to connect. */
    static final Backoff PAUSES = new Backoff(Duration.ofMillis(50), Duration.ofSeconds(2));

    private final long heartbeatMs;
    private final long silenceMs;
    private final long interestNanos;

    /**
     * @param heartbeat an end that has sent nothing for so long sends a sign of life
     * @param silence an end that has heard nothing for so long closes the connection
     * @param interest a connection that is lost is made again if it was used within that time;
     *     longer than reliable messaging waits before it sends again what was not acknowledged
     */
    ConnectionTimes(Duration heartbeat, Duration silence, Duration interest) {
        this.heartbeatMs = heartbeat.toMillis();
        this.silenceMs = silence.toMillis();
        this.interestNanos = interest.toNanos();
    }

    long heartbeatMs() {
        return heartbeatMs;
    }

    long silenceMs() {
        return silenceMs;
    }

    long interestNanos() {
        return interestNanos;
    }
}
