// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.rest;

import io.meces.api.AbortMode;
import java.io.IOException;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.runtime.rest.messages.EmptyRequestBody;
import org.apache.flink.runtime.rest.messages.MessageParameter;
import org.apache.flink.runtime.rest.messages.MessageParameters;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpMethod;

/**
 * The REST interface as OpenAPI 3.1 tells it, made of what the handlers declare ({@link
 * MecesHeaders}), of the values that they read and write, and of the words of {@code
 * docs/rest-api.md}. Not thread-safe.
 */
final class OpenApi {

    private static final int[] ERRORS = {400, 404, 409, 500, 503};
    private static final String JSON = "application/json";

    private final ObjectMapper mapper = new ObjectMapper();
    private final RestDocument words = new RestDocument();
    private final JsonSchemas schemas = new JsonSchemas(words);
    private final ObjectNode paths = mapper.createObjectNode();

    private OpenApi() throws IOException {}

    /** The document, with a line break at its end. */
    static String text() throws Exception {
        return new OpenApi().document();
    }

    private String document() throws Exception {
        for (Field field : MecesHeaders.class.getDeclaredFields()) {
            if (field.getType() == MecesHeaders.class) {
                add(field.getName(), (MecesHeaders<?, ?>) field.get(null));
            }
        }
        addJobDetails();
        addPage();
        ObjectNode document = mapper.createObjectNode().put("openapi", "3.1.0");
        ObjectNode info = document.putObject("info").put("title", "flink-meces");
        info.put(
                "description",
                "What flink-meces adds to the REST API of Flink's JobManager, on the same port.");
        // that of Flink's API, which the paths may begin with
        info.put("version", "v1");
        info.putObject("license").put("name", "Apache-2.0").put("identifier", "Apache-2.0");
        document.putArray("servers").addObject().put("url", "/");
        ((ArrayNode) document.path("servers")).addObject().put("url", "/v1");
        // Flink's API has no users; a proxy before it may
        document.putArray("security");
        document.set("paths", paths);
        ObjectNode components = document.putObject("components");
        ObjectNode responses = components.putObject("responses");
        for (int status : ERRORS) {
            content(
                    responses.putObject("Error" + status).put("description", words.status(status)),
                    schemas.errors());
        }
        components.set("schemas", schemas.all());
        return mapper.writerWithDefaultPrettyPrinter().writeValueAsString(document) + "\n";
    }

    /** Routes as they are asked for: a PATCH is how a PUT gets through Flink's router. */
    static HttpMethod method(MecesHeaders<?, ?> headers) {
        HttpMethod method = headers.getHttpMethod().getNettyHttpMethod();
        return method.equals(HttpMethod.PATCH) ? HttpMethod.PUT : method;
    }

    private void add(String name, MecesHeaders<?, ?> headers) throws IOException {
        String url = headers.getTargetRestEndpointURL();
        String heading = method(headers) + " " + url;
        ObjectNode operation = operation(url, method(headers), operationId(name));
        String about = words.about(heading);
        operation.put("summary", about.split("[.:;](?= |$)")[0]);
        operation.put("description", about);
        parameters(operation, headers.getUnresolvedMessageParameters());
        if (headers.getRequestClass() != EmptyRequestBody.class) {
            ObjectNode body = operation.putObject("requestBody").put("required", true);
            if (headers == MecesHeaders.REQUIRE) {
                ObjectNode schema = mapper.createObjectNode();
                schema.putArray("allOf").add(schemas.of(io.meces.api.ResourceRequirements.class));
                content(body, schema.put("minProperties", 1));
            } else {
                content(body, schemas.of(io.meces.api.RescaleRequest.class));
            }
            ((ObjectNode) body.path("content").path(JSON))
                    .set("example", mapper.readTree(words.request(heading)));
        }
        ObjectNode responses = operation.putObject("responses");
        for (MecesHeaders.Answer answer : headers.answers()) {
            ObjectNode response = responses.putObject(String.valueOf(answer.status.code()));
            response.put("description", answer.status.reasonPhrase());
            content(response, schemas.of(answer.type));
            if (answer.type == io.meces.api.RescaleAccepted.class) {
                link(response, "details");
                link(response, "abort");
                link(response, "event");
            }
        }
        errors(responses, ERRORS);
    }

    private static String operationId(String constant) {
        StringBuilder id = new StringBuilder();
        for (String part : constant.toLowerCase(java.util.Locale.ROOT).split("_")) {
            id.append(
                    id.length() == 0
                            ? part
                            : Character.toUpperCase(part.charAt(0)) + part.substring(1));
        }
        return id.toString();
    }

    private ObjectNode operation(String url, HttpMethod method, String id) {
        String path = url.replaceAll(":([a-z]+)", "{$1}");
        ObjectNode routes = paths.has(path) ? (ObjectNode) paths.get(path) : paths.putObject(path);
        return routes.putObject(method.name().toLowerCase(java.util.Locale.ROOT))
                .put("operationId", id);
    }

