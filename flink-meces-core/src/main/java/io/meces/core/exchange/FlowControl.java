// SPDX-License-Identifier: Apache-2.0
package io.meces.core.exchange;

/**
 * How much of the background travels at a time. A window has one byte at least, which lets one
 * message go at a time; none would stop the background for good. An immutable value.
 */
public final class FlowControl {

    public final long chunkBytes;
    final long lingerNanos;
    public final long windowBytes;
    final long windowBytesOnDemand;

    /**
     * @param chunkBytes bytes of state from which on a chunk is sent
     * @param lingerNanos how long a chunk waits for more units
     * @param windowBytes what may be in flight from one task to another
     * @param windowBytesOnDemand the same while records wait for state that the task gives
     */
    public FlowControl(
            long chunkBytes, long lingerNanos, long windowBytes, long windowBytesOnDemand) {
        this.chunkBytes = chunkBytes;
        this.lingerNanos = lingerNanos;
        this.windowBytes = Math.max(1, windowBytes);
        this.windowBytesOnDemand = Math.max(1, windowBytesOnDemand);
    }
}
