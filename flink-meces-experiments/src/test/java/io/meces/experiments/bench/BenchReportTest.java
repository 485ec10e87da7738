// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.meces.api.RescaleDetails;
import io.meces.api.RescaleStatus;
import io.meces.experiments.cluster.Installation;
import io.meces.experiments.measure.Interval;
import io.meces.experiments.measure.Samples;
import io.meces.experiments.measure.Stages;
import io.meces.experiments.run.JobHealth;
import io.meces.experiments.run.Json;
import io.meces.experiments.run.RescaleRun;
import io.meces.experiments.run.RunResult;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Collections;
import javax.annotation.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BenchReportTest {
    private static final long START = 1_700_000_000_000_000L;
    private static final long SECOND = 1_000_000L;
    private static final Mechanism MECES = Mechanism.parse("meces", "netty");
    private static final Mechanism NATIVE = Mechanism.parse("native", "netty");

    private final KeyCountOptions options = new KeyCountOptions();
    private final WorkloadResult result =
            new WorkloadResult(options.workloads().get(0), Arrays.asList(MECES, NATIVE));

    @TempDir private Path folder;

    @Test
    void mediansAreOfAllRunsAndRatiosOfRunsOfTheSameRepeat() throws Exception {
        run(MECES, 1, 20, true);
        run(MECES, 2, 60, true);
        run(MECES, 3, 40, true);
        run(NATIVE, 1, 200, true);
        run(NATIVE, 2, 1_200, true);
        run(NATIVE, 3, 100, true);

        assertThat(result.median(MECES, "result-rescale-peak-ms")).isBetween(39.0, 42.0);
        assertThat(result.ratio(MECES, NATIVE, "result-rescale-peak-ms")).isBetween(0.09, 0.11);
        assertThat(result.typical(MECES).repeat).isEqualTo(3);
        assertThat(result.isSuccess()).isTrue();
        JsonNode json = Json.of(report(null));
        assertThat(json.path("workloads").path(0).path("runs")).hasSize(6);
        assertThat(
                        json.path("workloads")
                                .path(0)
                                .path("medians")
                                .path("native")
                                .path("result-rescale-peak-ms")
                                .asDouble())
                .isBetween(199.0, 202.0);
    }

    @Test
    void theFilesTellWhatWasNotExact() throws Exception {
        run(MECES, 1, 20, true);
        run(NATIVE, 1, 200, false);

        report(null).writeTo(folder.resolve("report.json"));

        assertThat(text("report.md"))
                .contains("| meces | ")
                .contains("| meces | 1000 | 5 | 80 (0) |")
                .contains("| 1 of 1 | 0 | 0 |")
                .contains("| meces | 10 | 0 | 1 | 2.1 | 30 | 12.5 |")
                .contains("| native | 10 | 0 |  | ")
                .contains("| 0 of 1 | 1 | 0 |")
                .contains("lost: something")
                .contains("median of the runs: 0.104 (results), 0.104 (markers).")
                .contains("* keys: 100000")
                .doesNotContain("RocksDB");
        assertThat(text("runs.csv").split("\n")).hasSize(3);
        assertThat(text("runs.csv")).contains("key-count,native,1,false,0,");
        assertThat(text("latency.csv").split("\n")).hasSize(1 + 2 * 100);
        assertThat(result.isSuccess()).isFalse();
    }

    @Test
    void anExperimentThatWasCutShortTellsWhyAndWhatThereIs() throws Exception {
        run(MECES, 1, 20, true);

        report(new IOException("The broker is gone.")).writeTo(folder.resolve("report.json"));

        assertThat(text("report.md"))
                .contains("The broker is gone.")
                .contains("| meces | ")
                .doesNotContain("| native | ");
    }

    @Test
    void peaksAreComparedIfThereWereRecordsInTheRescale() throws Exception {
        run(MECES, 1, 20, true, false);
        run(NATIVE, 1, 200, true, false);

        report(null).writeTo(folder.resolve("report.json"));

        assertThat(text("report.md"))
                .contains("of that of native, median of the runs: 0.104 (markers).")
                .doesNotContain("NaN", "Infinity");
    }

    @Test
    void whatRocksDBWaitedForIsTold() throws Exception {
        Path logs = Files.createDirectories(folder.resolve("rocksdb"));
        RocksDBStallsTest.write(logs.resolve("tmp_db_LOG"), RocksDBStallsTest.LINES);
        run(MECES, 1, 20, true);

        report(null).writeTo(folder.resolve("report.json"));

        assertThat(text("report.md"))
                .contains("* meces, run 1: 2 times in the rescale, 1 times before it");
    }

    @Test
    void picturesAreDrawnOfWhatThereIs() throws Exception {
        run(MECES, 1, 20, true);
        run(NATIVE, 1, 200, true);

        BenchPlots.write(result, folder);

        assertThat(BenchPlots.names(result))
                .contains("key-count-latency.png", "key-count-causes.png", "key-count-memory.png")
                .allSatisfy(name -> assertThat(folder.resolve(name)).isNotEmptyFile());
    }

    private BenchReport report(@Nullable Exception failure) {
        EnvironmentFactory here = options.environments(new Installation(Paths.get("")), null);
        return new BenchReport(options, here, Collections.singletonList(result), failure);
    }

    private String text(String file) throws IOException {
        return new String(Files.readAllBytes(folder.resolve(file)), StandardCharsets.UTF_8);
    }

    /** A run of 10 s with a rescale after 5 s that has a peak. */
    private void run(Mechanism mechanism, int repeat, long peakMillis, boolean exact)
            throws IOException {
        run(mechanism, repeat, peakMillis, exact, true);
    }

    private void run(
            Mechanism mechanism,
            int repeat,
            long peakMillis,
            boolean exact,
            boolean resultsInTheRescale)
            throws IOException {
        Samples samples = new Samples();
        Samples results = new Samples();
        Stages stages = new Stages();
        for (long due = START; due < START + 10 * SECOND; due += 10_000) {
            boolean slow = due >= START + 5 * SECOND && due < START + 6 * SECOND;
            long millis = slow ? peakMillis : 10;
            samples.add(due, due / 1_000 + millis);
            if (due < START + 3 * SECOND || resultsInTheRescale) {
                results.add(due, due / 1_000 + millis);
            }
            stages.add(due, due + 1_000, due + 2_000, due + millis * 1_000);
        }
        Interval measured = new Interval(START, START + 10 * SECOND);
        Interval rescale = new Interval(START + 5 * SECOND, START + 6 * SECOND);
        RescaleDetails details =
                RescaleDetails.of("cafe", RescaleStatus.FINISHED)
                        .time(START / 1_000, 1_000)
                        .units(5 * options.subGroups, 5 * options.subGroups)
                        .waits(30, 320_000, 12_500)
                        .build();
        RunResult run = new RunResult();
        run.load = measured;
        run.samples = results;
        run.markers = samples;
        run.stages = stages;
        run.health = JobHealth.of(2, 0);
        run.verdict.records = 1_000;
        run.verdict.results = exact ? 1_000 : 999;
        run.verdict.lost = exact ? 0L : 1L;
        run.verdict.reordered = 0L;
        if (!exact) {
            run.verdict.example("lost: something");
        }
        Resources resources = new Resources();
        resources.heap.add(new long[] {START + SECOND, 100_000_000L});
        resources.heap.add(new long[] {START + 6 * SECOND, 200_000_000L});
        resources.stalls = RocksDBStalls.read(folder, ZoneOffset.UTC);
        result.add(
                new TrialResult(
                        mechanism,
                        repeat,
                        measured,
                        new Trial.Outcome(
                                "job",
                                new RescaleRun(2, 3, details, rescale),
                                16,
                                Collections.emptyMap()),
                        run,
                        resources,
                        100));
    }
}
