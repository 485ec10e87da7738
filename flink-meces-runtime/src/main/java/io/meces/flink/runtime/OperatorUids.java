// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.nio.charset.StandardCharsets;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.shaded.guava18.com.google.common.hash.Hashing;

/** What Flink makes of the uid of an operator. */
public final class OperatorUids {

    private OperatorUids() {}

    public static OperatorID toId(String uid) {
        return new OperatorID(
                Hashing.murmur3_128(0)
                        .newHasher()
                        .putString(uid, StandardCharsets.UTF_8)
                        .hash()
                        .asBytes());
    }
}
