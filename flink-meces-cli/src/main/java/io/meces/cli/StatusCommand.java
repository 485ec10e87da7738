// SPDX-License-Identifier: Apache-2.0
package io.meces.cli;

import io.meces.api.RescaleDetails;
import io.meces.api.Rescales;
import io.meces.cli.rest.JobManagerClient;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import javax.annotation.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code meces status}. */
@Command(
        name = "status",
        description = "Shows how the rescales of a job stand.",
        mixinStandardHelpOptions = true,
        abbreviateSynopsis = true)
final class StatusCommand implements Callable<Integer> {

    @Spec private CommandSpec spec;
    @Mixin private JobManagerOption jobManager;
    @Mixin private JsonOption json;

    @Parameters(index = "0", paramLabel = "JOB-ID", description = "The job.")
    private String jobId;

    @Nullable
    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "RESCALE-ID",
            description = "The rescale. Default: all of the job.")
    private String rescaleId;

    @Override
    public Integer call() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        JobManagerClient client = jobManager.client();
        List<RescaleDetails> rescales =
                rescaleId == null
                        ? client.rescales(jobId)
                        : Collections.singletonList(client.rescale(jobId, rescaleId));
        if (json.isSet()) {
            json.print(rescaleId == null ? new Rescales(rescales) : rescales.get(0), out);
            return ExitCodes.OK;
        }
        if (rescales.isEmpty()) {
            out.println("No rescales.");
        }
        rescales.forEach(rescale -> RescalePrinter.print(rescale, out));
        out.flush();
        return ExitCodes.OK;
    }
}
