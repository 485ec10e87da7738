// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.flink.metrics.Meter;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.io.network.api.writer.ResultPartitionWriter;
import org.apache.flink.streaming.runtime.tasks.mailbox.MailboxDefaultAction;

/**
 * Stands between Flink's task and its mailbox, and tells when the task does not process input.
 * Owned by the task thread, but that any thread may have the task go on.
 */
public abstract class MeasuredController implements MailboxDefaultAction.Controller {

    private final ResultPartitionWriter[] outputs;

    /** Flink 1.12 counts any suspension as idle; what was back pressure is taken from it. */
    private final Meter idleOfFlink;

    private volatile long backPressuredNanos;
    private MailboxDefaultAction.Controller flinks;

    protected MeasuredController(Environment environment) {
        this.outputs = environment.getAllWriters();
        this.idleOfFlink = environment.getMetricGroup().getIOMetricGroup().getIdleTimeMsPerSecond();
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
    public final MailboxDefaultAction.Suspension suspendDefaultAction() {
        long millis = TimeUnit.NANOSECONDS.toMillis(backPressuredNanos);
        if (millis > 0) {
            backPressuredNanos = 0;
            idleOfFlink.markEvent(-millis);
        }
        MailboxDefaultAction.Suspension suspension = flinks.suspendDefaultAction();
        boolean backPressured = isBackPressured();
        LongSupplier measured = suspended(backPressured);
        return () -> {
            long nanos = measured.getAsLong();
            if (backPressured) {
                backPressuredNanos += nanos;
            }
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
