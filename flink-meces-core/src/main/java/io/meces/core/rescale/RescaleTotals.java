// SPDX-License-Identifier: Apache-2.0
package io.meces.core.rescale;

import io.meces.api.RescaleDetails;
import io.meces.core.command.RecordWaits;
import io.meces.core.job.MigrationFigures;
import io.meces.core.job.RescaleTarget;
import io.meces.core.rescale.state.VertexScaling;
import java.util.List;
import java.util.stream.Collectors;

/** What the rescales of some vertices have done, and are still to do, together. Pure. */
final class RescaleTotals {

    private int stepsTotal;
    private long unitsTotal;
    private int stepsCompleted;
    private long unitsMigrated;
    private long unitsOnDemand;
    private long keysFetched;
    private long bytes;
    private long longestStopNanos;
    private long orderEvents;
    private RecordWaits waits = RecordWaits.NONE;
    private Long firstRecordNanos;

    private RescaleTotals() {}

    /**
     * @param parts those that have begun, without those that a failure has undone
     * @param sinceNanos when the first one began
     */
    static void tell(
            RescaleDetails.Builder details,
            List<RescaleTarget> targets,
            List<VertexRescale> parts,
            long sinceNanos) {
        RescaleTotals totals = new RescaleTotals();
        parts.forEach(totals::add);
        for (RescaleTarget target : targets) {
            if (parts.stream().noneMatch(part -> part.scaling().vertex == target.vertex())) {
                totals.foresee(target);
            }
        }
        details.vertices(targets.stream().map(RescaleTarget::change).collect(Collectors.toList()))
                .steps(totals.stepsCompleted, totals.stepsTotal)
                .units(totals.unitsMigrated, totals.unitsTotal)
                .unitsOnDemand(totals.unitsOnDemand)
                .keysFetched(totals.keysFetched)
                .bytes(totals.bytes)
                .longestStopMicros(totals.longestStopNanos / 1_000)
                .waits(
                        totals.waits.records,
                        totals.waits.totalNanos / 1_000,
                        totals.waits.longestNanos / 1_000)
                .orderEvents(totals.orderEvents)
                .firstRecordMs(
                        totals.firstRecordNanos == null
                                ? null
                                : (totals.firstRecordNanos - sinceNanos) / 1_000_000);
    }

    private void add(VertexRescale part) {
        VertexScaling scaling = part.scaling();
        MigrationFigures figures = part.figures();
        stepsTotal += part.stepsTotal();
        unitsTotal += (long) scaling.plan.size() * scaling.vertex.subGroups();
        stepsCompleted += figures.steps();
        unitsMigrated += figures.units();
        unitsOnDemand += figures.unitsOnDemand();
        keysFetched += figures.keysFetched();
        bytes += figures.bytes();
        longestStopNanos = Math.max(longestStopNanos, figures.longestStopNanos());
        waits = waits.plus(figures.waits());
        orderEvents += figures.orderEvents();
        if (firstRecordNanos == null) {
            firstRecordNanos = figures.firstRecordNanos();
        }
    }

    private void foresee(RescaleTarget target) {
        stepsTotal += target.plan().steps().size();
        unitsTotal += (long) target.plan().size() * target.vertex().subGroups();
    }
}
