// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import org.apache.flink.runtime.io.network.api.serialization.RecordDeserializer;

/** Who recycles the buffers of a deserializer: it does. Task thread. */
public final class Deserializers {

    private Deserializers() {}

    /** A deserializer has read all of its buffer. */
    public static void onConsumed(RecordDeserializer<?> deserializer) {
        // it has recycled it
    }

    /** A deserializer is not used any more. */
    public static void release(RecordDeserializer<?> deserializer) {
        deserializer.clear();
    }
}
