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

package io.meces.runtime.task;

import javax.annotation.Nullable;
import org.apache.flink.streaming.api.watermark.Watermark;

/**
 * Holds back an input's watermark while units may still come whose donor has not reached it. Owned
 * by the task thread.
 */
final class WatermarkCap {

    private long cap = Long.MAX_VALUE;
    private long emitted = Long.MIN_VALUE;
    @Nullable private Watermark waiting;

    /** What may be emitted of a watermark that has come; null if nothing. */
    @Nullable
    Watermark admit(Watermark watermark) {
        if (watermark.getTimestamp() <= cap) {
            emitted = watermark.getTimestamp();
            return watermark;
        }
        waiting = watermark;
        if (cap > emitted) {
            emitted = cap;
            return new Watermark(cap);
        }
        return null;
    }

    /** Whether nothing is held back, whatever comes. */
    boolean isOpen() {
        return cap == Long.MAX_VALUE;
    }

    /** Forbids to go beyond what has been emitted. */
    void close() {
        cap = emitted;
    }

    /**
     * Lets the watermark rise up to a time.
     *
     * @return what is to be emitted now; null if nothing
     */
    @Nullable
    Watermark raise(long newCap) {
        cap = Math.max(cap, newCap);
        if (waiting == null) {
            return null;
        }
        Watermark watermark = waiting;
        waiting = null;
        return admit(watermark);
    }

    /** The last watermark that has come, emitted or not; {@link Long#MIN_VALUE} if none has. */
    long come() {
        return waiting == null ? emitted : waiting.getTimestamp();
    }

    /** The last watermark that was emitted; {@link Long#MIN_VALUE} if none was. */
    long emitted() {
        return emitted;
    }
}
