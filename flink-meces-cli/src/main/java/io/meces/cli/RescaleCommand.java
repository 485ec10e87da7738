// SPDX-License-Identifier: Apache-2.0
package io.meces.cli;

import io.meces.api.RescaleAccepted;
import io.meces.api.RescaleDetails;
import io.meces.api.RescaleRequest;
import io.meces.api.RescaleStatus;
import io.meces.cli.rest.JobManagerClient;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import javax.annotation.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code meces rescale}. */
@Command(
        name = "rescale",
        description = "Changes the parallelism of vertices of a running job.",
        mixinStandardHelpOptions = true,
        customSynopsis =
                "@|bold meces rescale|@ [OPTIONS] (--vertex=NAME --parallelism=N)... JOB-ID",
        footer = {
            "Exit code 0: it is accepted; with --wait: has finished. 1: it has failed, was",
            "aborted, or its end was not reached in time (--wait). Others: meces --help"
        })
final class RescaleCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;
    @Mixin private JobManagerOption jobManager;
    @Mixin private JsonOption json;

    @Parameters(index = "0", paramLabel = "JOB-ID", description = "The job.")
    private String jobId;

    @ArgGroup(exclusive = false, multiplicity = "1..*")
    private List<Target> targets;

    @Nullable
    @Option(
            names = "--batch-size",
            paramLabel = "N",
            description = "Key-groups per subtask and step, at most.")
    private Integer batchSize;

    @Nullable
    @Option(
            names = "--strategy",
            paramLabel = "NAME",
            description =
                    "minimal-move, uniform, consistent-hashing, load-aware, or a class of"
                            + " yours.")
    private String strategy;

    @Option(names = "--dry-run", description = "Only show what would move, and in which step.")
    private boolean dryRun;

    @Mixin private WaitOption wait;

    /** A vertex and its new parallelism. */
    static final class Target {
        @Option(
                names = "--vertex",
                paramLabel = "NAME",
                required = true,
                description = "The vertex, by name or id (meces list).")
        private String vertex;

        @Option(
                names = "--parallelism",
                paramLabel = "N",
                required = true,
                description = "Its new parallelism.")
        private int parallelism;
    }

    @Override
    public Integer call() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        wait.validate();
        if (dryRun && wait.isSet()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--dry-run only shows the plan: nothing begins that --wait could wait for.");
        }
        RescaleRequest request =
                RescaleRequest.of(targets.stream().map(this::target).collect(Collectors.toList()))
                        .withBatchSize(batchSize)
                        .withStrategy(strategy);
        JobManagerClient client = jobManager.client();
        if (dryRun) {
            json.print(client.plan(jobId, request.asDryRun()), out, RescalePrinter::print);
            return ExitCodes.OK;
        }
        String id = client.rescale(jobId, request);
        // with --json, what is said on the way is not part of the answer
        PrintWriter progress = json.isSet() ? spec.commandLine().getErr() : out;
        progress.println("Rescale " + id);
        progress.flush();
        if (!wait.isSet()) {
            if (json.isSet()) {
                json.print(new RescaleAccepted(id), out);
            }
            return ExitCodes.OK;
        }
        RescaleDetails rescale = wait.await(client, jobId, id, progress);
        json.print(rescale, out, RescalePrinter::print);
        return rescale.status() == RescaleStatus.FINISHED ? ExitCodes.OK : ExitCodes.FAILED;
    }

    private RescaleRequest.Target target(Target target) {
        if (target.parallelism < 1) {
            throw new ParameterException(spec.commandLine(), "--parallelism has to be positive.");
        }
        return RescaleRequest.Target.of(target.vertex, target.parallelism);
    }
}
