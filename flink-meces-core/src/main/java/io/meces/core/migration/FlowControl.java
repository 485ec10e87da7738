/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

package io.meces.core.migration;

/**
 * How much of the background travels at a time. A window has one byte at least, which lets one
 * message go at a time; none would stop the background for good. An immutable value.
 */
public final class FlowControl {

    final long chunkBytes;
    final long lingerNanos;
    final long windowBytes;
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
