// SPDX-License-Identifier: Apache-2.0
package io.meces.api;

/** How a rescale stands, for those who wait for its end. No value will be added. */
public enum RescaleStatus {
    /** It goes to its goal; {@link RescaleState} says what exactly it is doing. */
    RUNNING,
    /** It goes back to where it came from, by request. */
    ROLLING_BACK,
    /** A failure has interrupted it; it goes on when the job runs again. */
    RECOVERING,
    /** It has reached its goal. */
    FINISHED,
    /** It has ended early, by request. */
    ABORTED,
    /** It has ended early, for a reason that it tells. */
    FAILED;

    /** Whether it will not change any more. */
    public boolean isTerminal() {
        return this == FINISHED || this == ABORTED || this == FAILED;
    }
}
