// SPDX-License-Identifier: Apache-2.0
package io.meces.core.protocol;

import java.util.function.LongSupplier;

/**
 * Reports that a subtask gets on with something of a step that may take long, every second at most.
 * Owned by the task thread.
 */
final class StepProgress {
    private static final long REPORT_NANOS = 1_000_000_000;

    private final LongSupplier clock;
    private final LongSupplier done;
    private final Runnable report;
    private long reported;
    private long reportedNanos;

    /**
     * @param clock in ns
     * @param done counts what has been done
     * @param report tells that it is more than before
     */
    StepProgress(LongSupplier clock, LongSupplier done, Runnable report) {
        this.clock = clock;
        this.done = done;
        this.report = report;
    }

    /** A step begins. */
    void startStep() {
        reportedNanos = clock.getAsLong();
        reported = done.getAsLong();
    }

    /** Reports if more has been done since the last report, and a second has passed. */
    void tell() {
        long now = done.getAsLong();
        if (now == reported) {
            return;
        }
        long nanos = clock.getAsLong();
        if (nanos - reportedNanos >= REPORT_NANOS) {
            reportedNanos = nanos;
            reported = now;
            report.run();
        }
    }
}
