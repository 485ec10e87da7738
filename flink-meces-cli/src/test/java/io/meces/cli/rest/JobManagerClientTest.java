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

package io.meces.cli.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import java.io.IOException;
import java.util.Arrays;
import java.util.Collections;
import java.util.Map;
import okhttp3.mockwebserver.MockResponse;
import okhttp3.mockwebserver.MockWebServer;
import okhttp3.mockwebserver.RecordedRequest;
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
        answer("{\"status\":{\"id\":\"COMPLETED\"}}");

        client.deleteJar("a.jar");
        String request = client.disposeSavepoint("file:/s/1");
        client.savepointDisposal(request);

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
