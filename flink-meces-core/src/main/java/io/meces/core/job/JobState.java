// SPDX-License-Identifier: Apache-2.0
package io.meces.core.job;

/** What a job is doing; the names are those of Flink's {@code JobStatus}. */
public enum JobState {
    INITIALIZING,
    CREATED,
    RUNNING,
    FAILING,
    FAILED,
    CANCELLING,
    CANCELED,
    FINISHED,
    RESTARTING,
    SUSPENDED,
    RECONCILING;

    /** Whether it is on its way to its end, or has ended, and not only for this JobManager. */
    public boolean isEnding() {
        return this == FAILING || this == CANCELLING || isTerminal() && this != SUSPENDED;
    }

    /** Whether nothing becomes of the job any more, as far as this JobManager is concerned. */
    public boolean isTerminal() {
        return this == FAILED || this == CANCELED || this == FINISHED || this == SUSPENDED;
    }
}
