// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.faults;

import static io.meces.experiments.faults.FaultJob.COUNT;
import static io.meces.experiments.faults.FaultJob.SINK;
import static io.meces.experiments.faults.FaultJob.SOURCE;

import io.meces.api.RescaleState;
import io.meces.experiments.faults.Switches.Point;

/**
 * A phase of a rescale, and how to get it to stay there: a task that the phase waits for is held.
 * Each phase is reached from an earlier one, by holding the next task before the last one is
 * released.
 */
enum FaultPhase {
    /** No slot is free. */
    DEPLOYING(true) {
        @Override
        void reach(FaultTrial trial, int to) throws Exception {
            trial.rescale(to);
            trial.awaitState(RescaleState.DEPLOYING);
        }
    },

    /** The checkpoint that is on its way does not complete. Who counts is asked for its state. */
    QUIESCING(true) {
        @Override
        void reach(FaultTrial trial, int to) throws Exception {
            trial.hold(Point.SNAPSHOT, SINK, 0);
            trial.rescale(to);
            trial.awaitState(RescaleState.QUIESCING);
        }
    },

    /** The donor is busy. */
    BEGINNING(true) {
        @Override
        void reach(FaultTrial trial, int to) throws Exception {
            QUIESCING.reach(trial, to);
            trial.switches().hold(Point.RUN, COUNT, 0);
            trial.release(Point.SNAPSHOT, SINK, 0);
            trial.awaitHeld(Point.RUN, COUNT, 0);
            trial.awaitState(RescaleState.BEGINNING);
        }
    },

    /** The upstream is busy. */
    CONNECTING(true) {
        @Override
        void reach(FaultTrial trial, int to) throws Exception {
            BEGINNING.reach(trial, to);
            trial.hold(Point.RUN, SOURCE, 0);
            trial.release(Point.RUN, COUNT, 0);
            trial.awaitState(RescaleState.CONNECTING);
        }
    },

    /** The donor is busy when the first step begins. */
    STARTING(true) {
        @Override
        void reach(FaultTrial trial, int to) throws Exception {
            CONNECTING.reach(trial, to);
            trial.hold(Point.RUN, COUNT, 0);
            trial.release(Point.RUN, SOURCE, 0);
            trial.awaitState(RescaleState.STARTING);
        }
    },

    /** The upstream does not switch in the first step. */
    MIGRATING(true) {
        @Override
        void reach(FaultTrial trial, int to) throws Exception {
            STARTING.reach(trial, to);
            trial.hold(Point.RUN, SOURCE, 0);
            trial.release(Point.RUN, COUNT, 0);
            trial.awaitState(RescaleState.MIGRATING);
        }
    },

    /** Key-groups have moved, and the checkpoint that was due meanwhile does not complete. */
    PAUSING(true) {
        @Override
        void reach(FaultTrial trial, int to) throws Exception {
            MIGRATING.reach(trial, to);
            trial.awaitDueCheckpoint();
            trial.switches().hold(Point.SNAPSHOT, COUNT, 0);
            trial.release(Point.RUN, SOURCE, 0);
            trial.awaitHeld(Point.SNAPSHOT, COUNT, 0);
            trial.awaitState(RescaleState.PAUSING);
        }
    },

    /** Key-groups have moved, a checkpoint has the new assignment, the upstream does not switch. */
    MIGRATING_ON(true) {
        @Override
        void reach(FaultTrial trial, int to) throws Exception {
            PAUSING.reach(trial, to);
            trial.hold(Point.RUN, SOURCE, 0);
            trial.release(Point.SNAPSHOT, COUNT, 0);
            trial.awaitState(RescaleState.MIGRATING);
        }
    },

    /** Key-groups have moved, the receiver does not put in their data. State in RocksDB only. */
    TRANSFERRING(true) {
        @Override
        void reach(FaultTrial trial, int to) throws Exception {
            trial.rescaleAtOnce(to);
            trial.awaitState(RescaleState.TRANSFERRING);
            trial.hold(Point.RUN, COUNT, 1);
            trial.awaitState(RescaleState.TRANSFERRING);
        }
    },

    /** The operators of the subtask that leaves do not end. */
    DRAINING(false) {
        @Override
        void reach(FaultTrial trial, int to) throws Exception {
            trial.switches().hold(Point.END_INPUT, COUNT, 1);
            trial.rescale(to);
            trial.awaitHeld(Point.END_INPUT, COUNT, 1);
            trial.awaitState(RescaleState.DRAINING);
        }
    },

    /** The last checkpoint of the subtask that leaves does not complete. */
    CONFIRMING(false) {
        @Override
        void reach(FaultTrial trial, int to) throws Exception {
            DRAINING.reach(trial, to);
            trial.switches().hold(Point.SNAPSHOT, COUNT, 1);
            trial.release(Point.END_INPUT, COUNT, 1);
            trial.awaitHeld(Point.SNAPSHOT, COUNT, 1);
            trial.awaitState(RescaleState.CONFIRMING);
        }
    },

    /** The consumer does not hear the good-bye of the subtask that leaves. */
    RETIRING(false) {
        @Override
        void reach(FaultTrial trial, int to) throws Exception {
            CONFIRMING.reach(trial, to);
            trial.switches().hold(Point.NOTIFY, COUNT, 1);
            trial.release(Point.SNAPSHOT, COUNT, 1);
            trial.awaitHeld(Point.NOTIFY, COUNT, 1);
            trial.hold(Point.RUN, SINK, 0);
            trial.release(Point.NOTIFY, COUNT, 1);
            trial.awaitState(RescaleState.RETIRING);
        }
    },

    /** The subtask that leaves does not end. */
    CANCELLING(false) {
        @Override
        void reach(FaultTrial trial, int to) throws Exception {
            RETIRING.reach(trial, to);
            trial.switches().hold(Point.DISPOSE, COUNT, 1);
            trial.release(Point.RUN, SINK, 0);
            trial.awaitHeld(Point.DISPOSE, COUNT, 1);
            trial.awaitState(RescaleState.CANCELLING);
        }
    },

    /** The upstream does not close its channel to the subtask that has left. */
    DISCONNECTING(false) {
        @Override
        void reach(FaultTrial trial, int to) throws Exception {
            CANCELLING.reach(trial, to);
            trial.hold(Point.RUN, SOURCE, 0);
            trial.release(Point.DISPOSE, COUNT, 1);
            trial.awaitState(RescaleState.DISCONNECTING);
        }
    };

    private static final int PAYLOAD = 200_000;

    private final boolean scaleOut;

    FaultPhase(boolean scaleOut) {
        this.scaleOut = scaleOut;
    }

    /** Bytes of state of a key: where a phase is over when data has moved, that takes a second. */
    int payload() {
        return this == TRANSFERRING ? PAYLOAD : 0;
    }

    /** From 1 to 2, or from 2 to 1. */
    boolean isScaleOut() {
        return scaleOut;
    }

    /** Whether a checkpoint has completed since the rescale began. */
    boolean isAfterCheckpoint() {
        return ordinal() == MIGRATING_ON.ordinal() || ordinal() >= RETIRING.ordinal();
    }

    /** Starts a rescale and has it stay in this phase. */
    abstract void reach(FaultTrial trial, int to) throws Exception;
}
