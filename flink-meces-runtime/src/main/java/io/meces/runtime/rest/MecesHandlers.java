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

package io.meces.runtime.rest;

import io.meces.api.RescaleRefusedException;
import io.meces.api.ResourceRequirements;
import io.meces.runtime.rpc.ControllerGateway;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.time.Time;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.rest.handler.HandlerRequest;
import org.apache.flink.runtime.rest.handler.RestHandlerSpecification;
import org.apache.flink.runtime.rest.handler.legacy.ExecutionGraphCache;
import org.apache.flink.runtime.rest.handler.legacy.metrics.MetricFetcher;
import org.apache.flink.runtime.rest.messages.EmptyRequestBody;
import org.apache.flink.runtime.rest.messages.EmptyResponseBody;
import org.apache.flink.runtime.rest.messages.JobIDPathParameter;
import org.apache.flink.runtime.rest.messages.JobMessageParameters;
import org.apache.flink.runtime.rest.messages.JobVertexIdPathParameter;
import org.apache.flink.runtime.rest.messages.MessageParameters;
import org.apache.flink.runtime.rest.messages.ResponseBody;
import org.apache.flink.runtime.webmonitor.RestfulGateway;
import org.apache.flink.runtime.webmonitor.retriever.GatewayRetriever;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelInboundHandler;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpResponseStatus;
import org.apache.flink.util.ExceptionUtils;

/** The handlers that any REST endpoint of ours has besides, or instead of, those of Flink. */
final class MecesHandlers {

    private final GatewayRetriever<? extends RestfulGateway> gateways;
    private final Time timeout;
    private final Map<String, String> responseHeaders;
    private final SubtaskTimes times;

    private final Configuration configuration;

    /**
     * @param configuration of the cluster
     */
    MecesHandlers(
            GatewayRetriever<? extends RestfulGateway> gateways,
            Time timeout,
            Map<String, String> responseHeaders,
            MetricFetcher metrics,
            Configuration configuration) {
        this.configuration = configuration;
        this.gateways = gateways;
        this.timeout = timeout;
        this.responseHeaders = responseHeaders;
        this.times = new SubtaskTimes(metrics);
    }

    /** What later Flinks tell of a job; a new one at each call. */
    Tuple2<RestHandlerSpecification, ChannelInboundHandler> jobDetails(
            ExecutionGraphCache jobs, Executor executor, MetricFetcher metrics) {
        ElasticJobDetails.Headers headers = new ElasticJobDetails.Headers();
        return Tuple2.of(
                headers,
                new ElasticJobDetails(
                        gateways, timeout, responseHeaders, headers, jobs, executor, metrics));
    }

