// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.run;

import io.meces.examples.keycount.KeyCountJob;
import io.meces.experiments.cluster.FlinkCluster;
import io.meces.experiments.cluster.Installation;
import io.meces.experiments.traffic.KeyCountTraffic;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import javax.annotation.Nullable;

/**
 * One run of the key-count job, with Kafka and Flink as processes of this machine, from their start
 * to the report. Owned by the thread that runs it.
 *
 * @param <O> what is chosen about it
 */
public abstract class LocalRun<O extends JobOptions> {
    protected final O options;
    protected final Installation installation;
    protected final PrintWriter out;
    protected final PhaseLog phases;
    protected final Path reportFile;
    protected final RunResult result = new RunResult();

    /**
     * A run that has not begun.
     *
     * @param options what to do
     * @param installation where the jars are
     * @param out where to tell what goes on
     */
    protected LocalRun(O options, Installation installation, PrintWriter out) {
        this.options = options;
        this.installation = installation;
        this.out = out;
        this.phases = new PhaseLog(out);
        this.reportFile = options.reportFile(installation);
    }

    /** The Flink to start. */
    protected abstract FlinkCluster.Spec cluster();

    /** Arguments of the job besides those that all have. */
    protected abstract List<String> jobArguments();

    /** What is sent to it, and how its results are read. */
    protected abstract KeyCountTraffic open(LocalEnvironment environment);

    /** What is done to it; returns the lowest parallelism that the counter has had. */
    protected abstract int play(LocalEnvironment environment, String jobId, long startMicros)
            throws Exception;

    /** The report for programs; after a failure of what is known. */
    protected abstract Object report(@Nullable Exception failure);

    /** Draws the plots, and tells people what has come out. */
    protected abstract void show() throws IOException;

    /** Whether all went as it should. */
    public abstract boolean isSuccess();

    public final RunResult result() {
        return result;
    }

    /**
     * Runs it and writes the report, also when it throws. Blocks for a minute or longer; every wait
     * in it is bounded. The processes it starts are gone when it returns or throws.
     *
     * @return whether all went as it should
     * @throws io.meces.cli.rest.RefusedException if the JobManager refuses a rescale
     * @throws IOException if a process, the job or the connection to it fails
     * @throws java.util.concurrent.TimeoutException if something takes far too long
     */
    public final boolean run() throws Exception {
        RunOptions.createFolder(reportFile.getParent(), "--report");
        try {
            runProcesses();
        } catch (Exception e) {
            try {
                Json.write(report(e), reportFile);
                phases.line("It did not come to its end. Report: %s", reportFile);
            } catch (IOException failed) {
                e.addSuppressed(failed);
            }
            throw e;
        }
        Json.write(report(null), reportFile);
        show();
        phases.line("Report: %s", reportFile);
        return isSuccess();
    }

    private void runProcesses() throws Exception {
        Path logs = options.logs(reportFile);
        phases.line("Starting Kafka and Flink; logs go to %s.", logs);
        try (LocalEnvironment environment =
                LocalEnvironment.start(
                        installation,
                        cluster(),
                        options.transitionService,
                        LocalEnvironment.PARTITIONS,
                        logs)) {
            phases.line(
                    "Ready: Kafka at %s, JobManager at %s.",
                    environment.topics().bootstrapServers, environment.client().address());
            String jobId = environment.submit(null, jobArguments(), null);
            phases.line("Job %s runs with parallelism %d.", jobId, LocalEnvironment.PARALLELISM);
            try (KeyCountTraffic traffic = open(environment)) {
                new Run(
                                environment,
                                traffic,
                                Collections.singletonList(KeyCountJob.COUNTER),
                                phases::line)
                        .perform(
                                start -> new Run.End(jobId, play(environment, jobId, start), null),
                                result);
            }
            result.redis = environment.redisRemains();
            phases.line("Stopping all processes.");
        }
    }
}
