// SPDX-License-Identifier: Apache-2.0
package io.meces.core.id;

/** An operator of a vertex; Flink's {@code OperatorID}. */
public final class OperatorId extends Id {
    private static final long serialVersionUID = 1L;

    public OperatorId(long lower, long upper) {
        super(lower, upper);
    }
}
