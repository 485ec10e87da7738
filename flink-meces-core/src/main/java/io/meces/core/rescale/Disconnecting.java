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

package io.meces.core.rescale;

import io.meces.api.RescaleState;
import io.meces.core.command.TaskCommand;
import io.meces.core.command.TaskReport;
import io.meces.core.id.AttemptId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Upstreams close the channels to subtasks that are gone. */
final class Disconnecting extends ReportState<State.Context> {

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
    Disconnecting(State.Context context, int first, int end, boolean harmless, Runnable then) {
        super(context, RescaleState.DISCONNECTING);
        this.first = first;
        this.end = end;
        this.harmless = harmless;
        this.then = then;
    }

    @Override
    void enter() {
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
    void onReport(AttemptId task, TaskReport report) {
        if (report instanceof TaskReport.Disconnected) {
            got(task, "gone");
        }
    }

    @Override
    void done() {
        then.run();
    }
}
