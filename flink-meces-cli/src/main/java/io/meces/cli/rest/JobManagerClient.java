// SPDX-License-Identifier: Apache-2.0
package io.meces.cli.rest;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.meces.api.AbortMode;
import io.meces.api.Elasticity;
import io.meces.api.ParallelismBounds;
import io.meces.api.RescaleAccepted;
import io.meces.api.RescaleDetails;
import io.meces.api.RescalePlans;
import io.meces.api.RescaleRequest;
import io.meces.api.Rescales;
import io.meces.api.ResourceRequirements;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import javax.annotation.Nullable;
import okhttp3.HttpUrl;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The REST interface of a JobManager, Flink's own part and that of flink-meces, by HTTP or HTTPS,
 * also behind a proxy with a path of its own and basic authentication. Thread-safe. Each call
 * blocks for 60 s at most and throws {@link RefusedException} if it is answered with an error,
 * {@link UnreachableException} if no JobManager answers.
 */
public class JobManagerClient {
    private static final Logger LOG = LoggerFactory.getLogger(JobManagerClient.class);
    private static final String REQUIREMENTS = "resource-requirements";
    private static final MediaType JSON = MediaType.get("application/json");

    private final ObjectMapper mapper = new LenientJson();
    private final JobManagerAddress address;

    /** The address, and who says so. */
    private final String where;

    @Nullable private final Credentials credentials;
    private final OkHttpClient http;

    /**
     * A client by plain HTTP; it does not connect yet.
     *
     * @param address host:port of the JobManager's REST interface
     * @throws IllegalArgumentException if the address is none, or has no port
     */
    public JobManagerClient(String address) {
        this(http(), JobManagerAddress.parse(address, false), "", null);
    }

    /**
     * A client; it does not connect yet.
     *
     * @param address of the JobManager's REST interface
     * @param source who says so, for error texts, as in " (by FILE)"; or empty
     * @param tls what to do if the address is one of HTTPS
     * @param credentials for a proxy; null: none
     * @throws IOException if TLS cannot be set up
     */
    public JobManagerClient(
            JobManagerAddress address,
            String source,
            ClientTls tls,
            @Nullable Credentials credentials)
            throws IOException {
        this(address.isTls() ? https(tls) : http(), address, source, credentials);
    }

    private JobManagerClient(
            OkHttpClient.Builder http,
            JobManagerAddress address,
            String source,
            @Nullable Credentials credentials) {
        this.http = http.build();
        this.address = address;
        this.where = address + source;
        this.credentials = credentials;
    }

    private static OkHttpClient.Builder http() {
        return new OkHttpClient.Builder()
                // Flink speaks nothing else; a connection of HTTP/2 that the server closes after
                // the handshake fails in ways of its own, without the reason
                .protocols(Collections.singletonList(Protocol.HTTP_1_1))
                .connectTimeout(Duration.ofSeconds(10))
                .callTimeout(Duration.ofSeconds(60))
                .readTimeout(Duration.ofSeconds(60))
                // it would make a GET of a POST, and show other hosts who asks
                .followRedirects(false)
                .followSslRedirects(false);
    }

    private static OkHttpClient.Builder https(ClientTls tls) throws IOException {
        OkHttpClient.Builder http = http();
        tls.apply(http);
        return http;
    }

    /** host:port of the JobManager, or its URL. */
    public String address() {
        return address.toString();
    }

    /** The jobs that the JobManager knows, ended ones too. */
    public List<Job> jobs() throws IOException {
        List<Job> jobs = new ArrayList<>();
        for (JsonNode job : get("jobs", "overview").path("jobs")) {
            jobs.add(
                    new Job(
                            job.path("jid").asText(),
                            job.path("name").asText(),
                            job.path("state").asText()));
        }
        return jobs;
    }

    /** What Flink says about a job: state, vertices, timestamps. */
    public JsonNode job(String jobId) throws IOException {
        return get("jobs", jobId);
    }

