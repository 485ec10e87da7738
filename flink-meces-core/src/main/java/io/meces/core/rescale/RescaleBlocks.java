// SPDX-License-Identifier: Apache-2.0
package io.meces.core.rescale;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import javax.annotation.Nullable;

/** Who wants a job to be without a rescale for a while. Owned by the JobMaster's main thread. */
final class RescaleBlocks {

    /** In the order in which they came. */
    private final Set<Block> blocks = new LinkedHashSet<>();

    /** To be done when no rescale runs. */
    private final List<CompletableFuture<Void>> awaiting = new ArrayList<>();

    /** Why no rescale begins; null: one can. */
    @Nullable
    String reason() {
        return blocks.isEmpty() ? null : blocks.iterator().next().reason;
    }

    /**
     * Does something when no rescale runs, and lets none begin, for good or until it has failed.
     *
     * @param isIdle whether none runs now
     * @param mainThread any thread may give it something to do
     */
    <T> CompletableFuture<T> run(
            String reason,
            boolean isIdle,
            Supplier<CompletableFuture<T>> action,
            Executor mainThread) {
        Block block = new Block(reason);
        blocks.add(block);
        CompletableFuture<Void> idle = new CompletableFuture<>();
        CompletableFuture<T> done =
                idle.thenCompose(none -> action.get())
                        .whenCompleteAsync(
                                (result, failure) -> {
                                    if (failure != null) {
                                        blocks.remove(block);
                                    }
                                },
                                mainThread);
        if (isIdle) {
            idle.complete(null);
        } else {
            awaiting.add(idle);
        }
        return done;
    }

    /**
     * No rescale runs any more.
     *
     * @return whether somebody has waited for that
     */
    boolean onIdle() {
        List<CompletableFuture<Void>> all = new ArrayList<>(awaiting);
        awaiting.clear();
        all.forEach(idle -> idle.complete(null));
        return !all.isEmpty();
    }

    private static final class Block {
        final String reason;

        Block(String reason) {
            this.reason = reason;
        }
    }
}
