/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

package io.meces.examples.cli;

import io.meces.examples.rest.JobManagerClient;
import io.meces.examples.rest.RescaleStatus;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.Option;

/** {@code --wait} and {@code --timeout}. */
final class WaitOption {
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    @Option(names = "--wait", description = "Show the progress and wait for the end.")
    private boolean wait;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            defaultValue = "600",
            description = "How long --wait waits; the rescale goes on. Default: ${DEFAULT-VALUE}.")
    private int timeoutSeconds;

    boolean isSet() {
        return wait;
    }

    /**
     * Waits for the end of a rescale and shows its progress.
     *
     * @throws IOException if it has not ended in time
     */
    RescaleStatus await(JobManagerClient client, String jobId, String rescaleId, PrintWriter out)
            throws IOException {
        ProgressBar progress = new ProgressBar(out, Boolean.getBoolean("meces.terminal"));
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(timeoutSeconds);
        RescaleStatus status = client.rescale(jobId, rescaleId);
        progress.show(status);
        while (!status.ended() && System.nanoTime() - deadline < 0) {
            LockSupport.parkNanos(POLL_NANOS);
            status = client.rescale(jobId, rescaleId);
            progress.show(status);
        }
        progress.end();
        if (!status.ended()) {
            throw new IOException(
                    "The rescale goes on, but --wait has waited for " + timeoutSeconds + " s.");
        }
        return status;
    }
}
