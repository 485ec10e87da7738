// SPDX-License-Identifier: Apache-2.0
package io.meces.core.job;

import io.meces.core.checkpoint.RescaleException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.ToIntFunction;

/**
 * The list state of subtasks that are gone, by vertex. Tasks take list state only when they are
 * restored, so each checkpoint carries it until the next restore, which redistributes it. Changed
 * by the JobMaster's main thread; {@link #of} may be called by any.
 *
 * @param <S> list state, an immutable value
 */
public final class CarriedStates<S> {

    private final S none;
    private final ToIntFunction<S> parts;
    private final Executor mainThread;
    private final Map<ElasticVertex, S> carried = new ConcurrentHashMap<>();

    /**
     * @param parts the places of how many subtasks it takes in a checkpoint
     */
    public CarriedStates(S none, ToIntFunction<S> parts, Executor mainThread) {
        this.none = none;
        this.parts = parts;
        this.mainThread = mainThread;
    }

    /** What a checkpoint that begins now has to carry. */
    public S of(ElasticVertex vertex) {
        return carried.getOrDefault(vertex, none);
    }

    /** The vertex has been restored: it has what the checkpoint carried. */
    public void forget(ElasticVertex vertex) {
        set(vertex, none);
    }

    /**
     * The subtasks of a vertex from some index on leave.
     *
     * @param left how many subtasks stay
     * @param read what is carried now, and what these subtasks had in addition; completed by any
     *     thread
     * @return completes in the main thread, with what is to be run when they are gone. Fails if it
     *     cannot be carried.
     */
    public CompletableFuture<Runnable> leave(
            ElasticVertex vertex, int left, CompletableFuture<S> read) {
        // also a failure is to be told in the main thread
        return read.handleAsync(
                (state, failure) -> {
                    if (failure != null) {
                        throw new CompletionException(failure);
                    }
                    if (left + parts.applyAsInt(state) > vertex.maxParallelism()) {
                        throw new CompletionException(
                                new RescaleException(
                                        "The max parallelism leaves no room for the list state of"
                                                + " subtasks that are gone."));
                    }
                    return () -> set(vertex, state);
                },
                mainThread);
    }

    private void set(ElasticVertex vertex, S state) {
        carried.put(vertex, state);
        vertex.setCarried(parts.applyAsInt(state));
    }
}
