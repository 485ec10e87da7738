// SPDX-License-Identifier: Apache-2.0
package io.meces.core.id;

import java.util.UUID;

/** A vertex of a job; Flink's {@code JobVertexID}. */
public final class VertexId extends Id {
    private static final long serialVersionUID = 1L;

    public VertexId(long lower, long upper) {
        super(lower, upper);
    }

    /** One that nobody else has. */
    public static VertexId random() {
        UUID random = UUID.randomUUID();
        return new VertexId(random.getLeastSignificantBits(), random.getMostSignificantBits());
    }
}