    /** New ones at each call. */
    List<Tuple2<RestHandlerSpecification, ChannelInboundHandler>> all() {
        List<Tuple2<RestHandlerSpecification, ChannelInboundHandler>> handlers = new ArrayList<>();
        handlers.add(
                Tuple2.of(
                        MecesHeaders.RESCALE,
                        new RescaleHandler(gateways, timeout, responseHeaders)));
        handlers.add(
                question(
                        MecesHeaders.ELASTICITY,
                        (request, controllers) ->
                                controllers
                                        .elasticity(
                                                request.getPathParameter(JobIDPathParameter.class))
                                        .thenApply(ControllerHandler.Response::ok)));
        handlers.add(
                question(
                        MecesHeaders.KEY_GROUPS,
                        (request, controllers) -> {
                            JobID job = request.getPathParameter(JobIDPathParameter.class);
                            return controllers
                                    .keyGroups(
                                            job,
                                            request.getPathParameter(JobVertexIdPathParameter.class)
                                                    .toString())
                                    .thenApply(keyGroups -> times.addTo(keyGroups, job))
                                    .thenApply(ControllerHandler.Response::ok);
                        }));
        handlers.add(
                question(
                        MecesHeaders.REQUIREMENTS,
                        (request, controllers) ->
                                controllers
                                        .requirements(
                                                request.getPathParameter(JobIDPathParameter.class))
                                        .thenApply(ControllerHandler.Response::ok)));
        handlers.add(
                Tuple2.of(
                        MecesHeaders.REQUIRE,
                        new BodyHandler<>(
                                gateways,
                                timeout,
                                responseHeaders,
                                MecesHeaders.REQUIRE,
                                MecesHandlers::require)));
        handlers.add(question(MecesHeaders.CONFIGURATION, this::configuration));
        handlers.add(
                question(
                        MecesHeaders.RESCALES,
                        (request, controllers) ->
                                controllers
                                        .rescales(
                                                request.getPathParameter(JobIDPathParameter.class))
                                        .thenApply(ControllerHandler.Response::ok)));
        handlers.add(
                question(
                        MecesHeaders.DETAILS,
                        (request, controllers) ->
                                controllers
                                        .rescale(
                                                request.getPathParameter(JobIDPathParameter.class),
                                                request.getPathParameter(
                                                        RescaleIdPathParameter.class))
                                        .thenApply(ControllerHandler.Response::ok)));
        handlers.add(
                question(
                        MecesHeaders.OVERVIEW,
                        (request, controllers) ->
                                controllers
                                        .rescales(
                                                request.getPathParameter(JobIDPathParameter.class))
                                        .thenApply(RescaleOverview::new)
                                        .thenApply(MecesHandlers::ok)));
        handlers.add(
                question(
                        MecesHeaders.HISTORY,
                        (request, controllers) ->
                                controllers
                                        .rescales(
                                                request.getPathParameter(JobIDPathParameter.class))
                                        .thenApply(RescaleHistory::new)
                                        .thenApply(MecesHandlers::ok)));
        handlers.add(
                question(
                        MecesHeaders.EVENT,
                        (request, controllers) ->
                                controllers
                                        .rescale(
                                                request.getPathParameter(JobIDPathParameter.class),
                                                request.getPathParameter(
                                                        RescaleIdPathParameter.class))
                                        .thenApply(RescaleEvent::detailed)
                                        .thenApply(MecesHandlers::ok)));
        handlers.add(
                question(
                        MecesHeaders.ABORT,
                        (request, controllers) ->
                                controllers
                                        .abort(
                                                request.getPathParameter(JobIDPathParameter.class),
                                                request.getPathParameter(
                                                        RescaleIdPathParameter.class),
                                                AbortModeQueryParameter.parse(
                                                        request.getQueryParameter(
                                                                AbortModeQueryParameter.class)))
                                        .thenApply(ControllerHandler.Response::accepted)));
        return handlers;
    }

    private static ControllerHandler.Response ok(ResponseBody body) {
        return new ControllerHandler.Response(HttpResponseStatus.OK, body);
    }

    private static CompletableFuture<ControllerHandler.Response> require(
            HandlerRequest<RequirementsBody, JobMessageParameters> request,
            ControllerGateway controllers)
            throws RescaleRefusedException {
        ResourceRequirements requirements = request.getRequestBody().requirements;
        requirements.validate();
        return controllers
                .require(request.getPathParameter(JobIDPathParameter.class), requirements)
                .thenApply(
                        standing ->
                                new ControllerHandler.Response(
                                        HttpResponseStatus.OK, EmptyResponseBody.getInstance()));
    }

    private CompletableFuture<ControllerHandler.Response> configuration(
            HandlerRequest<EmptyRequestBody, JobMessageParameters> request,
            ControllerGateway controllers) {
        return controllers
                .elasticity(request.getPathParameter(JobIDPathParameter.class))
                .thenApply(elasticity -> JobConfiguration.of(configuration, elasticity))
                .exceptionally(
                        failure -> {
                            // a job that has no controller has a configuration all the same
                            if (isBadRequest(failure)) {
                                return JobConfiguration.plain(configuration);
                            }
                            throw new CompletionException(
                                    ExceptionUtils.stripCompletionException(failure));
                        })
                .thenApply(body -> new ControllerHandler.Response(HttpResponseStatus.OK, body));
    }

    private static boolean isBadRequest(Throwable failure) {
        return ExceptionUtils.findThrowable(failure, RescaleRefusedException.class)
                .filter(r -> r.getKind() == RescaleRefusedException.Kind.BAD_REQUEST)
                .isPresent();
    }

    private <M extends MessageParameters>
            Tuple2<RestHandlerSpecification, ChannelInboundHandler> question(
                    MecesHeaders<EmptyRequestBody, M> headers,
                    ControllerHandler.Action<EmptyRequestBody, M> action) {
        return Tuple2.of(
                headers,
                new ControllerHandler<>(gateways, timeout, responseHeaders, headers, action));
    }
}
