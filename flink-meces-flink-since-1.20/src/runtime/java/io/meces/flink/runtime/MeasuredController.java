// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.util.function.LongSupplier;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.io.network.api.writer.ResultPartitionWriter;
import org.apache.flink.streaming.runtime.tasks.mailbox.MailboxDefaultAction;
import org.apache.flink.streaming.runtime.tasks.mailbox.PeriodTimer;

/**
 * Stands between Flink's task and its mailbox, and tells when the task does not process input.
 * Owned by the task thread, but that any thread may have the task go on.
 */
public abstract class MeasuredController implements MailboxDefaultAction.Controller {

    private final ResultPartitionWriter[] outputs;
    private MailboxDefaultAction.Controller flinks;

    protected MeasuredController(Environment environment) {
        this.outputs = environment.getAllWriters();
    }

    /**
     * The task does not process input.
     *
     * @param backPressured whether its consumers are behind; else nothing has come
     * @return to be called by any thread when it goes on; how long it took, in nanoseconds
     */
    protected abstract LongSupplier suspended(boolean backPressured);

    /** That of Flink, measured. To be called each time that Flink has the task process input. */
    public final MailboxDefaultAction.Controller of(MailboxDefaultAction.Controller controller) {
        flinks = controller;
        return this;
    }

    @Override
    public final void allActionsCompleted() {
        flinks.allActionsCompleted();
    }

    @Override
    public final MailboxDefaultAction.Suspension suspendDefaultAction(PeriodTimer timer) {
        return measured(flinks.suspendDefaultAction(timer));
    }

    @Override
    public final MailboxDefaultAction.Suspension suspendDefaultAction() {
        return measured(flinks.suspendDefaultAction());
    }

    private MailboxDefaultAction.Suspension measured(MailboxDefaultAction.Suspension suspension) {
        LongSupplier measured = suspended(isBackPressured());
        return () -> {
            measured.getAsLong();
            suspension.resume();
        };
    }

    private boolean isBackPressured() {
        for (ResultPartitionWriter output : outputs) {
            if (!output.isAvailable()) {
                return true;
            }
        }
        return false;
    }
}
