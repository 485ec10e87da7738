// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.apache.flink.shaded.netty4.io.netty.buffer.ByteBuf;
import org.apache.flink.shaded.netty4.io.netty.buffer.Unpooled;

/** The 128 bits by which an attempt is known, to the JobManager and to tasks. Pure. */
public final class AttemptBits {

    private static final int BYTES = 2 * Long.BYTES;

    private AttemptBits() {}

    /** Two longs, the lower bits first. Flink's own. */
    public static long[] of(ExecutionAttemptID attempt) {
        ByteBuf bits = Unpooled.buffer(BYTES, BYTES);
        attempt.writeTo(bits);
        return new long[] {bits.readLong(), bits.readLong()};
    }
}