    /** The values of metrics of a vertex, by name; without those that there are not (yet). */
    public Map<String, String> metrics(String jobId, String vertexId, List<String> names)
            throws IOException {
        return metrics(names, "jobs", jobId, "vertices", vertexId, "metrics");
    }

    /** The values of metrics at a path, by name; without those that there are not (yet). */
    protected final Map<String, String> metrics(List<String> names, String... path)
            throws IOException {
        Map<String, String> values = new HashMap<>();
        for (JsonNode metric : get("get", String.join(",", names), path)) {
            if (metric.hasNonNull("value")) {
                values.put(metric.path("id").asText(), metric.path("value").asText());
            }
        }
        return values;
    }

    /** What can be rescaled in a job. */
    public Elasticity elasticity(String jobId) throws IOException {
        return mapper.treeToValue(get("jobs", jobId, "elasticity"), Elasticity.class);
    }

    /** Starts a rescale, for a request that is no dry run; returns its id. */
    public String rescale(String jobId, RescaleRequest request) throws IOException {
        return mapper.treeToValue(post(request, "jobs", jobId, "rescales"), RescaleAccepted.class)
                .id();
    }

    /** What a rescale would do, for a request that is a dry run. */
    public RescalePlans plan(String jobId, RescaleRequest request) throws IOException {
        return mapper.treeToValue(post(request, "jobs", jobId, "rescales"), RescalePlans.class);
    }

    /** Between which parallelisms the elastic vertices of a job are to run. */
    public ResourceRequirements requirements(String jobId) throws IOException {
        Map<String, ParallelismBounds> bounds = new LinkedHashMap<>();
        get("jobs", jobId, REQUIREMENTS)
                .fields()
                .forEachRemaining(
                        vertex -> {
                            JsonNode parallelism = vertex.getValue().path("parallelism");
                            bounds.put(
                                    vertex.getKey(),
                                    new ParallelismBounds(
                                            parallelism.path("lowerBound").asInt(),
                                            parallelism.path("upperBound").asInt()));
                        });
        return new ResourceRequirements(bounds);
    }

    /** Sets between which parallelisms some vertices of a job are to run. */
    public void require(String jobId, ResourceRequirements requirements) throws IOException {
        call("PUT", json(requirements), "jobs", jobId, REQUIREMENTS);
    }

    /** How the rescales of a job stand, the newest last. */
    public List<RescaleDetails> rescales(String jobId) throws IOException {
        return mapper.treeToValue(get("jobs", jobId, "rescales"), Rescales.class).rescales();
    }

    /** How a rescale stands. */
    public RescaleDetails rescale(String jobId, String rescaleId) throws IOException {
        return mapper.treeToValue(get("jobs", jobId, "rescales", rescaleId), RescaleDetails.class);
    }

    /** Ends a rescale early; how it stands then. */
    public RescaleDetails abort(String jobId, String rescaleId, AbortMode mode) throws IOException {
        HttpUrl url =
                url("jobs", jobId, "rescales", rescaleId)
                        .newBuilder()
                        .addQueryParameter("mode", mode.parameter())
                        .build();
        return mapper.treeToValue(
                call(new Request.Builder().url(url).delete().build()), RescaleDetails.class);
    }

    private HttpUrl url(String... path) {
        HttpUrl.Builder builder = address.base().newBuilder();
        for (String segment : path) {
            builder.addPathSegment(segment);
        }
        return builder.build();
    }

    /** What is at a path. */
    protected final JsonNode get(String... path) throws IOException {
        return call("GET", null, path);
    }

    private JsonNode get(String parameter, String value, String[] path) throws IOException {
        HttpUrl url = url(path).newBuilder().addQueryParameter(parameter, value).build();
        return call(new Request.Builder().url(url).get().build());
    }

    /** Answers a request to a path whose body is JSON. */
    protected final JsonNode post(Object body, String... path) throws IOException {
        return call("POST", json(body), path);
    }

    private RequestBody json(Object body) throws IOException {
        return RequestBody.create(mapper.writeValueAsBytes(body), JSON);
    }

