// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.sink;

import javax.annotation.Nullable;
import org.apache.flink.util.function.ThrowingRunnable;

/**
 * Knows one kind of sinks, and how all that such a sink has taken is brought outside: so that no
 * other subtask writes a newer result of a key before. That is asked for when keys leave a subtask
 * whose chain ends in the sink.
 *
 * <p>Found by {@link java.util.ServiceLoader}, with the class loader of the job: it can be in the
 * jar of the job, or in a jar in {@code lib/} of the JobManager and of each TaskManager. It needs a
 * public constructor without parameters, and may be used by several tasks at the same time.
 *
 * <p><em>Outside</em> means: whoever reads there gets what was drained before anything that another
 * subtask writes after the drain. Transactions of two subtasks are committed for the same
 * checkpoint, in any order. So a sink that commits can only be drained if readers go by the order
 * of writing, as those of Kafka do, and not by that of the commits.
 */
public interface SinkDrain {

    /**
     * Whether a sink is of this kind. Also asked on the JobManager, when the sink is not open.
     *
     * @param sink the function of an operator, or an operator
     */
    boolean knows(Object sink);

    /**
     * What is to be done to bring outside all that the sink has taken so far; null if there is
     * nothing. Called in the task thread, between two records, and should be cheap: it may be
     * called several times before what it returns is run once, or never.
     *
     * <p>What it returns runs in another thread, while the task thread may give the sink more
     * records. It ends when all is outside that was taken before this call; whether what came later
     * is, does not matter. An exception fails the task. If the task ends before, it is interrupted.
     */
    @Nullable
    ThrowingRunnable<Exception> workToDrain(Object sink) throws Exception;

    /**
     * What users should know before keys move between subtasks of such a sink; null if there is
     * nothing. It goes on after "Operator '…' of vertex '…' ". Asked on the JobManager, when the
     * sink is not open.
     */
    @Nullable
    default String warning(Object sink) {
        return null;
    }
}
