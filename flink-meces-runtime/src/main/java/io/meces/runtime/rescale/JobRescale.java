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

import io.meces.runtime.api.RescaleStatus;
import io.meces.runtime.event.TaskReport;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import javax.annotation.Nullable;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;

/** One rescale of a job: its vertices one after the other. Owned by the JobMaster's main thread. */
final class JobRescale {

    private final UUID id = UUID.randomUUID();
    private final List<RescaleController.PlannedVertex> planned;
    private final RescaleSettings settings;
    private final RescaleContext context;
    private final Consumer<JobRescale> onEnd;
    private final long startTime;
    private final long startNanos;
    private final List<RescaleStatus.VertexChange> changes = new ArrayList<>();
    private final List<VertexRescale> vertices = new ArrayList<>();

    private boolean ended;
    private long endNanos;
    @Nullable private String failure;

    JobRescale(
            List<RescaleController.PlannedVertex> planned,
            RescaleSettings settings,
            RescaleContext context,
            Consumer<JobRescale> onEnd) {
        this.planned = planned;
        this.settings = settings;
        this.context = context;
        this.onEnd = onEnd;
        this.startTime = context.currentTimeMillis();
        this.startNanos = context.nanoTime();
        for (RescaleController.PlannedVertex p : planned) {
            changes.add(
                    new RescaleStatus.VertexChange(
                            p.vertex().id().toString(),
                            p.vertex().name(),
                            p.vertex().parallelism(),
                            p.parallelism()));
        }
    }

    /** 32 hex digits. */
    String id() {
        return id.toString().replace("-", "");
    }

    void start() {
        RescaleController.PlannedVertex next = planned.get(vertices.size());
        VertexRescale rescale =
                new VertexRescale(
                        id,
                        next.vertex(),
                        next.parallelism(),
                        next.plan(),
                        settings,
                        context,
                        new VertexRescale.Listener() {
                            @Override
                            public void onFinished() {
                                if (vertices.size() == planned.size()) {
                                    end(null);
                                } else {
                                    start();
                                }
                            }

                            @Override
                            public void onGivenUp(String reason) {
                                end(reason);
                            }
                        });
        vertices.add(rescale);
        rescale.start();
    }

    void onReport(ExecutionAttemptID task, TaskReport report) {
        current().onReport(task, report);
    }

    void onFinished(ExecutionAttemptID task) {
        current().onFinished(task);
    }

    void abandon(String reason) {
        if (!ended) {
            current().abandon();
            end(reason);
        }
    }

    private VertexRescale current() {
        return vertices.get(vertices.size() - 1);
    }

    private void end(@Nullable String reason) {
        ended = true;
        failure = reason;
        endNanos = context.nanoTime();
        onEnd.accept(this);
    }

    RescaleStatus status() {
        int stepsTotal = 0;
        long unitsTotal = 0;
        for (RescaleController.PlannedVertex p : planned) {
            stepsTotal += p.plan().steps().size();
            unitsTotal += (long) p.plan().moves().size() * p.vertex().subGroups();
        }
        int stepsCompleted = 0;
        long unitsMigrated = 0;
        long unitsOnDemand = 0;
        long bytes = 0;
        long longestStopNanos = 0;
        Long firstRecord = null;
        for (VertexRescale v : vertices) {
            stepsCompleted += v.stepsCompleted();
            unitsMigrated += v.unitsMigrated();
            unitsOnDemand += v.unitsOnDemand();
            bytes += v.bytes();
            longestStopNanos = Math.max(longestStopNanos, v.longestStopNanos());
            if (firstRecord == null && v.firstRecordNanos() != null) {
                firstRecord = (v.firstRecordNanos() - startNanos) / 1_000_000;
            }
        }
        return new RescaleStatus(
                id(),
                state(),
                changes,
                stepsTotal,
                stepsCompleted,
                unitsTotal,
                unitsMigrated,
                unitsOnDemand,
                bytes,
                longestStopNanos / 1_000,
                firstRecord,
                startTime,
                ((ended ? endNanos : context.nanoTime()) - startNanos) / 1_000_000,
                failure);
    }

    private RescaleStatus.State state() {
        if (ended) {
            return failure == null ? RescaleStatus.State.FINISHED : RescaleStatus.State.FAILED;
        }
        return current().phase();
    }
}
