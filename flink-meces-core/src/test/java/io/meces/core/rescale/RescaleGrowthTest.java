// SPDX-License-Identifier: Apache-2.0
package io.meces.core.rescale;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.api.RescaleDetails;
import io.meces.api.RescaleRequest;
import io.meces.api.RescaleState;
import io.meces.core.Growth;
import io.meces.core.checkpoint.RunningCheckpoint;
import io.meces.core.command.EventTime;
import io.meces.core.command.ReadAheadUse;
import io.meces.core.command.RecordWaits;
import io.meces.core.command.StepMoves;
import io.meces.core.command.StepStatistics;
import io.meces.core.command.TaskCommand;
import io.meces.core.command.TaskReport;
import io.meces.core.exchange.TransitionAddress;
import io.meces.core.id.DataSetId;
import io.meces.core.id.VertexId;
import io.meces.core.job.ElasticVertex;
import io.meces.core.job.RescaleSettings;
import io.meces.core.plan.Repartitioning;
import java.time.Duration;
import java.util.Collections;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * What a rescale costs the JobMaster's main thread for a step, or for a report: it hardly grows
 * with the key-groups that are still to move, nor with the subtasks that are none of its business.
 */
class RescaleGrowthTest {

    private static final Duration FOREVER = Duration.ofDays(1);
    private static final Duration ALIGNMENT_PACE = Duration.ofMillis(5);
    private static final int MANY_KEY_GROUPS = 1 << 15;
    private static final int FEW_KEY_GROUPS = 1 << 10;

    @Test
    void aStepCostsLittleMoreIfManyAreLeft() throws Exception {
        Doubling few = new Doubling(4, FEW_KEY_GROUPS);
        Doubling many = new Doubling(4, MANY_KEY_GROUPS);
        Growth.assertAtMost(4, () -> few.steps(8), () -> many.steps(8));
    }

    @Test
    void anAlignmentCostsLittleMoreIfManyStepsAreLeft() throws Exception {
        Doubling few = new Doubling(4, FEW_KEY_GROUPS);
        Doubling many = new Doubling(4, MANY_KEY_GROUPS);
        few.pause();
        many.pause();
        assertThat(few.alignments(20)).isEqualTo(20 * 8);
        assertThat(many.alignments(20)).isEqualTo(20 * 8);
        Growth.assertAtMost(4, () -> few.alignments(20), () -> many.alignments(20));
    }

    @Test
    void aReportCostsLittleMoreIfManySubtasksTakePart() throws Exception {
        Doubling few = new Doubling(4, FEW_KEY_GROUPS);
        Doubling many = new Doubling(FEW_KEY_GROUPS / 4, FEW_KEY_GROUPS);
        few.pause();
        many.pause();
        Growth.assertAtMost(4, () -> few.reports(400), () -> many.reports(400));
    }

    @Test
    void detailsCostLittleMoreIfManyStepsAreLeft() throws Exception {
        Doubling few = new Doubling(4, FEW_KEY_GROUPS);
        Doubling many = new Doubling(4, MANY_KEY_GROUPS);
        few.steps(1);
        many.steps(1);
        assertThat(few.details().stepsTotal()).isEqualTo(FEW_KEY_GROUPS / 2 / 4);
        assertThat(many.details().stepsTotal()).isEqualTo(MANY_KEY_GROUPS / 2 / 4);
        Growth.assertAtMost(3, () -> few.details(50), () -> many.details(50));
    }

    /** Each subtask gives half of its key-groups to a new one, one in a step. */
    private static final class Doubling {
        private final VertexId source = VertexId.random();
        private final ElasticVertex vertex;
        private final FakeContext context;
        private final RescaleController controller;
        private final UUID id;
        private final int donors;
        private long watermark;

        Doubling(int donors, int keyGroups) throws Exception {
            this.donors = donors;
            vertex =
                    new ElasticVertex(VertexId.random(), "count", donors, 2 * donors, keyGroups, 1);
            vertex.addInput(DataSetId.random(), source);
            context = new FakeContext(vertex);
            context.deployment.complete(null);
            controller =
                    new RescaleController(
                            Collections.singletonList(vertex),
                            null,
                            Collections.emptyList(),
                            new RescaleSettings(
                                    8,
                                    1,
                                    FOREVER,
                                    FOREVER,
                                    FOREVER,
                                    RunningCheckpoint.WAIT,
                                    1,
                                    Repartitioning.named("minimal-move")),
                            context);
            controller
                    .rescale(RescaleRequest.of(RescaleRequest.Target.byName("count", 2 * donors)))
                    .get();
            id = context.sent.get(0).rescale();
            for (int k = 0; k < 2 * donors; k++) {
                report(k, new TaskReport.Begun(id, new TransitionAddress("here", 1), time()));
            }
            controller.onReport(context.attempt(source, 0), new TaskReport.Connected(id));
        }

        private EventTime time() {
            return new EventTime(watermark, Long.MAX_VALUE);
        }

        private void report(int subtask, TaskReport report) {
            controller.onReport(context.attempt(vertex.id(), subtask), report);
        }

        RescaleDetails details() {
            return controller.rescales().rescales().get(0);
        }

        void details(int times) {
            for (int i = 0; i < times; i++) {
                details();
            }
        }

        void steps(int times) {
            for (int i = 0; i < times; i++) {
                step();
            }
        }

        private void step() {
            TaskCommand.StartStep start =
                    (TaskCommand.StartStep)
                            context.sent.stream()
                                    .filter(TaskCommand.StartStep.class::isInstance)
                                    .findFirst()
                                    .get();
            context.sent.clear();
            StepMoves moves = start.moves();
            moves.participants().stream()
                    .forEach(k -> report(k, new TaskReport.StepStarted(id, moves.step())));
            StepStatistics statistics =
                    new StepStatistics(1, 0, 100, 0, RecordWaits.NONE, ReadAheadUse.NONE);
            moves.participants().stream()
                    .forEach(
                            k ->
                                    report(
                                            k,
                                            new TaskReport.StepCompleted(
                                                    id,
                                                    moves.step(),
                                                    time(),
                                                    statistics,
                                                    false,
                                                    0,
                                                    0)));
        }

        /** A savepoint is asked for, and does not end. */
        void pause() {
            context.oneWaiting = true;
            context.savepointAwaited = true;
            step();
            assertThat(details().state()).isEqualTo(RescaleState.PAUSING);
            context.sent.clear();
        }

        /**
         * @return how many commands that made
         */
        int alignments(int times) {
            for (int i = 0; i < times; i++) {
                watermark++;
                for (int donor = 0; donor < donors; donor++) {
                    report(donor, new TaskReport.WatermarkRisen(id, time()));
                }
                context.advance(ALIGNMENT_PACE);
            }
            int commands = context.sent.size();
            context.sent.clear();
            return commands;
        }

        /** Faster than they are of use. */
        void reports(int times) {
            for (int i = 0; i < times; i++) {
                if (i % donors == 0) {
                    watermark++;
                }
                report(i % donors, new TaskReport.WatermarkRisen(id, time()));
            }
        }
    }
}
