// SPDX-License-Identifier: Apache-2.0
package io.meces.core.exchange;

/**
 * How many bytes a task may have in flight to one peer in the background. While records wait for
 * state that this task gives, these are few: then hardly anything is queued on the way, in the
 * peer's inbox or for the processors, and what a record waits for is not behind it. The background
 * is slower for it, but goes on.
 *
 * <p>Pure; owned by the task thread. Times are of one clock, in ns.
 */
final class PushWindow {

    /** For how long records are taken to wait after state was given to one. */
    static final long CALM_NANOS = 20_000_000;

    private final long bytes;
    private final long bytesOnDemand;
    private long calmSince;
    private boolean everDemanded;

    /**
     * @param bytes usually
     * @param bytesOnDemand while records wait; no more than usually
     */
    PushWindow(long bytes, long bytesOnDemand) {
        this.bytes = bytes;
        this.bytesOnDemand = Math.min(bytes, bytesOnDemand);
    }

    /** State was given to a record that waits for it. */
    void onDemand(long nowNanos) {
        everDemanded = true;
        calmSince = nowNanos + CALM_NANOS;
    }

    /** The bytes that may be in flight. */
    long bytes(long nowNanos) {
        return everDemanded && nowNanos - calmSince < 0 ? bytesOnDemand : bytes;
    }
}
