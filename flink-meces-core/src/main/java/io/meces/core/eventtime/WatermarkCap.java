// SPDX-License-Identifier: Apache-2.0
package io.meces.core.eventtime;

/**
 * Holds back an input's watermark while units may still come whose donor has not reached it. Owned
 * by the task thread.
 */
public final class WatermarkCap {

    private long cap = Long.MAX_VALUE;
    private long emitted = Long.MIN_VALUE;
    private long come = Long.MIN_VALUE;

    /**
     * A watermark has come, higher than those before.
     *
     * @return whether {@link #emitted} has risen, and is to be emitted now
     */
    public boolean admit(long watermark) {
        come = watermark;
        return rise();
    }

    private boolean rise() {
        long next = Math.min(come, cap);
        if (next <= emitted) {
            return false;
        }
        emitted = next;
        return true;
    }

    /** Whether nothing is held back, whatever comes. */
    public boolean isOpen() {
        return cap == Long.MAX_VALUE;
    }

    /** Forbids to go beyond what has been emitted. */
    public void close() {
        cap = emitted;
    }

    /**
     * Lets the watermark rise up to a time.
     *
     * @return whether {@link #emitted} has risen, and is to be emitted now
     */
    public boolean raise(long newCap) {
        cap = Math.max(cap, newCap);
        return rise();
    }

    /** The last watermark that has come, emitted or not; {@link Long#MIN_VALUE} if none has. */
    public long come() {
        return come;
    }

    /** The last watermark that was emitted; {@link Long#MIN_VALUE} if none was. */
    public long emitted() {
        return emitted;
    }
}
