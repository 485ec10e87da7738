// SPDX-License-Identifier: Apache-2.0
package io.meces.core.rescale.state;

import io.meces.api.RescaleState;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Subtasks end: those that leave, or new ones that are not to be. */
public final class Cancelling extends State<State.Context> {

    private final Supplier<CompletableFuture<?>> cancel;
    private final Runnable then;

    /**
     * @param cancel ends them; completes when they are gone
     */
    public Cancelling(
            State.Context context,
            RescaleState shown,
            Supplier<CompletableFuture<?>> cancel,
            Runnable then) {
        super(context, shown);
        this.cancel = cancel;
        this.then = then;
    }

    @Override
    public void enter() {
        if (shown == RescaleState.CANCELLING) {
            // nobody waits for new subtasks to end but the next attempt
            failAfterStepTimeout();
        }
        after(
                cancel.get(),
                (ok, failure) -> {
                    if (failure != null) {
                        context.failJob(failure);
                    } else {
                        then.run();
                    }
                });
    }
}
