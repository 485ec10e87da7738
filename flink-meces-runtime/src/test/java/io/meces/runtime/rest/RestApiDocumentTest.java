// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.api.AbortMode;
import io.meces.api.RescaleCause;
import io.meces.api.RescaleRefusedException;
import io.meces.api.RescaleRequest;
import io.meces.api.RescaleState;
import io.meces.api.RescaleStatus;
import io.meces.api.ResourceRequirements;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.rest.handler.legacy.metrics.VoidMetricFetcher;
import org.apache.flink.runtime.rest.messages.ResponseBody;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonFactory;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonGenerator;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;

/** Holds {@code docs/rest-api.md} against the handlers and the values that they answer with. */
class RestApiDocumentTest {

    private static final Path DOCUMENT =
            Paths.get(System.getProperty("meces.home"), "docs/rest-api.md");
    private static final Pattern BLOCK =
            Pattern.compile("(Request|Answer, `(\\d+)`):\n\n```json\n(.*?)```", Pattern.DOTALL);
    private static final String REQUIREMENTS = "/jobs/:jobid/resource-requirements";
    private static final ObjectMapper MAPPER = new ObjectMapper();

    /** By route and status; all others are errors. */
    private static final Map<String, Class<?>> ANSWERS = new HashMap<>();

    static {
        registered()
                .forEach(
                        (route, headers) ->
                                headers.answers()
                                        .forEach(
                                                answer ->
                                                        ANSWERS.put(
                                                                route + " " + answer.status.code(),
                                                                answer.type)));
        // an empty object
        ANSWERS.put("PUT " + REQUIREMENTS + " 200", ResourceRequirements.class);
    }

    /** What stands below the heading of each route. */
    private static Map<String, String> routes() throws IOException {
        Map<String, String> routes = new LinkedHashMap<>();
        for (String section : text().split("\n## ")) {
            int line = section.indexOf('\n');
            routes.put(section.substring(0, line), section.substring(line));
        }
        routes.keySet().removeIf(heading -> !heading.matches("[A-Z]+ /.*"));
        return routes;
    }

    private static String text() throws IOException {
        return new String(Files.readAllBytes(DOCUMENT), StandardCharsets.UTF_8);
    }

    /** What is registered with the REST server, by route. */
    private static Map<String, MecesHeaders<?, ?>> registered() {
        return new MecesHandlers(
                        () -> null,
                        Duration.ofSeconds(1),
                        Collections.emptyMap(),
                        VoidMetricFetcher.INSTANCE,
                        new Configuration())
                .all().stream()
                        .map(handler -> (MecesHeaders<?, ?>) handler.f0)
                        .collect(
                                Collectors.toMap(
                                        headers ->
                                                OpenApi.method(headers)
                                                        + " "
                                                        + headers.getTargetRestEndpointURL(),
                                        headers -> headers));
    }

    @Test
    void hasAllRoutesAndNoOthers() throws Exception {
        assertThat(routes().keySet()).containsExactlyInAnyOrderElementsOf(registered().keySet());
    }

    @Test
    void namesAllParameters() throws Exception {
        Map<String, String> routes = routes();
        registered()
                .forEach(
                        (route, headers) ->
                                headers.getUnresolvedMessageParameters()
                                        .getQueryParameters()
                                        .forEach(
                                                parameter ->
                                                        assertThat(routes.get(route))
                                                                .contains(
                                                                        "| `"
                                                                                + parameter.getKey()
                                                                                + "` |")));
        for (AbortMode mode : AbortMode.values()) {
            assertThat(text()).contains("| `" + mode.parameter() + "`");
        }
    }

    @Test
    void namesAllErrorsOfEachRoute() throws Exception {
        for (Map.Entry<String, String> route : routes().entrySet()) {
            for (RescaleRefusedException.Kind kind : RescaleRefusedException.Kind.values()) {
                if (route.getKey().contains("/jobmanager/config")
                        && kind != RescaleRefusedException.Kind.BAD_REQUEST) {
                    // a job that cannot be asked has the configuration of the cluster
                    continue;
                }
                assertThat(route.getValue())
                        .as(route.getKey())
                        .containsPattern("\nErrors:.*\\b" + kind.httpStatus() + "\\b");
            }
        }
    }

    @Test
    void namesEachStatusAndState() throws Exception {
        for (RescaleStatus status : RescaleStatus.values()) {
            assertThat(text()).contains("| `" + status + "` |");
        }
        for (RescaleState state : RescaleState.values()) {
            assertThat(text()).contains("`" + state + "`");
        }
        for (RescaleCause cause : RescaleCause.values()) {
            assertThat(text()).contains("| `" + cause + "` |");
        }
    }

    @Test
    void itsRequestsAreValid() throws Exception {
        int requests = 0;
        for (Map.Entry<String, String> route : routes().entrySet()) {
            for (Example example : examples(route.getValue())) {
                if (example.status == 0) {
                    if (route.getKey().endsWith(REQUIREMENTS)) {
                        read(example.json, ResourceRequirements.class).validate();
                    } else {
                        read(example.json, RescaleRequest.class).validate();
                    }
                    requests++;
                }
            }
        }
        assertThat(requests).isEqualTo(3);
    }

    /** Members and their types are those of the values, none is left out, and none is unknown. */
    @Test
    void itsAnswersAreSuchAsTheHandlersGive() throws Exception {
        List<String> seen = new ArrayList<>();
        for (Map.Entry<String, String> route : routes().entrySet()) {
            for (Example example : examples(route.getValue())) {
                JsonNode json = MAPPER.readTree(example.json);
                if (example.status >= 400) {
                    assertThat(json.size()).isEqualTo(1);
                    assertThat(json.path("errors").path(0).isTextual()).isTrue();
                } else if (example.status > 0) {
                    String key = route.getKey() + " " + example.status;
                    seen.add(key);
                    assertThat(ANSWERS).containsKey(key);
                    assertThat(written(read(example.json, ANSWERS.get(key))))
                            .as(key)
                            .isEqualTo(json);
                }
            }
        }
        assertThat(seen).containsExactlyInAnyOrderElementsOf(ANSWERS.keySet());
    }

    private static List<Example> examples(String section) {
        List<Example> examples = new ArrayList<>();
        Matcher matcher = BLOCK.matcher(section);
        while (matcher.find()) {
            int status = matcher.group(2) == null ? 0 : Integer.parseInt(matcher.group(2));
            examples.add(new Example(status, matcher.group(3)));
        }
        return examples;
    }

    private static <T> T read(String json, Class<T> type) throws IOException {
        return ResponseBody.class.isAssignableFrom(type)
                ? MAPPER.readValue(json, type)
                : StrictJson.read(new JsonFactory().createParser(json), type);
    }

    private static JsonNode written(Object value) throws IOException {
        if (value instanceof ResponseBody) {
            return MAPPER.readTree(MAPPER.writeValueAsString(value));
        }
        StringWriter text = new StringWriter();
        try (JsonGenerator out = new JsonFactory().createGenerator(text)) {
            StrictJson.write(out, value);
        }
        return MAPPER.readTree(text.toString());
    }

    /** A request, or an answer with its status. */
    private static final class Example {
        private final int status;
        private final String json;

        private Example(int status, String json) {
            this.status = status;
            this.json = json;
        }
    }
}