    /** Answers a request to a path; its body is null where HTTP wants none. */
    protected final JsonNode call(String method, @Nullable RequestBody body, String... path)
            throws IOException {
        return call(new Request.Builder().url(url(path)).method(method, body).build());
    }

    private JsonNode call(Request request) throws IOException {
        int status;
        byte[] body;
        String location;
        Request authorized =
                credentials == null
                        ? request
                        : request.newBuilder()
                                .header("Authorization", credentials.header())
                                .build();
        try (Response response = http.newCall(authorized).execute()) {
            status = response.code();
            body = response.body().bytes();
            location = response.header("Location", "");
        } catch (IOException e) {
            throw new UnreachableException(where, address.isTls(), e);
        }
        if (status >= 300 && status < 400) {
            throw new UnreachableException(where, elsewhere(location));
        }
        if (status >= 400) {
            throw new RefusedException(status, refusal(request, status, body));
        }
        try {
            return mapper.readTree(body);
        } catch (JsonProcessingException e) {
            LOG.debug("The answer to {} is not JSON.", request.url(), e);
            throw new UnreachableException(
                    where,
                    "what answers "
                            + request.url()
                            + " is not a JobManager, nor a proxy that passes this on. Is the path"
                            + " right?");
        }
    }

    private String elsewhere(String location) {
        return location.startsWith("https:") && !address.isTls()
                ? "it wants TLS (security.ssl.rest.enabled). Use --jobmanager https://"
                        + address.base().host()
                        + ":"
                        + address.base().port()
                        + ", and --cacert FILE if Java does not trust its certificate by itself."
                : "it refers to " + location + ", where nothing is sent to by itself.";
    }

    private String refusal(Request request, int status, byte[] body) {
        String errors = errors(body);
        if (isUnknownToFlink(request, status, errors)) {
            return notOurs();
        }
        if (!errors.isEmpty()) {
            return errors;
        }
        switch (status) {
            case 401:
                return credentials == null
                        ? "What answers at "
                                + where
                                + " wants a user and a password (HTTP status 401). Set"
                                + " MECES_REST_USER and MECES_REST_PASSWORD in the environment, or"
                                + " give a file by --credentials."
                        : "What answers at "
                                + where
                                + " does not accept user "
                                + credentials.user()
                                + " with this password (HTTP status 401).";
            case 403:
                return "What answers at " + where + " does not allow this (HTTP status 403).";
            case 404:
                return "There is no REST interface of Flink at "
                        + where
                        + " (HTTP status 404 for "
                        + request.url()
                        + "). Is the path right?";
            case 502:
            case 504:
                return "What answers at "
                        + where
                        + " does not reach the JobManager (HTTP status "
                        + status
                        + ").";
            default:
                return "The JobManager answers with HTTP status " + status + ".";
        }
    }

    /**
     * Whether nothing has a handler for what flink-meces adds to the REST interface. Flink then
     * looks for a file of its web interface, if there is one and the request is a GET.
     */
    private static boolean isUnknownToFlink(Request request, int status, String errors) {
        List<String> path = request.url().pathSegments();
        return status == 404
                && (path.contains("elasticity")
                        || path.contains("rescales")
                        || path.contains(REQUIREMENTS))
                && (errors.equals("Not found.")
                        || errors.startsWith("Unable to load requested file "));
    }

    private String notOurs() {
        return "The JobManager at "
                + where
                + " runs without flink-meces. Start it by bin/meces-jobmanager.sh or"
                + " bin/meces-standalone-job.sh, see the user guide.";
    }

    /** Flink's error texts, a line each; empty if there are none. */
    private String errors(byte[] body) {
        StringJoiner errors = new StringJoiner(System.lineSeparator());
        try {
            for (JsonNode error : mapper.readTree(body).path("errors")) {
                errors.add(error.asText());
            }
        } catch (IOException e) {
            LOG.debug("An error is not told in JSON.", e);
        }
        return errors.toString();
    }
}
