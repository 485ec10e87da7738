// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.task;

import io.meces.core.exchange.TaskThread;
import io.meces.core.protocol.ResultDrain;
import io.meces.flink.runtime.SinkOperators;
import io.meces.runtime.sink.SinkDrains;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import javax.annotation.Nullable;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.AbstractStreamOperatorV2;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.async.AsyncWaitOperator;
import org.apache.flink.streaming.runtime.tasks.OperatorChain;
import org.apache.flink.streaming.runtime.tasks.StreamOperatorWrapper;
import org.apache.flink.util.FlinkRuntimeException;
import org.apache.flink.util.TemporaryClassLoaderContext;
import org.apache.flink.util.function.ThrowingRunnable;

/**
 * Brings outside, or to the outputs of the task, what the operators of a chain have taken and hold
 * back: records in bundles, asynchronous calls in order, what a sink has not written yet.
 *
 * <p>Operators are drained one after the other, in the order of the chain, as each may give
 * something to those behind it. Sinks are drained in another thread, while the task goes on; but
 * writers of a unified sink in the task thread, to which they belong.
 *
 * <p>Owned by the task thread.
 */
final class ChainDrain implements ResultDrain {

    /** Instead of the id of a checkpoint; Flink's begin at 1. */
    private static final long NO_CHECKPOINT = 0;

    private final List<Stage> stages = new ArrayList<>();
    private final ClassLoader userCode;
    private final ExecutorService executor;
    private final TaskThread thread;
    @Nullable private Future<?> running;
    private boolean closed;

    /** An operator that may hold something back. */
    interface Stage {
        /** Whether it holds something back, or may do so. */
        boolean holdsBack() throws Exception;

        /**
         * Gives on what it holds back.
         *
         * @return completes when that is done, in any thread; null if it has been done
         */
        @Nullable
        CompletableFuture<Void> drain() throws Exception;
    }

    /**
     * @param userCode the class loader of the job
     * @param executor where sinks are drained
     * @param mailbox runs something in the task thread later
     */
    ChainDrain(
            OperatorChain<?, ?> chain,
            ClassLoader userCode,
            ExecutorService executor,
            TaskThread thread) {
        this.userCode = userCode;
        this.executor = executor;
        this.thread = thread;
        SinkDrains sinks = SinkDrains.of(userCode);
        List<Stage> bundles = new ArrayList<>();
        for (StreamOperatorWrapper<?, ?> wrapper : chain.getAllOperators()) {
            StreamOperator<?> operator = wrapper.getStreamOperator();
            if (ElasticTimers.keyedStateBackend(operator) != null) {
                // those up to here give on what they hold back before a unit is taken out
                stages.removeAll(bundles);
                bundles.clear();
            }
            SinkDrains.Drainable sink = sinks.find(operator);
            if (sink != null) {
                stages.add(new Sink(sink));
            } else if (operator instanceof AsyncWaitOperator) {
                Stage calls = OrderedCalls.of((AsyncWaitOperator<?, ?>) operator);
                if (calls != null) {
                    stages.add(calls);
                }
            } else if (ElasticTimers.keyedStateBackend(operator) == null) {
                ThrowingRunnable<Exception> flush = flush(operator);
                if (flush != null) {
                    bundles.add(new Bundle(flush));
                    stages.add(bundles.get(bundles.size() - 1));
                }
            }
        }
    }

    /**
     * What an operator does before a barrier so that it has nothing in memory, but for a commit
     * that is not to come; null: nothing.
     */
    @Nullable
    private static ThrowingRunnable<Exception> flush(StreamOperator<?> operator) {
        if (SinkOperators.preparesCommits(operator)) {
            return SinkOperators.flush(operator);
        }
        try {
            Class<?> declaring =
                    operator.getClass()
                            .getMethod("prepareSnapshotPreBarrier", long.class)
                            .getDeclaringClass();
            return declaring == AbstractStreamOperator.class
                            || declaring == AbstractStreamOperatorV2.class
                    ? null
                    : () -> operator.prepareSnapshotPreBarrier(NO_CHECKPOINT);
        } catch (NoSuchMethodException e) {
            throw new FlinkRuntimeException("Not an operator of this Flink: " + operator, e);
        }
    }

    @Override
    public boolean holdsBack() throws Exception {
        for (Stage stage : stages) {
            if (stage.holdsBack()) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void drain(TaskThread.Mail whenDrained) throws Exception {
        drainFrom(0, whenDrained);
    }

    private void drainFrom(int first, TaskThread.Mail whenDrained) throws Exception {
        for (int i = first; i < stages.size(); i++) {
            CompletableFuture<Void> drained = stages.get(i).drain();
            if (drained != null) {
                int next = i + 1;
                drained.whenComplete(
                        (nothing, failure) ->
                                thread.execute(
                                        () -> goOn(next, failure, whenDrained),
                                        "The chain is drained"));
                return;
            }
        }
        whenDrained.run();
    }

    private void goOn(int next, @Nullable Throwable failure, TaskThread.Mail whenDrained)
            throws Exception {
        running = null;
        if (closed) {
            return;
        }
        if (failure != null) {
            throw new FlinkRuntimeException("A sink cannot write what it has taken", failure);
        }
        drainFrom(next, whenDrained);
    }

    @Override
    public void close() {
        closed = true;
        if (running != null) {
            running.cancel(true);
        }
    }

    /** An operator that collects records to give them on, or to write them, together. */
    private static final class Bundle implements Stage {
        private final ThrowingRunnable<Exception> flush;

        Bundle(ThrowingRunnable<Exception> flush) {
            this.flush = flush;
        }

        @Override
        public boolean holdsBack() {
            return true;
        }

        @Override
        @Nullable
        public CompletableFuture<Void> drain() throws Exception {
            flush.run();
            return null;
        }
    }

    /** A sink of a kind that is known. */
    private final class Sink implements Stage {
        private final SinkDrains.Drainable sink;

        Sink(SinkDrains.Drainable sink) {
            this.sink = sink;
        }

        @Override
        public boolean holdsBack() throws Exception {
            return sink.workToDrain() != null;
        }

        @Override
        @Nullable
        public CompletableFuture<Void> drain() throws Exception {
            ThrowingRunnable<Exception> work = sink.workToDrain();
            if (work == null) {
                return null;
            }
            CompletableFuture<Void> done = new CompletableFuture<>();
            running = executor.submit(() -> run(work, done));
            return done;
        }

        private void run(ThrowingRunnable<Exception> work, CompletableFuture<Void> done) {
            try (TemporaryClassLoaderContext ignored = TemporaryClassLoaderContext.of(userCode)) {
                work.run();
                done.complete(null);
            } catch (Throwable t) {
                // whoever awaits it fails
                done.completeExceptionally(t);
            }
        }
    }
}
