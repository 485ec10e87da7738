// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.api.RescaleState;
import io.meces.api.RescaleStatus;
import io.meces.core.plan.Repartitioning;
import io.meces.flink.runtime.Futures;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.util.FlinkException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The files of the web page, over HTTP, and what they must have in common with our classes. */
class PageHandlerTest {

    private static final Path FILES =
            Paths.get(
                    System.getProperty("meces.home"),
                    "flink-meces-runtime/src/main/resources/io/meces/runtime/page");

    private static RestServer server;

    @BeforeAll
    static void start() throws Exception {
        server =
                new RestServer(
                        (job, operator, request) ->
                                Futures.completedExceptionally(new FlinkException("asked")));
    }

    @AfterAll
    static void stop() throws Exception {
        server.close();
    }

    private static HttpURLConnection get(String path) throws IOException {
        HttpURLConnection connection =
                (HttpURLConnection) new URL(server.address() + path).openConnection();
        connection.setInstanceFollowRedirects(false);
        connection.setConnectTimeout(10_000);
        connection.setReadTimeout(30_000);
        return connection;
    }

    private static byte[] body(String path) throws IOException {
        HttpURLConnection connection = get(path);
        assertThat(connection.getResponseCode()).as(path).isEqualTo(200);
        return RestServer.bytes(connection.getInputStream());
    }

    @Test
    void servesAllFilesThatThereAre() throws Exception {
        List<String> page = new ArrayList<>(PageHandler.FILES);
        page.remove(PageHandler.OPEN_API);
        try (Stream<Path> files = Files.walk(FILES)) {
            assertThat(
                            files.filter(Files::isRegularFile)
                                    .map(file -> FILES.relativize(file).toString())
                                    .collect(Collectors.toList()))
                    .containsExactlyInAnyOrderElementsOf(page);
        }
        for (String file : page) {
            assertThat(body("/meces/" + file)).isEqualTo(Files.readAllBytes(FILES.resolve(file)));
        }
    }

    @Test
    void servesTheDocumentOfTheInterface() throws Exception {
        assertThat(body("/meces/openapi.json"))
                .isEqualTo(
                        Files.readAllBytes(
                                Paths.get(System.getProperty("meces.home"), "docs/openapi.json")));
        assertThat(get("/meces/openapi.json").getContentType()).isEqualTo("application/json");
    }

    @Test
    void servesThePageAtItsDirectory() throws Exception {
        assertThat(body("/meces/")).isEqualTo(body("/meces/index.html"));
        assertThat(get("/meces/").getContentType()).isEqualTo("text/html");
        // else a browser does not run it
        assertThat(get("/meces/app.js").getContentType()).isEqualTo("application/javascript");
        HttpURLConnection redirected = get("/meces");
        assertThat(redirected.getResponseCode()).isEqualTo(302);
        assertThat(redirected.getHeaderField("Location")).isEqualTo("meces/");
    }

    @Test
    void servesAFileAgainThatSomebodyHasRemoved() throws Exception {
        byte[] before = body("/meces/page.css");
        Files.delete(server.webDirectory().resolve("meces/page.css"));
        assertThat(body("/meces/page.css")).isEqualTo(before);
    }

    @Test
    void servesNothingElse() throws Exception {
        for (String path :
                new String[] {
                    "/meces/nothing.js",
                    "/meces/vendor",
                    "/meces/../../etc/passwd",
                    "/meces/%2e%2e/x"
                }) {
            assertThat(get(path).getResponseCode()).as(path).isGreaterThanOrEqualTo(400);
        }
    }

    @Test
    void knowsEachStateAndStatusAndStrategy() throws Exception {
        String states = text("states.js");
        for (RescaleState state : RescaleState.values()) {
            assertThat(states).contains("  " + state + ": [");
        }
        for (RescaleStatus status : RescaleStatus.values()) {
            assertThat(states).contains("  " + status + ": '");
        }
        for (String strategy : Repartitioning.names()) {
            assertThat(states).containsPattern("  '?" + strategy + "'?: '");
        }
    }

    @Test
    void asksNobodyElse() throws Exception {
        for (String file : PageHandler.FILES) {
            if (!file.startsWith("vendor/") && !file.equals(PageHandler.OPEN_API)) {
                assertThat(text(file).replace("http://www.w3.org/2000/svg", ""))
                        .as(file)
                        .doesNotContain("//www.", "http:", "https:");
            }
        }
    }

    private static String text(String file) throws IOException {
        return new String(Files.readAllBytes(FILES.resolve(file)), StandardCharsets.UTF_8);
    }
}
