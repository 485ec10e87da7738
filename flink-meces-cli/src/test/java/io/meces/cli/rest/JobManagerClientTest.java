// SPDX-License-Identifier: Apache-2.0
package io.meces.cli.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.meces.api.AbortMode;
import io.meces.api.Elasticity;
import io.meces.api.RescaleDetails;
import io.meces.api.RescalePlans;
import io.meces.api.RescaleRequest;
import io.meces.api.RescaleState;
import io.meces.api.RescaleStatus;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.Map;
import okhttp3.mockwebserver.MockResponse;
import okhttp3.mockwebserver.MockWebServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the client asks of Flink, and how it reads the answers. */
class JobManagerClientTest {
    private final MockWebServer server = new MockWebServer();
    private JobManagerClient client;

    @BeforeEach
    void start() throws IOException {
        server.start();
        client = new JobManagerClient(server.getHostName() + ":" + server.getPort());
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
    }

    @Test
    void metricsThatAreNotThereAreLeftOut() throws Exception {
        answer("[{\"id\":\"0.count.counted\",\"value\":\"12:34\"}]");

        Map<String, String> metrics =
                client.metrics("j", "v", Arrays.asList("0.count.counted", "1.count.counted"));

        assertThat(metrics).containsOnly(entry("0.count.counted", "12:34"));
        assertThat(server.takeRequest().getRequestUrl().queryParameter("get"))
                .isEqualTo("0.count.counted,1.count.counted");
    }

    /**
     * The answers of the document, which the JobManager's own tests hold to be such as it gives.
     */
    @Test
    void readsTheAnswersOfTheDocument() throws Exception {
        answer(documented("GET /jobs/:jobid/elasticity", 200));
        answer(documented("POST /jobs/:jobid/rescales", 202));
        answer(documented("POST /jobs/:jobid/rescales", 200));
        answer(documented("GET /jobs/:jobid/rescales", 200));
        answer(documented("GET /jobs/:jobid/rescales/:rescaleid", 200));
        answer(documented("DELETE /jobs/:jobid/rescales/:rescaleid", 202));
        RescaleRequest request = RescaleRequest.of(RescaleRequest.Target.of("count", 3));

        Elasticity.Vertex vertex = client.elasticity("j").vertices().get(0);
        assertThat(vertex.maxParallelism()).isEqualTo(8);
        assertThat(vertex.keyGroups().get(1)).containsExactly(4, 5, 6, 7);
        assertThat(client.rescale("j", request)).hasSize(32);
        RescalePlans.VertexPlan plan = client.plan("j", request.asDryRun()).vertices().get(0);
        assertThat(plan.to()).isEqualTo(3);
        assertThat(plan.steps().get(0).get(1).keyGroup()).isEqualTo(7);
        assertThat(plan.loadAfter()).containsExactly(1902.0, 1870.5, 1227.0);
        assertThat(client.rescales("j").get(0).status()).isEqualTo(RescaleStatus.FAILED);
        assertThat(client.rescale("j", "r").state()).isEqualTo(RescaleState.MIGRATING);
        RescaleDetails aborted = client.abort("j", "r", AbortMode.ROLLBACK);
        assertThat(aborted.unitsOnDemand()).isEqualTo(5);
        assertThat(aborted.vertices().get(0).name()).isEqualTo("count -> Sink: results");
    }

    private static String documented(String route, int status) throws IOException {
        String text =
                new String(
                        Files.readAllBytes(
                                Paths.get(System.getProperty("meces.home"), "docs/rest-api.md")),
                        StandardCharsets.UTF_8);
        String section = text.split("\n## " + route + "\n")[1];
        return section.split("Answer, `" + status + "`:\n\n```json\n")[1].split("```")[0];
    }

    @Test
    void ofALaterVersionItReadsWhatItKnows() throws Exception {
        answer("{\"id\":\"r\",\"status\":\"RUNNING\",\"state\":\"DREAMING\",\"mood\":\"good\"}");

        RescaleDetails details = client.rescale("j", "r");

        assertThat(details.status()).isEqualTo(RescaleStatus.RUNNING);
        assertThat(details.state()).isNull();
        assertThat(details.attempt()).isEqualTo(1);
    }

    private void answer(String body) {
        server.enqueue(new MockResponse().setBody(body));
    }
}
