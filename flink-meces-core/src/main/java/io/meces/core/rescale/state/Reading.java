// SPDX-License-Identifier: Apache-2.0
package io.meces.core.rescale.state;

import io.meces.api.RescaleState;
import io.meces.core.checkpoint.RescaleException;
import java.util.concurrent.CompletableFuture;

/** Scale-in: what the subtasks that leave have of list state is read from a checkpoint. */
public final class Reading extends State<Reading.Context> {

    private final long checkpoint;

    /** What this state may do. */
    public interface Context extends State.Context {

        /** Of the subtasks that leave. */
        CompletableFuture<Runnable> readListState(long checkpoint);

        /**
         * @param carry has later checkpoints carry that state
         */
        void onRead(Runnable carry);

        /** All key-groups have moved, but no subtask can leave: those without key-groups stay. */
        void stay(String reason);
    }

    public Reading(Context context, long checkpoint) {
        super(context, RescaleState.READING);
        this.checkpoint = checkpoint;
    }

    @Override
    public void enter() {
        failAfterStepTimeout();
        after(
                context.readListState(checkpoint),
                (carry, failure) -> {
                    if (failure != null && !context.canRestart()) {
                        context.stay("their list state cannot be handed over: " + failure);
                    } else if (failure != null) {
                        context.failJob(
                                new RescaleException(
                                        "The list state of subtasks that leave is handed"
                                                + " over by a restart of the job at the"
                                                + " new parallelism",
                                        failure));
                    } else {
                        context.onRead(carry);
                    }
                });
    }
}
