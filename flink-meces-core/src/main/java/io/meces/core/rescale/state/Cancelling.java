// SPDX-License-Identifier: Apache-2.0
package io.meces.core.rescale.state;

import io.meces.api.RescaleState;
import java.util.concurrent.CompletableFuture;

/** Scale-in: the subtasks that leave end. */
public final class Cancelling extends State<Cancelling.Context> {

    /** What this state may do. */
    public interface Context extends State.Context {

        CompletableFuture<?> cancelLeaving();

        void onCancelled();
    }

    public Cancelling(Context context) {
        super(context, RescaleState.CANCELLING);
    }

    @Override
    public void enter() {
        failAfterStepTimeout();
        after(
                context.cancelLeaving(),
                (ok, failure) -> {
                    if (failure != null) {
                        context.failJob(failure);
                    } else {
                        context.onCancelled();
                    }
                });
    }
}
