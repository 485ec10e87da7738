// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RunnableFuture;
import org.apache.flink.runtime.concurrent.FutureUtils;

/** Flink's helpers for futures, whose package is not the same in all lines. */
public final class Futures {

    private Futures() {}

    public static <T> CompletableFuture<T> completedExceptionally(Throwable cause) {
        return FutureUtils.completedExceptionally(cause);
    }

    /** Completes when all have, with failure as soon as one has failed. */
    public static CompletableFuture<Void> waitForAll(
            Collection<? extends CompletableFuture<?>> futures) {
        return FutureUtils.waitForAll(futures);
    }

    /** Completes with all results when all have, with failure as soon as one has failed. */
    public static <T> CompletableFuture<Collection<T>> combineAll(
            Collection<? extends CompletableFuture<? extends T>> futures) {
        return FutureUtils.combineAll(futures);
    }

    /** Runs it in this thread, if nobody has. */
    public static <T> T run(RunnableFuture<T> future)
            throws ExecutionException, InterruptedException {
        return FutureUtils.runIfNotDoneAndGet(future);
    }
}
