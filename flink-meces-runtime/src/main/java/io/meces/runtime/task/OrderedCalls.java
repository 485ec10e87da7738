// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.task;

import java.lang.reflect.Field;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import javax.annotation.Nullable;
import org.apache.flink.streaming.api.functions.async.ResultFuture;
import org.apache.flink.streaming.api.operators.TimestampedCollector;
import org.apache.flink.streaming.api.operators.async.AsyncWaitOperator;
import org.apache.flink.streaming.api.operators.async.queue.OrderedStreamElementQueue;
import org.apache.flink.streaming.api.operators.async.queue.StreamElementQueue;
import org.apache.flink.streaming.runtime.streamrecord.StreamElement;
import org.apache.flink.util.FlinkRuntimeException;

/**
 * Stands in front of the queue of an operator with asynchronous calls, and tells when the results
 * of all records that are in it have been emitted. Results are emitted in order, so it counts them.
 *
 * <p>Owned by the task thread, in which Flink uses the queue.
 */
final class OrderedCalls<T> implements StreamElementQueue<T>, ChainDrain.Stage {

    private final StreamElementQueue<T> queue;
    private long emitted;

    /** How many are to be emitted until the future is complete. */
    private long awaited;

    @Nullable private CompletableFuture<Void> whenEmitted;

    private OrderedCalls(StreamElementQueue<T> queue) {
        this.queue = queue;
    }

    /**
     * Takes the place of the operator's queue, unless it has done so before.
     *
     * @return null if the operator promises no order: then there is none to be kept
     */
    @Nullable
    static OrderedCalls<?> of(AsyncWaitOperator<?, ?> operator) {
        try {
            Field field = AsyncWaitOperator.class.getDeclaredField("queue");
            field.setAccessible(true);
            Object queue = field.get(operator);
            if (queue instanceof OrderedCalls) {
                return (OrderedCalls<?>) queue;
            } else if (!(queue instanceof OrderedStreamElementQueue)) {
                return null;
            }
            OrderedCalls<?> calls = new OrderedCalls<>((StreamElementQueue<?>) queue);
            field.set(operator, calls);
            return calls;
        } catch (ReflectiveOperationException e) {
            throw new FlinkRuntimeException("Cannot reach the queue of asynchronous calls", e);
        }
    }

    @Override
    public boolean holdsBack() {
        return !queue.isEmpty();
    }

    @Override
    @Nullable
    public CompletableFuture<Void> drain() {
        if (queue.isEmpty()) {
            return null;
        }
        awaited = emitted + queue.size();
        whenEmitted = new CompletableFuture<>();
        return whenEmitted;
    }

    @Override
    public void emitCompletedElement(TimestampedCollector<T> output) {
        int before = queue.size();
        queue.emitCompletedElement(output);
        emitted += before - queue.size();
        if (whenEmitted != null && emitted >= awaited) {
            whenEmitted.complete(null);
            whenEmitted = null;
        }
    }

    @Override
    public Optional<ResultFuture<T>> tryPut(StreamElement element) {
        return queue.tryPut(element);
    }

    @Override
    public boolean hasCompletedElements() {
        return queue.hasCompletedElements();
    }

    @Override
    public List<StreamElement> values() {
        return queue.values();
    }

    @Override
    public boolean isEmpty() {
        return queue.isEmpty();
    }

    @Override
    public int size() {
        return queue.size();
    }
}
