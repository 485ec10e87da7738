// SPDX-License-Identifier: Apache-2.0
package io.meces.cli;

import io.meces.cli.rest.Job;
import io.meces.cli.rest.JobManagerClient;
import io.meces.cli.top.Top;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import javax.annotation.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code meces top}. */
@Command(
        name = "top",
        description = {
            "Shows a job and its rescales, again and again.",
            "Vertices, subtasks, the rescale that runs, the last ones. q or Ctrl-C ends it."
        },
        mixinStandardHelpOptions = true,
        abbreviateSynopsis = true)
final class TopCommand implements Callable<Integer> {

    @Spec private CommandSpec spec;
    @Mixin private JobManagerOption jobManager;
    @Mixin private JsonOption json;

    @Nullable
    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "JOB-ID",
            description = "The job. Default: the only one that runs.")
    private String jobId;

    @Option(names = "--once", description = "Show it once and end.")
    private boolean once;

    @Option(
            names = "--interval",
            paramLabel = "SECONDS",
            defaultValue = "2",
            description = "How often. Default: ${DEFAULT-VALUE}.")
    private int intervalSeconds;

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (intervalSeconds < 1) {
            throw new ParameterException(spec.commandLine(), "--interval has to be positive.");
        }
        JobManagerClient client = jobManager.client();
        Top top =
                new Top(
                        client,
                        jobId == null ? onlyJob(client) : jobId,
                        json.isSet(),
                        spec.commandLine().getOut(),
                        spec.commandLine().getErr());
        if (once) {
            top.once();
        } else {
            top.watch(
                    TimeUnit.SECONDS.toMillis(intervalSeconds),
                    Boolean.getBoolean("meces.terminal"));
        }
        return ExitCodes.OK;
    }

    private String onlyJob(JobManagerClient client) throws IOException {
        List<Job> running =
                client.jobs().stream()
                        .filter(job -> job.state.equals("RUNNING"))
                        .collect(Collectors.toList());
        if (running.size() != 1) {
            throw new ParameterException(
                    spec.commandLine(),
                    running.isEmpty()
                            ? "No job runs."
                            : "Several jobs run; name one: "
                                    + running.stream()
                                            .map(job -> job.id + " (" + job.name + ")")
                                            .collect(Collectors.joining(", ")));
        }
        return running.get(0).id;
    }
}
