// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import org.apache.flink.runtime.io.network.api.serialization.RecordDeserializer;
import org.apache.flink.runtime.io.network.buffer.Buffer;

/** Who recycles the buffers of a deserializer. Task thread. */
public final class Deserializers {

    private Deserializers() {}

    /** A deserializer has read all of its buffer. */
    public static void onConsumed(RecordDeserializer<?> deserializer) {
        deserializer.getCurrentBuffer().recycleBuffer();
    }

    /** A deserializer is not used any more. */
    public static void release(RecordDeserializer<?> deserializer) {
        // it gives its buffer away: ask once
        Buffer buffer = deserializer.getCurrentBuffer();
        if (buffer != null && !buffer.isRecycled()) {
            buffer.recycleBuffer();
        }
        deserializer.clear();
    }
}