    private void parameters(ObjectNode operation, MessageParameters parameters) {
        List<MessageParameter<?>> all = new ArrayList<>(parameters.getPathParameters());
        int inPath = all.size();
        all.addAll(parameters.getQueryParameters());
        ArrayNode list = operation.putArray("parameters");
        for (int i = 0; i < all.size(); i++) {
            MessageParameter<?> parameter = all.get(i);
            ObjectNode node = list.addObject().put("name", parameter.getKey());
            node.put("in", i < inPath ? "path" : "query");
            node.put("required", parameter.isMandatory());
            ObjectNode schema = node.putObject("schema").put("type", "string");
            if (i < inPath) {
                node.put("description", "An id of 32 hexadecimal digits.");
                schema.put("pattern", "^[0-9a-fA-F]{32}$");
            } else {
                node.put("description", ((AbortModeQueryParameter) parameter).getDescription());
                ArrayNode values = schema.putArray("enum");
                for (AbortMode mode : AbortMode.values()) {
                    values.add(mode.parameter());
                }
                schema.put("default", AbortMode.STOP.parameter());
            }
        }
    }

    private void content(ObjectNode message, ObjectNode schema) {
        message.putObject("content").putObject(JSON).set("schema", schema);
    }

    private void link(ObjectNode response, String operation) {
        ObjectNode links =
                response.has("links")
                        ? (ObjectNode) response.get("links")
                        : response.putObject("links");
        ObjectNode parameters =
                links.putObject(operation)
                        .put("operationId", operation)
                        .putObject("parameters")
                        .put("jobid", "$request.path.jobid");
        parameters.put("rescaleid", "$response.body#/id");
    }

    private void errors(ObjectNode responses, int... statuses) {
        for (int status : statuses) {
            responses
                    .putObject(String.valueOf(status))
                    .put("$ref", "#/components/responses/Error" + status);
        }
    }

    /** Flink's answer, and more. */
    private void addJobDetails() {
        ElasticJobDetails.Headers headers = new ElasticJobDetails.Headers();
        ObjectNode operation =
                operation(headers.getTargetRestEndpointURL(), HttpMethod.GET, "jobDetails");
        operation.put("summary", "What later versions of Flink tell of a job");
        operation.put("description", words.about("What later Flinks tell of a job"));
        parameters(operation, headers.getUnresolvedMessageParameters());
        ObjectNode responses = operation.putObject("responses");
        ObjectNode job = mapper.createObjectNode().put("type", "object");
        job.putArray("required").add("jid").add("name").add("state").add("maxParallelism");
        ((ArrayNode) job.path("required")).add("vertices");
        ObjectNode members = job.putObject("properties");
        for (String text : new String[] {"jid", "name", "state"}) {
            members.putObject(text).put("type", "string");
        }
        members.putObject("maxParallelism").put("type", "integer");
        ObjectNode vertex = members.putObject("vertices").put("type", "array").putObject("items");
        vertex.put("type", "object").putArray("required").add("id").add("maxParallelism");
        ((ArrayNode) vertex.path("required")).add("metrics");
        ObjectNode metrics = vertex.putObject("properties").putObject("metrics");
        ((ObjectNode) vertex.path("properties")).putObject("id").put("type", "string");
        ((ObjectNode) vertex.path("properties")).putObject("maxParallelism").put("type", "integer");
        metrics.put("type", "object").putObject("properties");
        ObjectNode times = (ObjectNode) metrics.path("properties");
        ArrayNode busy = times.putObject("accumulated-busy-time").putArray("anyOf");
        busy.addObject().put("type", "number");
        busy.addObject().put("const", "NaN");
        times.putObject("accumulated-idle-time").put("type", "integer");
        times.putObject("accumulated-backpressured-time").put("type", "integer");
        ArrayNode required = metrics.putArray("required");
        times.fieldNames().forEachRemaining(required::add);
        schemas.all().set("JobDetails", job);
        content(
                responses.putObject("200").put("description", "OK"),
                mapper.createObjectNode().put("$ref", "#/components/schemas/JobDetails"));
        errors(responses, 400, 404, 500, 503);
    }

    /** The page, and this document; other files of the page are no part of the interface. */
    private void addPage() {
        ObjectNode page = operation("/meces/", HttpMethod.GET, "page");
        page.put("summary", "The web page");
        ObjectNode html = page.putObject("responses").putObject("200").put("description", "HTML");
        html.putObject("content").putObject("text/html").putObject("schema").put("type", "string");
        errors((ObjectNode) page.path("responses"), 500, 503);
        ObjectNode self = operation("/meces/openapi.json", HttpMethod.GET, "openApi");
        self.put("summary", "This document");
        content(
                self.putObject("responses").putObject("200").put("description", "OpenAPI 3.1"),
                mapper.createObjectNode().put("type", "object"));
        errors((ObjectNode) self.path("responses"), 500, 503);
    }
}
