// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.networks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.meces.api.RescaleState;
import io.meces.api.RescaleStatus;
import io.meces.experiments.cluster.Installation;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Rescales on networks that are slow, lose frames, or are cut: nothing is lost, reordered or made
 * up, and the rescale reaches its target. The property {@code networks.cells} is a regular
 * expression of the cases to run; without it these are a few. Each adds a row to {@code
 * target/it/networks/results.md}. Skipped where namespaces of networks cannot be made.
 */
@Tag("full")
class NetworkIT {
    private static final String A_FEW = "DELAY_10_MS|CUT_DONOR_FROM_HUB-20-MIGRATING";
    private static final Path FOLDER = Paths.get("target", "it", "networks").toAbsolutePath();

    @BeforeAll
    static void requireNamespaces() throws Exception {
        String obstacle = NetworkLab.obstacle();
        assumeTrue(obstacle == null, obstacle);
        Files.createDirectories(FOLDER);
    }

    static List<NetworkCase> cases() {
        Pattern wanted = Pattern.compile(System.getProperty("networks.cells", A_FEW));
        List<NetworkCase> cases =
                NetworkCase.all().stream()
                        .filter(c -> wanted.matcher(c.toString()).matches())
                        .collect(Collectors.toList());
        assertThat(cases).as("cases that match %s", wanted).isNotEmpty();
        return cases;
    }

    @ParameterizedTest
    @MethodSource("cases")
    @Timeout(value = 12, unit = TimeUnit.MINUTES)
    void theRescaleEndsAndNothingIsLost(NetworkCase networkCase) throws Exception {
        Installation installation = new Installation(Paths.get(System.getProperty("meces.home")));
        NetworkTrial.Result result =
                new NetworkTrial(networkCase, installation, FOLDER.resolve(networkCase.toString()))
                        .run();

        Files.write(
                FOLDER.resolve("results.md"),
                Collections.singletonList(result.row(networkCase)),
                StandardCharsets.UTF_8,
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
        assertThat(result.verdict.isExactBesidesDuplicates())
                .as("%s %s", result.row(networkCase), result.verdict.examples)
                .isTrue();
        // results since the last checkpoint come again after a restart
        if (result.restarts == 0) {
            assertThat(result.verdict.isExact()).as(result.row(networkCase)).isTrue();
        }
        if (result.cutIn == RescaleState.BEGINNING && networkCase.isBetweenPeers()) {
            // a new subtask that cannot reach its producers has failed before anything moved
            assertThat(result.restarts).as(result.row(networkCase)).isZero();
            if (result.rescale.status() == RescaleStatus.FAILED) {
                assertThat(result.rescale.failure()).contains("given up", "new subtask");
                return;
            }
        }
        assertThat(NetworkTrial.isFinished(result))
                .as("%s: %s", result.row(networkCase), result.rescale.failure())
                .isTrue();
    }
}
