// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.meces.api.RescaleStatus;
import io.meces.cli.rest.RefusedException;
import io.meces.experiments.cluster.FlinkClient;
import io.meces.experiments.cluster.Watchdog;
import io.meces.servers.ProcessGroup;
import java.io.IOException;
import java.util.Collections;
import okhttp3.mockwebserver.MockResponse;
import okhttp3.mockwebserver.MockWebServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How the demo drives a rescale. */
class RescaleDriverTest {
    private static final String ELASTICITY =
            "{\"vertices\":[{\"id\":\"00\",\"name\":\"other\",\"parallelism\":1},"
                    + "{\"id\":\"0123456789abcdef0123456789abcdef\",\"name\":\"count -> Sink\","
                    + "\"parallelism\":2}],\"refusal\":null}";

    private final MockWebServer server = new MockWebServer();
    private ProcessGroup processes;
    private Watchdog watchdog;

    @BeforeEach
    void start() throws IOException {
        server.start();
        processes = new ProcessGroup("rescale-driver-test");
        watchdog = new Watchdog(processes);
    }

    @AfterEach
    void stop() throws IOException {
        processes.close();
        server.close();
    }

    @Test
    void aRescaleIsWatchedUntilItsEnd() throws Exception {
        answer(200, ELASTICITY);
        answer(202, "{\"id\":\"r\"}");
        answer(200, "{\"id\":\"r\",\"status\":\"RUNNING\",\"state\":\"DEPLOYING\"}");
        answer(200, "{\"id\":\"r\",\"status\":\"RUNNING\",\"state\":\"MIGRATING\"}");
        answer(
                200,
                "{\"id\":\"r\",\"status\":\"FINISHED\",\"first-record-ms\":12,"
                        + "\"duration-ms\":77}");
        RescaleDriver driver = driver();

        RescaleRun run = driver.rescale(3);

        assertThat(run.from).isEqualTo(2);
        assertThat(run.to).isEqualTo(3);
        assertThat(run.rescale.durationMs()).isEqualTo(77);
        assertThat(run.rescale.firstRecordMs()).isEqualTo(12);
        assertThat(run.interval.endMicros).isEqualTo(run.interval.startMicros + 77_000);
        assertThat(driver.parallelism()).isEqualTo(3);
        server.takeRequest();
        assertThat(server.takeRequest().getBody().readUtf8())
                .isEqualTo(
                        "{\"vertices\":[{\"id\":\"0123456789abcdef0123456789abcdef\","
                                + "\"parallelism\":3}],\"batch-size\":7,\"dry-run\":false}");
    }

    @Test
    void aStrategyGoesIntoTheRequest() throws Exception {
        answer(200, ELASTICITY);
        answer(202, "{\"id\":\"r\"}");
        answer(200, "{\"id\":\"r\",\"status\":\"FINISHED\"}");

        new RescaleDriver(
                        client(),
                        "j",
                        Collections.singletonList("count"),
                        null,
                        "uniform",
                        watchdog)
                .rescale(2);

        server.takeRequest();
        assertThat(server.takeRequest().getBody().readUtf8())
                .contains("\"parallelism\":2}")
                .contains("\"strategy\":\"uniform\"");
    }

    @Test
    void aFailedRescaleLeavesTheParallelism() throws Exception {
        answer(200, ELASTICITY);
        answer(202, "{\"id\":\"r\"}");
        answer(200, "{\"id\":\"r\",\"status\":\"FAILED\",\"failure\":\"no slots\"}");
        RescaleDriver driver = driver();

        RescaleRun run = driver.rescale(3);

        assertThat(run.rescale.status()).isEqualTo(RescaleStatus.FAILED);
        assertThat(run.rescale.failure()).isEqualTo("no slots");
        assertThat(driver.parallelism()).isEqualTo(2);
    }

    @Test
    void aRefusalComesThrough() throws Exception {
        answer(200, ELASTICITY);
        answer(409, "{\"errors\":[\"Another rescale runs.\"]}");
        RescaleDriver driver = driver();

        assertThatThrownBy(() -> driver.rescale(3))
                .isInstanceOf(RefusedException.class)
                .hasMessage("Another rescale runs.");
    }

    @Test
    void aVertexThatIsNotElasticIsNamedWithTheReason() {
        answer(200, "{\"vertices\":[],\"refusal\":\"Unaligned checkpoints are on.\"}");

        assertThatThrownBy(this::driver)
                .hasMessageContaining("count")
                .hasMessageContaining("Unaligned checkpoints are on.");
    }

    @Test
    void aFailureElsewhereEndsTheWait() throws Exception {
        answer(200, ELASTICITY);
        answer(202, "{\"id\":\"r\"}");
        answer(200, "{\"id\":\"r\",\"status\":\"RUNNING\",\"state\":\"MIGRATING\"}");
        RescaleDriver driver = driver();
        watchdog.fail(new IllegalStateException("The generator has stumbled."));

        assertThatThrownBy(() -> driver.rescale(3))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("The generator has stumbled.");
    }

    private RescaleDriver driver() throws IOException {
        return new RescaleDriver(
                client(), "j", Collections.singletonList("count"), 7, null, watchdog);
    }

    private FlinkClient client() {
        return new FlinkClient(server.getHostName() + ":" + server.getPort());
    }

    private void answer(int status, String body) {
        server.enqueue(new MockResponse().setResponseCode(status).setBody(body));
    }
}
