// SPDX-License-Identifier: Apache-2.0
package io.meces.core.simulation;

/**
 * The simulated rescale did something that users would notice: a record lost, late, out of order.
 * Each seed runs in one thread.
 */
final class Violation extends AssertionError {
    private static final long serialVersionUID = 1L;

    private static final ThreadLocal<Violation> LAST = new ThreadLocal<>();

    Violation(String message) {
        super(message);
        LAST.set(this);
    }

    /** A simulation begins. */
    static void forgetLast() {
        LAST.remove();
    }

    /** Throws what was thrown, and may have been caught by the code under test. */
    static void throwLast() {
        if (LAST.get() != null) {
            throw LAST.get();
        }
    }
}
