// SPDX-License-Identifier: Apache-2.0
package io.meces.cli;

import io.meces.api.RescaleDetails;
import io.meces.cli.rest.JobManagerClient;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.annotation.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code --wait} and {@code --timeout}. */
final class WaitOption {
    private static final Logger LOG = LoggerFactory.getLogger(WaitOption.class);
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final int DEFAULT_SECONDS = 600;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(names = "--wait", description = "Show the progress and wait for the end.")
    private boolean wait;

    @Nullable
    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            description = "How long --wait waits. Default: " + DEFAULT_SECONDS + ".")
    private Integer timeoutSeconds;

    boolean isSet() {
        return wait;
    }

    /**
     * Checks what picocli does not.
     *
     * @throws ParameterException with a message for the user
     */
    void validate() {
        if (timeoutSeconds != null && !wait) {
            throw new ParameterException(
                    spec.commandLine(), "--timeout says how long --wait waits. Give --wait, too.");
        }
        if (timeoutSeconds != null && timeoutSeconds < 1) {
            throw new ParameterException(spec.commandLine(), "--timeout has to be positive.");
        }
    }

    /**
     * Waits for the end of a rescale and shows its progress. The JobManager has accepted it, so an
     * error means no more than that its state is not known now: a JobManager that has just taken
     * over, for instance, cannot be reached, and then does not know the job for a while.
     *
     * @throws IOException if it has not ended in time, or nobody has told so
     */
    RescaleDetails await(JobManagerClient client, String jobId, String rescaleId, PrintWriter out)
            throws IOException {
        ProgressBar progress = new ProgressBar(out, Boolean.getBoolean("meces.terminal"));
        Thread atExit =
                new Thread(
                        () -> {
                            progress.end();
                            out.println(goesOn(jobId, rescaleId));
                            out.flush();
                        },
                        "rescale-goes-on");
        Runtime.getRuntime().addShutdownHook(atExit);
        try {
            return await(client, jobId, rescaleId, progress);
        } finally {
            forget(atExit);
        }
    }

    /** What somebody is to know who ends the wait by Ctrl-C. */
    static String goesOn(String jobId, String rescaleId) {
        return String.format(
                "The rescale goes on. To see how it stands: meces status %s; to end it: meces abort"
                        + " %s %s",
                jobId, jobId, rescaleId);
    }

    private static void forget(Thread atExit) {
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException e) {
            LOG.debug("The process is ending, and says that the rescale goes on.", e);
        }
    }

    private RescaleDetails await(
            JobManagerClient client, String jobId, String rescaleId, ProgressBar progress)
            throws IOException {
        int seconds = timeoutSeconds == null ? DEFAULT_SECONDS : timeoutSeconds;
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (true) {
            IOException failure = null;
            try {
                RescaleDetails rescale = client.rescale(jobId, rescaleId);
                progress.show(rescale);
                if (rescale.status().isTerminal()) {
                    progress.end();
                    return rescale;
                }
            } catch (IOException e) {
                failure = e;
                progress.showUnknown(e);
            }
            if (System.nanoTime() - deadline >= 0) {
                progress.end();
                throw failure == null
                        ? new IOException(
                                "The rescale goes on, but --wait has waited for " + seconds + " s.")
                        : unknown(rescaleId, seconds, failure);
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    private static IOException unknown(String rescaleId, int seconds, IOException failure) {
        return new IOException(
                "The JobManager has accepted the request, but how rescale "
                        + rescaleId
                        + " stands is not known after "
                        + seconds
                        + " s of --wait. The last answer: "
                        + failure.getMessage(),
                failure);
    }
}
