// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.bench;

import io.meces.experiments.cluster.Installation;
import io.meces.experiments.run.PhaseLog;
import io.meces.experiments.run.RunOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import javax.annotation.Nullable;

/** Runs workloads by all mechanisms, by turns, and writes a folder with the outcome. */
public final class Bench {
    private final BenchOptions options;
    private final PhaseLog phases;
    private final EnvironmentFactory environments;
    private final PrintWriter out;
    private final Path reportFile;
    private final Path folder;
    private final Path logs;

    /**
     * A benchmark that has not begun.
     *
     * @param options what to do
     * @param installation where the jars are
     * @param out where to tell what goes on
     */
    public Bench(BenchOptions options, Installation installation, PrintWriter out) {
        this.options = options;
        this.phases = new PhaseLog(out);
        this.environments = options.environments(installation, phases);
        this.out = out;
        this.reportFile =
                options.output == null
                        ? options.reportFile(installation)
                        : options.output.toAbsolutePath().resolve("report.json");
        this.folder = reportFile.getParent();
        this.logs = options.logs(reportFile);
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
        List<WorkloadResult> results =
                options.workloads().stream()
                        .map(workload -> new WorkloadResult(workload, mechanisms))
                        .collect(Collectors.toList());
        environments.check(mechanisms);
        RunOptions.createFolder(folder, options.output == null ? "--report" : "--output");
        phases.line(
                "%d runs; all goes to %s.",
                results.size() * mechanisms.size() * options.repeats, folder);
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
                workload.name + "-" + mechanism.toString().replaceAll("[:/]", "-") + "-" + repeat;
        TrialResult result =
                new Trial(
                                options,
                                workload,
                                mechanism,
                                repeat,
                                environments,
                                phases,
                                logs.resolve(name))
                        .run();
        phases.line(
                "%s, %s, run %d: peak of results %s, of markers %s; %s.",
                workload.name,
                mechanism,
                repeat,
                result.results.peaks(),
                result.markers.peaks(),
                result.run.verdict);
        return result;
    }

    private void report(List<WorkloadResult> results, @Nullable Exception failure)
            throws IOException {
        BenchReport report = new BenchReport(options, environments, results, failure);
        report.writeTo(reportFile);
        phases.plot(
                folder,
                () -> {
                    for (WorkloadResult result : results) {
                        BenchPlots.write(result, folder);
                    }
                });
        report.print(out);
        phases.line("Report: %s", folder.resolve("report.md"));
    }
}
