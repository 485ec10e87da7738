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

package io.meces.runtime.rescale;

import io.meces.api.RescaleState;
import io.meces.runtime.event.TaskCommand;
import io.meces.runtime.event.TaskReport;
import io.meces.runtime.migration.StepMoves;
import io.meces.runtime.migration.StepStatistics;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Upstreams switch and send the marker of a step; its units move. */
final class Migrating extends ReportState {

    private static final Logger LOG = LoggerFactory.getLogger(Migrating.class);

    private final StepMoves moves;
    private final MigrationFigures figures;
    private final Runnable then;

    Migrating(VertexRescale rescale, StepMoves moves, MigrationFigures figures, Runnable then) {
        super(rescale, RescaleState.MIGRATING);
        this.moves = moves;
        this.figures = figures;
        this.then = then;
    }

    @Override
    void enter() {
        failAfterStepTimeout();
        for (int subtask : moves.participants().stream().toArray()) {
            await(way.attempt(subtask), "completed");
        }
        sendUpstream(new TaskCommand.Switch(way.id, way.vertex.inputs(), moves), null);
    }

    @Override
    void onReport(ExecutionAttemptID task, TaskReport report) {
        if (report instanceof TaskReport.StepCompleted
                && ((TaskReport.StepCompleted) report).step == moves.step()) {
            TaskReport.StepCompleted completed = (TaskReport.StepCompleted) report;
            rescale.onEventTime(task, completed.time);
            figures.add(completed);
            StepStatistics statistics = completed.statistics;
            LOG.debug(
                    "Rescale {}: {} completed {}, {} units ({} on demand), {} records"
                            + " forwarded; {}",
                    way.name,
                    task,
                    moves,
                    statistics.unitsSent,
                    statistics.unitsOnDemand,
                    statistics.recordsForwarded,
                    statistics.waits);
            got(task, "completed");
        }
    }

    @Override
    void done() {
        then.run();
    }
}
