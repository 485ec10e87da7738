// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.soak;

import io.meces.experiments.cluster.Installation;
import io.meces.experiments.harness.ExactnessVerifier;
import io.meces.experiments.harness.Interval;
import io.meces.experiments.harness.JobHealth;
import io.meces.experiments.harness.RedisRemains;
import io.meces.experiments.harness.Samples;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import javax.annotation.Nullable;

/** The outcome of a soak. Immutable. */
public final class SoakResult {
    final SoakOptions options;
    final long seed;
    final Installation installation;
    final List<SoakEvent> events;
    final ExactnessVerifier.Verdict verdict;
    final Samples samples;
    final Interval load;
    final JobHealth health;
    final CheckpointWatch checkpoints;
    @Nullable final RedisRemains redisRemains;

    SoakResult(
            SoakOptions options,
            long seed,
            Installation installation,
            List<SoakEvent> events,
            ExactnessVerifier.Verdict verdict,
            Samples samples,
            Interval load,
            JobHealth health,
            CheckpointWatch checkpoints,
            @Nullable RedisRemains redisRemains) {
        this.options = options;
        this.seed = seed;
        this.installation = installation;
        this.events = Collections.unmodifiableList(new ArrayList<>(events));
        this.verdict = verdict;
        this.samples = samples;
        this.load = load;
        this.health = health;
        this.checkpoints = checkpoints;
        this.redisRemains = redisRemains;
    }

    /**
     * Whether every record was counted exactly once and in order, and all rescales and savepoints
     * came to the end that they should.
     */
    public boolean isSuccess() {
        return verdict.isExact() && complaints().isEmpty();
    }

    /** What went wrong, in words. */
    List<String> complaints() {
        return events.stream()
                .map(SoakEvent::complaint)
                .filter(Objects::nonNull)
                .collect(Collectors.toList());
    }

    /** Rescales that the JobManager has taken. */
    long rescales() {
        return count(
                event ->
                        event.is(SoakAction.Kind.RESCALE)
                                && !event.outcome.equals("SKIPPED")
                                && !event.outcome.equals("REFUSED"));
    }

    long rescales(String outcome) {
        return count(event -> event.is(SoakAction.Kind.RESCALE) && event.outcome.equals(outcome));
    }

    long kills() {
        return count(event -> event.killed);
    }

    long savepoints(String outcome) {
        return count(event -> event.is(SoakAction.Kind.SAVEPOINT) && event.outcome.equals(outcome));
    }

    private long count(Predicate<SoakEvent> predicate) {
        return events.stream().filter(predicate).count();
    }

    /** When something was going on. */
    List<Interval> busy() {
        return events.stream().map(SoakEvent::interval).collect(Collectors.toList());
    }
}
