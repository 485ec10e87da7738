// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.soak;

import io.meces.experiments.measure.Interval;
import javax.annotation.Nullable;

/** An action of a soak, and what became of it. Written by the thread that drives the soak. */
final class SoakEvent {
    final SoakAction action;
    final long startMicros;
    long endMicros;

    /** A rescale's last state, or DONE, FAILED, REFUSED or SKIPPED. */
    String outcome = "";

    @Nullable String failure;

    /** Whether a TaskManager was killed in it. */
    boolean killed;

    /** Whether it was asked to abort. */
    boolean aborted;

    /** Of a rescale: from which parallelism. */
    int from;

    /** Of a rescale: how often it was begun. */
    int attempts;

    /** The longest time that a rescale left the job without a completed checkpoint. */
    @Nullable Long longestWithoutCheckpointMs;

    SoakEvent(SoakAction action, long startMicros) {
        this.action = action;
        this.startMicros = startMicros;
    }

    boolean is(SoakAction.Kind kind) {
        return action.kind == kind;
    }

    Interval interval() {
        return new Interval(startMicros, endMicros);
    }

    /** What went wrong though it should not, whatever was killed; null if all is well. */
    @Nullable
    String complaint() {
        boolean fine =
                outcome.equals("FINISHED")
                        || outcome.equals("DONE")
                        || outcome.equals("SKIPPED")
                        || outcome.equals("ABORTED") && aborted;
        return fine ? null : action + ": " + outcome + (failure == null ? "" : ", " + failure);
    }
}
