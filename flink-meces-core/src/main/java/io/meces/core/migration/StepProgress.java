/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

package io.meces.core.migration;

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
