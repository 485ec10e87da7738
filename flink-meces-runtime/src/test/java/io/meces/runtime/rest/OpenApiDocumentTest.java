// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.flink.runtime.Futures;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Locale;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.rest.handler.RestHandlerSpecification;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelInboundHandler;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpMethod;
import org.apache.flink.util.FlinkException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Keeps {@code docs/openapi.json} up to date, or writes it anew if told to. */
class OpenApiDocumentTest {

    private static final Path FILE =
            Paths.get(System.getProperty("meces.home"), "docs", "openapi.json");
    private static final String UPDATE = "openapi.update";
    private static final String COMMAND =
            "mvn -pl flink-meces-runtime -am test -Dtest=OpenApiDocumentTest -D"
                    + UPDATE
                    + "=true -Dsurefire.failIfNoSpecifiedTests=false";

    private static String generated;

    @BeforeAll
    static void generate() throws Exception {
        generated = OpenApi.text();
        if (Boolean.getBoolean(UPDATE)) {
            Files.write(FILE, generated.getBytes(StandardCharsets.UTF_8));
        }
    }

    @Test
    void theDocumentSaysWhatTheHandlersDeclare() throws Exception {
        assertThat(FILE)
                .as("To write it anew: " + COMMAND)
                .exists()
                .usingCharset(StandardCharsets.UTF_8)
                .hasContent(generated);
    }

    @Test
    void itHasAllRoutesThatFlinkHasNot() throws Exception {
        JsonNode paths = new ObjectMapper().readTree(generated).path("paths");
        try (RestServer server =
                new RestServer(
                        (job, operator, request) ->
                                Futures.completedExceptionally(new FlinkException("asked")))) {
            int routes = 0;
            for (Tuple2<RestHandlerSpecification, ChannelInboundHandler> handler :
                    server.handlers()) {
                if (handler.f0.getClass().getPackage().equals(getClass().getPackage())
                        && !(handler.f1 instanceof PageHandler)) {
                    HttpMethod method = handler.f0.getHttpMethod().getNettyHttpMethod();
                    assertThat(
                                    paths.path(
                                                    handler.f0
                                                            .getTargetRestEndpointURL()
                                                            .replaceAll(":([a-z]+)", "{$1}"))
                                            .path(
                                                    method.name()
                                                            .replace("PATCH", "PUT")
                                                            .toLowerCase(Locale.ROOT))
                                            .isObject())
                            .as(method + " " + handler.f0.getTargetRestEndpointURL())
                            .isTrue();
                    routes++;
                }
            }
            // with the page, and the document itself
            int operations = 0;
            for (JsonNode path : paths) {
                operations += path.size();
            }
            assertThat(operations).isEqualTo(routes + 2);
        }
    }

    @Test
    void everyMemberOfARequestIsDescribed() throws Exception {
        JsonNode schemas =
                new ObjectMapper().readTree(generated).path("components").path("schemas");
        for (String name : new String[] {"RescaleRequest", "RescaleRequestTarget", "Elasticity"}) {
            for (JsonNode member : schemas.path(name).path("properties")) {
                assertThat(member.path("description").asText()).as(name).isNotEmpty();
            }
        }
    }
}
