// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.nio.ByteBuffer;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.apache.flink.shaded.guava18.com.google.common.hash.Hashing;
import org.apache.flink.shaded.netty4.io.netty.buffer.ByteBuf;
import org.apache.flink.shaded.netty4.io.netty.buffer.Unpooled;

/** The 128 bits by which an attempt is known, to the JobManager and to tasks. Pure. */
public final class AttemptBits {

    private AttemptBits() {}

    /**
     * Two longs, the lower bits first. Flink's identifier is longer: it has those of the execution
     * graph (random) and of the vertex, index and number of the attempt. This is its hash, so there
     * is no way back.
     */
    public static long[] of(ExecutionAttemptID attempt) {
        int bytes = ExecutionAttemptID.getByteBufLength();
        ByteBuf all = Unpooled.buffer(bytes, bytes);
        attempt.writeTo(all);
        ByteBuffer hash =
                ByteBuffer.wrap(Hashing.murmur3_128(0).hashBytes(all.array(), 0, bytes).asBytes());
        return new long[] {hash.getLong(), hash.getLong()};
    }
}
