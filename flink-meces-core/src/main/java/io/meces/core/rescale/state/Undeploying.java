// SPDX-License-Identifier: Apache-2.0
package io.meces.core.rescale.state;

import io.meces.api.RescaleState;
import java.util.concurrent.CompletableFuture;

/** The new subtasks are not to be: they end, and the job has not noticed anything. */
public final class Undeploying extends State<Undeploying.Context> {

    private final Runnable then;

    /** What this state may do. */
    public interface Context extends State.Context {

        CompletableFuture<?> cancelNew();
    }

    public Undeploying(Context context, Runnable then) {
        super(context, RescaleState.UNDEPLOYING);
        this.then = then;
    }

    @Override
    public void enter() {
        after(
                context.cancelNew(),
                (ok, failure) -> {
                    if (failure != null) {
                        context.failJob(failure);
                    } else {
                        then.run();
                    }
                });
    }
}
