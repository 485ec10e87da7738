// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.demo;

import io.meces.api.RescaleStatus;
import io.meces.experiments.cluster.Installation;
import io.meces.experiments.harness.ExactnessVerifier;
import io.meces.experiments.harness.Interval;
import io.meces.experiments.harness.JobHealth;
import io.meces.experiments.harness.RedisRemains;
import io.meces.experiments.harness.RescaleRun;
import io.meces.experiments.harness.Samples;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import javax.annotation.Nullable;

/** What a run of the demo has shown. */
public final class DemoResult {
    final DemoOptions options;
    final Installation installation;
    final Path reportFile;
    final ExactnessVerifier.Verdict verdict;
    final Samples samples;
    final Interval load;
    final List<RescaleRun> rescales;
    final JobHealth health;

    /** What the transition service has left in Redis; null if it does not use one. */
    @Nullable final RedisRemains redisRemains;

    DemoResult(
            DemoOptions options,
            Installation installation,
            Path reportFile,
            ExactnessVerifier.Verdict verdict,
            Samples samples,
            Interval load,
            List<RescaleRun> rescales,
            JobHealth health,
            @Nullable RedisRemains redisRemains) {
        this.options = options;
        this.installation = installation;
        this.reportFile = reportFile;
        this.verdict = verdict;
        this.samples = samples;
        this.load = load;
        this.rescales = rescales;
        this.health = health;
        this.redisRemains = redisRemains;
    }

    /**
     * Each record counted exactly once, every rescale finished, no task started again, and nothing
     * left in Redis.
     */
    public boolean isSuccess() {
        return verdict.isExact()
                && !health.wasRestarted()
                && (redisRemains == null || redisRemains.payloads == 0)
                && rescales.stream()
                        .allMatch(run -> run.rescale.status() == RescaleStatus.FINISHED);
    }

    /** From when on records count as steady, in µs since the epoch. */
    long steadyMicros() {
        return load.startMicros + options.warmUpSeconds * 1_000_000L;
    }

    /** How far behind the job was when a rescale began. */
    Backlog backlogAtStart(RescaleRun run) {
        return Backlog.at(samples, run.interval.startMicros);
    }

    /** How far behind the job was when the load ended. */
    Backlog backlogAtEnd() {
        return Backlog.at(samples, load.endMicros);
    }

    /** Whether the job was far behind when a rescale began or the load ended. */
    boolean isOverloaded() {
        return backlogAtEnd().isOverload()
                || rescales.stream().anyMatch(run -> backlogAtStart(run).isOverload());
    }

    List<Interval> affected() {
        return rescales.stream().map(RescaleRun::affected).collect(Collectors.toList());
    }

    Path plotFile() {
        return reportFile.resolveSibling("latency.png");
    }
}
