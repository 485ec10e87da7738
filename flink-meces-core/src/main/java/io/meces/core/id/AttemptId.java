// SPDX-License-Identifier: Apache-2.0
package io.meces.core.id;

import java.util.UUID;

/** An attempt to run a subtask; Flink's {@code ExecutionAttemptID}. */
public final class AttemptId extends Id {
    private static final long serialVersionUID = 1L;

    public AttemptId(long lower, long upper) {
        super(lower, upper);
    }

    /** One that nobody else has. */
    public static AttemptId random() {
        UUID random = UUID.randomUUID();
        return new AttemptId(random.getLeastSignificantBits(), random.getMostSignificantBits());
    }
}
