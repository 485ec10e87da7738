// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.mechanisms;

import io.meces.examples.nexmark.NexmarkQuery;
import io.meces.experiments.cluster.Installation;
import io.meces.experiments.run.PhaseLog;
import io.meces.experiments.run.ReportFolder;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;

/** Runs workloads by all mechanisms, by turns, and writes a folder with the outcome. */
public final class Experiment {
    private final ExperimentOptions options;
    private final List<Workload> workloads;
    private final PhaseLog phases;
    private final EnvironmentFactory environments;
    private final PrintWriter out;
    private final Path folder;

    private Experiment(
            String name,
            ExperimentOptions options,
            List<Workload> workloads,
            Installation installation,
            PrintWriter out) {
        this.options = options;
        this.workloads = workloads;
        this.phases = new PhaseLog(out);
        this.environments = options.environments(installation, phases);
        this.out = out;
        this.folder = folder(name, options, installation).toAbsolutePath();
    }

    /** The key-count experiment, not begun. */
    public static Experiment keyCount(
            KeyCountOptions options, Installation installation, PrintWriter out) {
        return new Experiment(
                "bench-key-count",
                options,
                Collections.singletonList(new KeyCountWorkload(options)),
                installation,
                out);
    }

    /** The NEXMark experiment, not begun. */
    public static Experiment nexmark(
            NexmarkOptions options, Installation installation, PrintWriter out) {
        List<Workload> workloads = new ArrayList<>();
        for (NexmarkQuery query : options.queries) {
            workloads.add(new NexmarkWorkload(options, query));
        }
        return new Experiment("bench-nexmark", options, workloads, installation, out);
    }

    /**
     * Runs it, a minute for each run, and writes the report; if a run throws, that of the runs
     * before. Processes, and what was brought to clusters of others, are gone when it returns or
     * throws.
     *
     * @return whether all runs were exact, without a restart, and their rescales finished
     * @throws IOException if runs are not possible, or a process, a job or the connection to it
     *     fails
     */
    public boolean run() throws Exception {
        List<Mechanism> mechanisms = options.mechanisms();
        environments.check(mechanisms);
        ReportFolder.create(folder, "--output");
        phases.line(
                "%d runs; all goes to %s.",
                workloads.size() * mechanisms.size() * options.repeats, folder);
        List<WorkloadResult> results =
                workloads.stream()
                        .map(workload -> new WorkloadResult(workload, mechanisms))
                        .collect(Collectors.toList());
        try {
            for (WorkloadResult result : results) {
                for (int repeat = 1; repeat <= options.repeats; repeat++) {
                    for (Mechanism mechanism : mechanisms) {
                        result.add(run(result.workload, mechanism, repeat));
                    }
                }
            }
        } catch (Exception e) {
            report(results, e);
            throw e;
        }
        report(results, null);
        return results.stream().allMatch(WorkloadResult::isSuccess);
    }

    private TrialResult run(Workload workload, Mechanism mechanism, int repeat) throws Exception {
        String name =
                workload.name() + "-" + mechanism.toString().replaceAll("[:/]", "-") + "-" + repeat;
        TrialResult result =
                new Trial(
                                options,
                                workload,
                                mechanism,
                                repeat,
                                environments,
                                phases,
                                folder.resolve("logs").resolve(name))
                        .run();
        phases.line(
                "%s, %s, run %d: peak of results %s, of markers %s; %s.",
                workload.name(),
                mechanism,
                repeat,
                result.results.peaks(),
                result.markers.peaks(),
                result.exactness);
        return result;
    }

    private void report(List<WorkloadResult> results, Exception failure) throws IOException {
        ExperimentReport report = new ExperimentReport(options, environments, results, failure);
        report.writeTo(folder);
        phases.plot(
                folder,
                () -> {
                    for (WorkloadResult result : results) {
                        ExperimentPlots.write(result, folder);
                    }
                });
        report.print(out);
        phases.line("Report: %s", folder.resolve("report.md"));
    }

    private static Path folder(String name, ExperimentOptions options, Installation installation) {
        if (options.output != null) {
            return options.output;
        }
        String time = LocalDateTime.now().format(DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss"));
        return installation.root().resolve("reports/" + name + "-" + time);
    }
}
