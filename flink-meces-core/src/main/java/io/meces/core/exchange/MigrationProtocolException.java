// SPDX-License-Identifier: Apache-2.0
package io.meces.core.exchange;

/** The migration protocol was violated: going on could lose or reorder records. */
public final class MigrationProtocolException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public MigrationProtocolException(String message) {
        super(message);
    }

    /** Fails with a message if a condition is not met. */
    public static void checkState(boolean condition, String violation) {
        if (!condition) {
            throw new MigrationProtocolException(violation);
        }
    }
}
