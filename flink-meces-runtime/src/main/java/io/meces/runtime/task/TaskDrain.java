// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.task;

import io.meces.flink.runtime.Futures;
import io.meces.flink.runtime.Idleness;
import io.meces.runtime.sink.PartFiles;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.AbstractStreamOperatorV2;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.runtime.tasks.OperatorChain;
import org.apache.flink.streaming.runtime.tasks.ProcessingTimeService;
import org.apache.flink.streaming.runtime.tasks.StreamOperatorWrapper;

/**
 * How a subtask without key-groups leaves: its operators emit what they hold back and then have no
 * cause to emit anything. Stateless.
 */
final class TaskDrain {

    private TaskDrain() {}

    /**
     * Task thread.
     *
     * @param whenQuiet run in any thread when no timer can fire any more
     */
    static void endOperators(InputGroup inputs, OperatorChain<?, ?> chain, Runnable whenQuiet)
            throws Exception {
        inputs.inputs().forEach(ElasticNetworkInput::endForOperator);
        for (int i = 1; i <= inputs.inputs().size(); i++) {
            chain.endInput(i);
        }
        List<CompletableFuture<?>> timers = new ArrayList<>();
        boolean head = true;
        for (StreamOperatorWrapper<?, ?> operator : chain.getAllOperators()) {
            if (!head) {
                operator.endOperatorInput(1);
            }
            head = false;
            PartFiles.leave(operator.getStreamOperator());
            timers.add(stopTimers(operator.getStreamOperator()));
        }
        // not once more when the job ends before this subtask has left
        if (!EndOfInput.ignore(chain)) {
            inputs.inputs().forEach(ElasticNetworkInput::mustNotEnd);
        }
        // it has nothing more to say, so its consumers need not wait for its watermark
        Idleness.end(chain);
        Futures.waitForAll(timers).thenRun(whenQuiet);
    }

    private static CompletableFuture<?> stopTimers(StreamOperator<?> operator) {
        ProcessingTimeService timers = null;
        if (operator instanceof AbstractStreamOperator) {
            timers = ((AbstractStreamOperator<?>) operator).getProcessingTimeService();
        } else if (operator instanceof AbstractStreamOperatorV2) {
            timers = ((AbstractStreamOperatorV2<?>) operator).getProcessingTimeService();
        }
        // factories need not give it to their operators: that of a committer does not
        return timers == null ? CompletableFuture.completedFuture(null) : timers.quiesce();
    }
}
