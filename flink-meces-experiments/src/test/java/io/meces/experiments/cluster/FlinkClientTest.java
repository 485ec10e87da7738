// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import java.io.IOException;
import java.util.Collections;
import okhttp3.mockwebserver.MockResponse;
import okhttp3.mockwebserver.MockWebServer;
import okhttp3.mockwebserver.RecordedRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What an experiment asks of Flink, and how it reads the answers. */
class FlinkClientTest {
    private final MockWebServer server = new MockWebServer();
    private FlinkClient client;

    @BeforeEach
    void start() throws IOException {
        server.start();
        client = new FlinkClient(server.getHostName() + ":" + server.getPort());
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
    }

    @Test
    void aJobRunsWhenAllItsVerticesDo() throws Exception {
        answer(
                "{\"state\":\"RUNNING\",\"vertices\":[{\"tasks\":{\"RUNNING\":2}},"
                        + "{\"tasks\":{\"RUNNING\":1}}]}");
        answer(
                "{\"state\":\"RUNNING\",\"vertices\":[{\"tasks\":{\"RUNNING\":2}},"
                        + "{\"tasks\":{\"RUNNING\":3}}]}");
        answer("{\"state\":\"FAILING\",\"vertices\":[{\"tasks\":{\"RUNNING\":2}}]}");

        assertThat(client.allRunning("j", 2)).isFalse();
        assertThat(client.allRunning("j", 2)).isTrue();
        assertThat(client.allRunning("j", 2)).isFalse();
    }

    @Test
    void aJarRunsWithItsOwnMainClassOrAnother() throws Exception {
        answer("{\"jobid\":\"j1\"}");
        answer("{\"jobid\":\"j2\"}");

        assertThat(client.runJar("a.jar", null, Collections.singletonList("--x"))).isEqualTo("j1");
        assertThat(client.runJar("a.jar", "Main", Collections.emptyList())).isEqualTo("j2");

        assertThat(server.takeRequest().getBody().readUtf8())
                .isEqualTo("{\"programArgsList\":[\"--x\"]}");
        assertThat(server.takeRequest().getBody().readUtf8())
                .isEqualTo("{\"entryClass\":\"Main\",\"programArgsList\":[]}");
    }

    @Test
    void aJobCanBeGivenItsId() throws Exception {
        answer("{\"jobid\":\"0a\"}");

        client.runJar("a.jar", null, Collections.emptyList(), null, "0a");

        assertThat(server.takeRequest().getBody().readUtf8())
                .isEqualTo("{\"jobId\":\"0a\",\"programArgsList\":[]}");
    }

    @Test
    void theConfigurationIsAMap() throws Exception {
        answer("[{\"key\":\"a\",\"value\":\"1\"},{\"key\":\"b.c\",\"value\":\"\"}]");

        assertThat(client.configuration()).containsOnly(entry("a", "1"), entry("b.c", ""));
        assertThat(server.takeRequest().getPath()).isEqualTo("/jobmanager/config");
    }

    @Test
    void jarsAndSavepointsAreDeleted() throws Exception {
        answer("{}");
        answer("{\"request-id\":\"r\"}");
        answer("{\"status\":{\"id\":\"IN_PROGRESS\"}}");
        answer("{\"status\":{\"id\":\"COMPLETED\"},\"operation\":{\"a\":1}}");

        client.deleteJar("a.jar");
        String request = client.disposeSavepoint("file:/s/1");

        assertThat(client.savepointDisposal(request)).isNull();
        assertThat(client.savepointDisposal(request).path("a").asInt()).isEqualTo(1);

        assertThat(server.takeRequest().getRequestLine()).startsWith("DELETE /jars/a.jar ");
        RecordedRequest disposal = server.takeRequest();
        assertThat(disposal.getPath()).isEqualTo("/savepoint-disposal");
        assertThat(disposal.getBody().readUtf8()).isEqualTo("{\"savepoint-path\":\"file:/s/1\"}");
        assertThat(server.takeRequest().getPath()).isEqualTo("/savepoint-disposal/r");
    }

    private void answer(String body) {
        server.enqueue(new MockResponse().setBody(body));
    }
}
