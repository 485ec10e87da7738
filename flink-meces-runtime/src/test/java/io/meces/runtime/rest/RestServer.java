// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.rest;

import io.meces.flink.runtime.Futures;
import io.meces.flink.runtime.OperatorUids;
import io.meces.flink.runtime.RestEndpoints;
import io.meces.flink.runtime.TestElections;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.net.HttpURLConnection;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import javax.annotation.Nullable;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.WebOptions;
import org.apache.flink.runtime.blob.TransientBlobService;
import org.apache.flink.runtime.dispatcher.DispatcherGateway;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.messages.FlinkJobNotFoundException;
import org.apache.flink.runtime.operators.coordination.CoordinationRequest;
import org.apache.flink.runtime.operators.coordination.CoordinationResponse;
import org.apache.flink.runtime.rest.handler.RestHandlerConfiguration;
import org.apache.flink.runtime.rest.handler.RestHandlerSpecification;
import org.apache.flink.runtime.rest.handler.legacy.metrics.VoidMetricFetcher;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelInboundHandler;
import org.apache.flink.util.SerializedValue;

/** The real endpoint at a free port, in front of a dispatcher that only passes requests on. */
final class RestServer implements AutoCloseable {

    /** The far end of the RPC. */
    interface Controller {
        CompletableFuture<CoordinationResponse> answer(
                JobID jobId, OperatorID operatorId, CoordinationRequest request);
    }

    /** What came back. */
    static final class Reply {
        final int status;
        final JsonNode body;

        Reply(int status, JsonNode body) {
            this.status = status;
            this.body = body;
        }

        /** The only entry of {@code errors}. */
        String error() {
            if (body.size() != 1 || body.path("errors").size() != 1) {
                throw new AssertionError("Not one error: " + body);
            }
            return body.path("errors").path(0).asText();
        }
    }

    private final ScheduledExecutorService executor = Executors.newScheduledThreadPool(1);
    private final Path webDirectory;
    private final MecesRestEndpoint endpoint;
    private final ObjectMapper mapper = new ObjectMapper();

    /** Later lines of Flink are told the uid. */
    private static OperatorID idOf(Object operator) {
        return operator instanceof String
                ? OperatorUids.toId((String) operator)
                : (OperatorID) operator;
    }

    RestServer(Controller controller) throws Exception {
        Configuration configuration = new Configuration();
        configuration.set(RestOptions.ADDRESS, "localhost");
        configuration.set(RestOptions.BIND_PORT, "0");
        configuration.setString("job.autoscaler.vertex.exclude.ids", "of a user; feed");
        Path temporary = Files.createTempDirectory("rest-server");
        temporary.toFile().deleteOnExit();
        configuration.set(WebOptions.TMP_DIR, temporary.toString());
        webDirectory =
                RestHandlerConfiguration.fromConfiguration(configuration).getWebUiDir().toPath();
        DispatcherGateway dispatcher =
                proxy(
                        DispatcherGateway.class,
                        (self, method, arguments) -> {
                            if (method.getName().startsWith("request")) {
                                // of the details, whatever this Flink calls it
                                return Futures.completedExceptionally(
                                        new FlinkJobNotFoundException((JobID) arguments[0]));
                            } else if (!method.getName()
                                    .equals("deliverCoordinationRequestToCoordinator")) {
                                throw new UnsupportedOperationException(method.toString());
                            }
                            SerializedValue<CoordinationRequest> request =
                                    (SerializedValue<CoordinationRequest>) arguments[2];
                            return controller.answer(
                                    (JobID) arguments[0],
                                    idOf(arguments[1]),
                                    request.deserializeValue(getClass().getClassLoader()));
                        });
        endpoint =
                new MecesRestEndpoint(
                        new RestEndpoints.Parts(
                                configuration,
                                () -> CompletableFuture.completedFuture(dispatcher),
                                CompletableFuture::new,
                                proxy(TransientBlobService.class, RestServer::unsupported),
                                executor,
                                VoidMetricFetcher.INSTANCE,
                                TestElections.alone(),
                                failure -> {
                                    throw new AssertionError(failure);
                                }));
        endpoint.start();
    }

    /** All that it serves; new ones at each call. */
    List<Tuple2<RestHandlerSpecification, ChannelInboundHandler>> handlers() {
        return endpoint.initializeHandlers(CompletableFuture.completedFuture(address()));
    }

    private static Object unsupported(
            Object self, java.lang.reflect.Method method, Object[] arguments) {
        throw new UnsupportedOperationException(method.toString());
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    Reply get(String path) throws IOException {
        return send("GET", path, null);
    }

    Reply delete(String path) throws IOException {
        return send("DELETE", path, null);
    }

    Reply post(String path, String body) throws IOException {
        return send("POST", path, body);
    }

    Reply send(String method, String path, @Nullable String body) throws IOException {
        HttpURLConnection connection =
                (HttpURLConnection) new URL(endpoint.getRestBaseUrl() + path).openConnection();
        connection.setRequestMethod(method);
        connection.setConnectTimeout(10_000);
        connection.setReadTimeout(30_000);
        if (body != null) {
            connection.setDoOutput(true);
            connection.setRequestProperty("Content-Type", "application/json");
            try (OutputStream out = connection.getOutputStream()) {
                out.write(body.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
            }
        }
        int status = connection.getResponseCode();
        try (InputStream in =
                status < 400 ? connection.getInputStream() : connection.getErrorStream()) {
            return new Reply(status, mapper.readTree(bytes(in)));
        }
    }

    /** Flink's address, without a path. */
    String address() {
        return endpoint.getRestBaseUrl();
    }

    /** Where Flink has the files that it serves. */
    Path webDirectory() {
        return webDirectory;
    }

    static byte[] bytes(InputStream in) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        byte[] buffer = new byte[4096];
        for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
            out.write(buffer, 0, read);
        }
        return out.toByteArray();
    }

    @Override
    public void close() throws Exception {
        endpoint.close();
        executor.shutdownNow();
    }
}
