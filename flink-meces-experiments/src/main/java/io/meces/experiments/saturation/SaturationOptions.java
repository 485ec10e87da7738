// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.saturation;

import java.nio.file.Path;
import javax.annotation.Nullable;
import picocli.CommandLine.Option;

/** What can be chosen about the saturation benchmark. */
public final class SaturationOptions {

    @Option(
            names = "--repeats",
            paramLabel = "N",
            description =
                    "Rounds; each measures every variant in new processes. Default:"
                            + " ${DEFAULT-VALUE}.")
    public int repeats = 3;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            description =
                    "For how many turns of a second each variant is measured. Default:"
                            + " ${DEFAULT-VALUE}.")
    public int seconds = 15;

    @Option(
            names = "--warm-up",
            paramLabel = "N",
            description =
                    "For how many turns of a second each variant runs before: it takes that long"
                            + " until all code is compiled. Default: ${DEFAULT-VALUE}.")
    public int warmUpSeconds = 25;

    @Option(
            names = "--keys",
            paramLabel = "N",
            description = "Different keys, uniformly distributed. Default: ${DEFAULT-VALUE}.")
    public int keys = 100_000;

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "Seed of the random keys. Default: ${DEFAULT-VALUE}.")
    public long seed = 1;

    @Nullable
    @Option(
            names = "--report",
            paramLabel = "FILE",
            description =
                    "Where the JSON report goes. Default:"
                            + " reports/saturation-<timestamp>/report.json in the repository.")
    public Path report;

    @Nullable
    @Option(
            names = "--keep-logs",
            paramLabel = "DIR",
            description =
                    "Where the logs of the processes go, a directory for each run. Default: logs"
                            + " beside the report.")
    public Path logs;

    /**
     * Checks what picocli does not.
     *
     * @throws IllegalArgumentException with a message for the user
     */
    public void validate() {
        require(repeats > 0, "--repeats has to be positive.");
        require(seconds > 0, "--seconds has to be positive.");
        require(warmUpSeconds >= 0, "--warm-up must not be negative.");
        require(keys > 0, "--keys has to be positive.");
    }

    private static void require(boolean condition, String message) {
        if (!condition) {
            throw new IllegalArgumentException(message);
        }
    }
}
