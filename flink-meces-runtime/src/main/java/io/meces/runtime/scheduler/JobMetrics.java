// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.scheduler;

import io.meces.api.RescaleStatus;
import io.meces.core.command.StepStatistics;
import io.meces.core.job.ElasticVertex;
import io.meces.core.job.RescaleMetrics;
import java.util.Collection;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;

/**
 * What a JobManager counts of the rescales of a job, in the group {@code meces} of the metrics of
 * the job, which Flink unregisters when the job ends. Updated by the JobMaster's main thread, read
 * by any.
 */
final class JobMetrics implements RescaleMetrics {

    static final String GROUP = "meces";

    private final Counter started;
    private final Counter finished;
    private final Counter aborted;
    private final Counter failed;
    private final Counter restarts;
    private final Counter units;
    private final Counter unitsOnDemand;
    private final Counter bytes;
    private volatile int running;

    /** In ms; -1: none has ended. */
    private volatile long lastDuration = -1;

    JobMetrics(MetricGroup job, Collection<ElasticVertex> vertices) {
        MetricGroup group = job.addGroup(GROUP);
        started = group.counter("numRescalesStarted");
        finished = group.counter("numRescalesFinished");
        aborted = group.counter("numRescalesAborted");
        failed = group.counter("numRescalesFailed");
        group.gauge("numRescalesRunning", () -> running);
        group.gauge("lastRescaleDuration", () -> lastDuration);
        restarts = group.counter("numRestartsInRescales");
        units = group.counter("numUnitsMigrated");
        unitsOnDemand = group.counter("numUnitsOnDemand");
        bytes = group.counter("numBytesMigrated");
        for (ElasticVertex vertex : vertices) {
            // several vertices of a job can have the same name
            MetricGroup ofVertex =
                    group.addGroup("vertex_id", vertex.id().toString())
                            .addGroup("vertex", vertex.name());
            ofVertex.gauge("parallelism", () -> vertex.layout().connected());
            ofVertex.gauge("capacity", vertex::capacity);
        }
    }

    @Override
    public void begun() {
        started.inc();
        running = 1;
    }

    @Override
    public void restarted() {
        restarts.inc();
    }

    @Override
    public void migrated(StepStatistics statistics) {
        units.inc(statistics.unitsSent);
        unitsOnDemand.inc(statistics.unitsOnDemand);
        bytes.inc(statistics.bytesSent);
    }

    @Override
    public void ended(RescaleStatus outcome, long durationMillis) {
        running = 0;
        lastDuration = durationMillis;
        Counter counter =
                outcome == RescaleStatus.FINISHED
                        ? finished
                        : outcome == RescaleStatus.ABORTED ? aborted : failed;
        counter.inc();
    }
}
