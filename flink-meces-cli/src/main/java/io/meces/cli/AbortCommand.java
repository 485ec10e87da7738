// SPDX-License-Identifier: Apache-2.0
package io.meces.cli;

import io.meces.api.AbortMode;
import io.meces.api.RescaleDetails;
import io.meces.api.RescaleStatus;
import io.meces.cli.rest.JobManagerClient;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code meces abort}. */
@Command(
        name = "abort",
        description = {
            "Ends a rescale that runs, at its next step boundary.",
            "The job goes on, and can be rescaled again."
        },
        mixinStandardHelpOptions = true,
        abbreviateSynopsis = true,
        footer = {
            "Exit code 0: it is being aborted; with --wait: has ended. 1: it has failed, or its",
            "end was not reached in time (--wait). Others: meces --help"
        })
final class AbortCommand implements Callable<Integer> {

    @Spec private CommandSpec spec;
    @Mixin private JobManagerOption jobManager;
    @Mixin private JsonOption json;

    @Parameters(index = "0", paramLabel = "JOB-ID", description = "The job.")
    private String jobId;

    @Parameters(index = "1", paramLabel = "RESCALE-ID", description = "The rescale.")
    private String rescaleId;

    @Option(names = "--rollback", description = "What has moved moves back; else it stays.")
    private boolean rollback;

    @Mixin private WaitOption wait;

    @Override
    public Integer call() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        wait.validate();
        JobManagerClient client = jobManager.client();
        RescaleDetails rescale =
                client.abort(jobId, rescaleId, rollback ? AbortMode.ROLLBACK : AbortMode.STOP);
        if (wait.isSet()) {
            PrintWriter progress = json.isSet() ? spec.commandLine().getErr() : out;
            rescale = wait.await(client, jobId, rescaleId, progress);
        }
        json.print(rescale, out, RescalePrinter::print);
        return rescale.status() == RescaleStatus.FAILED ? ExitCodes.FAILED : ExitCodes.OK;
    }
}
