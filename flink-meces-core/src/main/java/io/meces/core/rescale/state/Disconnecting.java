// SPDX-License-Identifier: Apache-2.0
package io.meces.core.rescale.state;

import io.meces.api.RescaleState;
import io.meces.core.command.TaskCommand;
import io.meces.core.command.TaskReport;
import io.meces.core.id.AttemptId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Upstreams close the channels to subtasks that are gone. */
public final class Disconnecting extends ReportState<State.Context> {

    private static final Logger LOG = LoggerFactory.getLogger(Disconnecting.class);

    private final int first;
    private final int end;
    private final boolean harmless;
    private final Runnable then;

    /**
     * Of subtasks first..end-1.
     *
     * @param harmless the channels have never been opened: nothing can pile up in them
     */
    public Disconnecting(
            State.Context context, int first, int end, boolean harmless, Runnable then) {
        super(context, RescaleState.DISCONNECTING);
        this.first = first;
        this.end = end;
        this.harmless = harmless;
        this.then = then;
    }

    @Override
    public void enter() {
        if (harmless) {
            afterStepTimeout(this::goOnWaiting);
        } else {
            failAfterStepTimeout();
        }
        sendUpstream(
                new TaskCommand.Disconnect(scaling.id, scaling.vertex.inputs(), first, end),
                "gone");
        maybeDone();
    }

    /** An upstream that is busy keeps nobody waiting but the next rescale. */
    private void goOnWaiting(String reason) {
        LOG.info("Rescale {} of {}: {}", scaling.name, scaling.vertex, reason);
        afterStepTimeout(this::goOnWaiting);
    }

    @Override
    public void onReport(AttemptId task, TaskReport report) {
        if (report instanceof TaskReport.Disconnected) {
            got(task, "gone");
        }
    }

    @Override
    void done() {
        then.run();
    }
}
