/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

package io.meces.runtime.task;

import io.meces.runtime.event.TaskCommand;
import io.meces.runtime.event.TaskReport;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import javax.annotation.Nullable;
import org.apache.flink.runtime.concurrent.FutureUtils;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.AbstractStreamOperatorV2;
import org.apache.flink.streaming.api.operators.MailboxExecutor;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.runtime.streamstatus.StreamStatus;
import org.apache.flink.streaming.runtime.tasks.OperatorChain;
import org.apache.flink.streaming.runtime.tasks.StreamOperatorWrapper;
import org.apache.flink.util.function.ThrowingRunnable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How a subtask without key-groups leaves: its operators emit what they hold back and then have no
 * cause to emit anything. Owned by the task thread, but for {@link #afterCheckpointComplete}.
 */
final class Departure {

    private static final Logger LOG = LoggerFactory.getLogger(Departure.class);

    private final InputGroup inputs;
    private final OperatorChain<?, ?> chain;
    private final MailboxExecutor mailbox;
    private final Consumer<TaskReport> reports;

    /** The rescale by which it leaves; null while it stays. */
    @Nullable private UUID rescale;

    Departure(
            InputGroup inputs,
            OperatorChain<?, ?> chain,
            MailboxExecutor mailbox,
            Consumer<TaskReport> reports) {
        this.inputs = inputs;
        this.chain = chain;
        this.mailbox = mailbox;
        this.reports = reports;
    }

    void endInput(TaskCommand.EndInput command) {
        // watermarks may wait in the backlog
        inputs.whenAtRest(() -> execute(() -> endInput(command.rescale()), "End the input"));
    }

    private void endInput(UUID id) throws Exception {
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
            timers.add(stopTimers(operator.getStreamOperator()));
        }
        // not once more when the job ends before this subtask has left
        if (!EndOfInput.ignore(chain)) {
            inputs.inputs().forEach(ElasticNetworkInput::mustNotEnd);
        }
        // it has nothing more to say, so its consumers need not wait for its watermark
        chain.toggleStreamStatus(StreamStatus.IDLE);
        FutureUtils.waitForAll(timers)
                .thenRun(
                        () ->
                                // behind the mails of timers that have fired
                                execute(
                                        () -> {
                                            rescale = id;
                                            reports.accept(new TaskReport.InputEnded(id));
                                        },
                                        "The input has ended"));
    }

    private static CompletableFuture<?> stopTimers(StreamOperator<?> operator) {
        if (operator instanceof AbstractStreamOperator) {
            return ((AbstractStreamOperator<?>) operator).getProcessingTimeService().quiesce();
        } else if (operator instanceof AbstractStreamOperatorV2) {
            return ((AbstractStreamOperatorV2<?>) operator).getProcessingTimeService().quiesce();
        }
        return CompletableFuture.completedFuture(null);
    }

    /** Any thread. */
    void afterCheckpointComplete(long checkpointId) {
        execute(
                () -> {
                    if (rescale != null) {
                        reports.accept(new TaskReport.CheckpointConfirmed(rescale, checkpointId));
                    }
                },
                "A checkpoint is complete");
    }

    private void execute(ThrowingRunnable<? extends Exception> mail, String description) {
        try {
            mailbox.execute(mail, description);
        } catch (RejectedExecutionException e) {
            LOG.debug("The task has ended: {} is dropped", description, e);
        }
    }
}
