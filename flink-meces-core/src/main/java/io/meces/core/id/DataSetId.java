// SPDX-License-Identifier: Apache-2.0
package io.meces.core.id;

import java.util.UUID;

/** What a vertex produces for one of its consumers; Flink's {@code IntermediateDataSetID}. */
public final class DataSetId extends Id {
    private static final long serialVersionUID = 1L;

    public DataSetId(long lower, long upper) {
        super(lower, upper);
    }

    /** One that nobody else has. */
    public static DataSetId random() {
        UUID random = UUID.randomUUID();
        return new DataSetId(random.getLeastSignificantBits(), random.getMostSignificantBits());
    }
}
