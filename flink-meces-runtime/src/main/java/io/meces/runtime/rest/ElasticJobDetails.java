// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.rest;

import io.meces.api.RescaleRefusedException;
import io.meces.flink.runtime.FirstVersion;
import io.meces.flink.runtime.JobDetailsRoute;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.executiongraph.AccessExecutionGraph;
import org.apache.flink.runtime.executiongraph.AccessExecutionJobVertex;
import org.apache.flink.runtime.rest.HttpMethodWrapper;
import org.apache.flink.runtime.rest.handler.legacy.ExecutionGraphCache;
import org.apache.flink.runtime.rest.handler.legacy.metrics.MetricFetcher;
import org.apache.flink.runtime.rest.handler.router.RoutedRequest;
import org.apache.flink.runtime.rest.messages.EmptyRequestBody;
import org.apache.flink.runtime.rest.messages.JobMessageParameters;
import org.apache.flink.runtime.rest.messages.MessageHeaders;
import org.apache.flink.runtime.rest.messages.job.JobDetailsHeaders;
import org.apache.flink.runtime.rest.messages.job.JobDetailsInfo;
import org.apache.flink.runtime.webmonitor.RestfulGateway;
import org.apache.flink.runtime.webmonitor.retriever.GatewayRetriever;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonGenerator;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonSerializer;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.SerializerProvider;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.annotation.JsonSerialize;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelHandlerContext;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpRequest;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpResponseStatus;

/**
 * What Flink answers to {@code GET /jobs/:jobid}, with what later Flinks tell of each vertex: its
 * max parallelism, and how long its subtasks have been busy, idle and back-pressured since they
 * began. A route of its own, as Flink 1.12's client refuses an answer that has members which it
 * does not know. One instance serves all requests; it has no state of its own.
 */
final class ElasticJobDetails extends JobDetailsRoute {

    private final SubtaskTimes times;

    ElasticJobDetails(
            GatewayRetriever<? extends RestfulGateway> leaderRetriever,
            Duration timeout,
            Map<String, String> responseHeaders,
            MessageHeaders<EmptyRequestBody, JobDetailsInfo, JobMessageParameters> headers,
            ExecutionGraphCache executionGraphCache,
            Executor executor,
            MetricFetcher metricFetcher) {
        super(
                leaderRetriever,
                timeout,
                responseHeaders,
                headers,
                executionGraphCache,
                executor,
                metricFetcher);
        this.times = new SubtaskTimes(metricFetcher);
    }

    @Override
    protected void respondAsLeader(
            ChannelHandlerContext context, RoutedRequest request, RestfulGateway gateway) {
        try {
            Refusals.checkIds(request.getRouteResult().pathParams());
        } catch (RescaleRefusedException e) {
            refuse(context, request.getRequest(), e);
            return;
        }
        super.respondAsLeader(context, request, gateway);
    }

    @Override
    protected CompletableFuture<Void> orRefuse(
            CompletableFuture<Void> answered, ChannelHandlerContext context, HttpRequest request) {
        return answered.handle(
                        (sent, failure) ->
                                failure == null
                                        ? CompletableFuture.<Void>completedFuture(null)
                                        : refuse(context, request, failure))
                .thenCompose(Function.identity());
    }

    private CompletableFuture<Void> refuse(
            ChannelHandlerContext context, HttpRequest request, Throwable failure) {
        return Refusals.send(context, request, failure, responseHeaders);
    }

    @Override
    protected JobDetailsInfo extend(JobDetailsInfo flinks, AccessExecutionGraph job) {
        Map<String, More> vertices = new HashMap<>();
        for (AccessExecutionJobVertex vertex : job.getVerticesTopologically()) {
            vertices.put(vertex.getJobVertexId().toString(), new More(job.getJobID(), vertex));
        }
        return new Body(flinks, vertices);
    }

    /** {@code GET /jobs/:jobid/details}. Immutable. */
    static final class Headers
            implements MessageHeaders<EmptyRequestBody, JobDetailsInfo, JobMessageParameters>,
                    FirstVersion {
        @Override
        public HttpMethodWrapper getHttpMethod() {
            return HttpMethodWrapper.GET;
        }

        @Override
        public String getTargetRestEndpointURL() {
            return JobDetailsHeaders.URL + "/details";
        }

        @Override
        public Class<EmptyRequestBody> getRequestClass() {
            return EmptyRequestBody.class;
        }

        @Override
        public JobMessageParameters getUnresolvedMessageParameters() {
            return new JobMessageParameters();
        }

        @Override
        public Class<JobDetailsInfo> getResponseClass() {
            return JobDetailsInfo.class;
        }

        @Override
        public HttpResponseStatus getResponseStatusCode() {
            return HttpResponseStatus.OK;
        }

        @Override
        public String getDescription() {
            return "Returns details of a job, with those that later versions of Flink have.";
        }
    }

    /** What is added to a vertex. */
    private final class More {
        private final int maxParallelism;
        private final double busy;
        private final long idle;
        private final long backPressured;

        More(JobID job, AccessExecutionJobVertex vertex) {
            maxParallelism = vertex.getMaxParallelism();
            busy = sum(job, vertex, "accumulateBusyTimeMs");
            // a NaN is 0, as these are whole numbers in later Flinks
            idle = (long) sum(job, vertex, "accumulateIdleTimeMs");
            backPressured = (long) sum(job, vertex, "accumulateBackPressuredTimeMs");
        }

        private double sum(JobID job, AccessExecutionJobVertex vertex, String metric) {
            Double sum =
                    times.sum(
                            job,
                            vertex.getJobVertexId().toString(),
                            vertex.getTaskVertices().length,
                            metric);
            return sum == null ? Double.NaN : sum;
        }

        void addTo(ObjectNode vertex) {
            vertex.put("maxParallelism", maxParallelism);
            ((ObjectNode) vertex.path("metrics"))
                    .put("accumulated-busy-time", busy)
                    .put("accumulated-idle-time", idle)
                    .put("accumulated-backpressured-time", backPressured);
        }
    }

    /** Flink's answer, and what is added to it. */
    @JsonSerialize(using = Writer.class)
    private static final class Body extends Copy {
        final JobDetailsInfo flinks;
        final Map<String, More> vertices;

        Body(JobDetailsInfo flinks, Map<String, More> vertices) {
            super(flinks);
            this.flinks = flinks;
            this.vertices = vertices;
        }
    }

    /** Called by Jackson. */
    static final class Writer extends JsonSerializer<Body> {
        private static final ObjectMapper MAPPER = new ObjectMapper();

        @Override
        public void serialize(Body body, JsonGenerator out, SerializerProvider serializers)
                throws IOException {
            // the plan is JSON in a string, which only the text has as JSON
            JsonNode json = MAPPER.readTree(MAPPER.writeValueAsString(body.flinks));
            // that of the configuration of the job, of which this Flink keeps none; each vertex has
            // it
            ((ObjectNode) json).put("maxParallelism", -1);
            for (JsonNode vertex : json.path("vertices")) {
                body.vertices.get(vertex.path("id").asText()).addTo((ObjectNode) vertex);
            }
            MAPPER.writeTree(out, json);
        }
    }
}
