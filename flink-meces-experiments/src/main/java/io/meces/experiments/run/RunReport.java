// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.run;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.meces.experiments.cluster.Installation;
import io.meces.experiments.measure.Backlog;
import io.meces.experiments.measure.LatencyAnalysis;
import io.meces.experiments.measure.LatencyStatistics;
import io.meces.experiments.measure.Verdict;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import javax.annotation.Nullable;

/**
 * The report of a run for programs, by {@link Json}; of one that was cut short, what is known of
 * it. Times are in ms, those called start-ms since the start of the load.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public class RunReport {
    @Nullable private final String error;
    @JsonUnwrapped private final Verdict verdict;

    @JsonProperty("rescales")
    private final Object rescales;

    @Nullable private final Double loadMs;

    /** By what the records have in common. */
    protected final Map<String, LatencyStatistics> latencyMs = new LinkedHashMap<>();

    @Nullable @JsonUnwrapped private final JobHealth health;
    @Nullable @JsonUnwrapped private final RedisRemains redis;
    private final Map<String, Object> parameters;
    private final Map<String, Object> versions;

    /**
     * A report.
     *
     * @param rescales what is to be told of rescales; null: each of the result
     * @param failure why the run was cut short; null if it was not
     */
    protected RunReport(
            RunResult result,
            RunOptions options,
            Installation installation,
            @Nullable Object rescales,
            @Nullable Exception failure) {
        this.error = failure == null ? null : text(failure);
        this.verdict = result.verdict;
        this.rescales = rescales != null ? rescales : Rescale.all(result);
        this.loadMs = result.load == null ? null : result.load.millis();
        this.health = result.health;
        this.redis = result.redis;
        this.parameters = options.parameters();
        this.versions = Machine.describe(installation);
    }

    /** What to say of a failure. */
    public static String text(Exception failure) {
        return failure.getMessage() == null ? failure.toString() : failure.getMessage();
    }

    /** A rescale, and what it did to latency. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    private static final class Rescale {
        @JsonUnwrapped private final RescaleRun run;
        private final double observedDurationMs;
        @Nullable private Double startMs;
        @Nullable private Double behindMs;
        @Nullable private Long backlogRecords;
        @Nullable private LatencyStatistics latencyMs;
        @Nullable private Double longestGapMs;

        private Rescale(RescaleRun run) {
            this.run = run;
            this.observedDurationMs = run.interval.millis();
        }

        private static List<Rescale> all(RunResult result) {
            List<Rescale> all =
                    result.rescales.stream().map(Rescale::new).collect(Collectors.toList());
            if (result.load != null) {
                LatencyAnalysis analysis = new LatencyAnalysis(result.samples, result.load);
                for (Rescale rescale : all) {
                    Backlog backlog = Backlog.at(result.samples, rescale.run.interval.startMicros);
                    rescale.startMs =
                            (rescale.run.interval.startMicros - result.load.startMicros) / 1e3;
                    rescale.behindMs = backlog.behindMillis();
                    rescale.backlogRecords = backlog.records;
                    rescale.latencyMs = analysis.within(rescale.run.affected());
                    rescale.longestGapMs = rescale.latencyMs.longestGap;
                }
            }
            return all;
        }
    }
}
