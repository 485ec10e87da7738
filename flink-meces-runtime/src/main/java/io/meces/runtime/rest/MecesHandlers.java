// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.rest;

import io.meces.api.RescaleDetails;
import io.meces.api.RescaleRefusedException;
import io.meces.api.ResourceRequirements;
import io.meces.flink.runtime.FlinkDurations;
import io.meces.flink.runtime.RestEndpoints;
import io.meces.flink.runtime.RestRequest;
import io.meces.runtime.rest.ControllerHandler.Response;
import io.meces.runtime.rpc.ControllerGateway;
import java.io.File;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.configuration.Configuration;
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
    private final Duration timeout;
    private final Map<String, String> responseHeaders;
    private final SubtaskTimes times;

    private final Configuration configuration;

    /**
     * @param configuration of the cluster
     */
    MecesHandlers(
            GatewayRetriever<? extends RestfulGateway> gateways,
            Duration timeout,
            Map<String, String> responseHeaders,
            MetricFetcher metrics,
            Configuration configuration) {
        this.configuration = configuration;
        this.gateways = gateways;
        this.timeout = timeout;
        this.responseHeaders = responseHeaders;
        this.times = new SubtaskTimes(metrics);
    }

    /**
     * The handlers of an endpoint of Flink, with ours and those of the page.
     *
     * @param flinks what it has itself
     */
    static List<Tuple2<RestHandlerSpecification, ChannelInboundHandler>> addTo(
            List<Tuple2<RestHandlerSpecification, ChannelInboundHandler>> flinks,
            GatewayRetriever<? extends RestfulGateway> gateways,
            Configuration configuration,
            Map<String, String> responseHeaders,
            RestEndpoints.Parts parts,
            Executor executor,
            File webUi) {
        Duration timeout = FlinkDurations.rest(configuration);
        MecesHandlers ours =
                new MecesHandlers(gateways, timeout, responseHeaders, parts.metrics, configuration);
        List<Tuple2<RestHandlerSpecification, ChannelInboundHandler>> handlers =
                ours.insteadOf(flinks);
        handlers.add(ours.jobDetails(parts.jobs, executor, parts.metrics));
        handlers.addAll(PageHandler.all(gateways, timeout, webUi));
        return handlers;
    }

    /** What later Flinks tell of a job; a new one at each call. */
    private Tuple2<RestHandlerSpecification, ChannelInboundHandler> jobDetails(
            ExecutionGraphCache jobs, Executor executor, MetricFetcher metrics) {
        ElasticJobDetails.Headers headers = new ElasticJobDetails.Headers();
        return Tuple2.of(
                headers,
                new ElasticJobDetails(
                        gateways, timeout, responseHeaders, headers, jobs, executor, metrics));
    }

    /** Flink's handlers with ours; later Flinks have some of these themselves. */
    private List<Tuple2<RestHandlerSpecification, ChannelInboundHandler>> insteadOf(
            List<Tuple2<RestHandlerSpecification, ChannelInboundHandler>> flinks) {
        List<Tuple2<RestHandlerSpecification, ChannelInboundHandler>> ours = all();
        Set<String> urls =
                ours.stream().map(handler -> withoutNames(handler.f0)).collect(Collectors.toSet());
        List<Tuple2<RestHandlerSpecification, ChannelInboundHandler>> handlers =
                new ArrayList<>(flinks);
        handlers.removeIf(handler -> urls.contains(withoutNames(handler.f0)));
        handlers.addAll(ours);
        return handlers;
    }

    /** Its URL; Flink calls some parameters of a path otherwise. */
    private static String withoutNames(RestHandlerSpecification handler) {
        return handler.getTargetRestEndpointURL().replaceAll(":[^/]+", ":");
    }

    /** New ones at each call. */
    List<Tuple2<RestHandlerSpecification, ChannelInboundHandler>> all() {
        List<Tuple2<RestHandlerSpecification, ChannelInboundHandler>> handlers = new ArrayList<>();
        handlers.add(
                Tuple2.of(
                        MecesHeaders.RESCALE,
                        new RescaleHandler(gateways, timeout, responseHeaders)));
        handlers.add(ofJob(MecesHeaders.ELASTICITY, ControllerGateway::elasticity, Response::ok));
        handlers.add(
                question(
                        MecesHeaders.KEY_GROUPS,
                        (request, controllers) ->
                                controllers
                                        .keyGroups(
                                                job(request),
                                                request.getPathParameter(
                                                                JobVertexIdPathParameter.class)
                                                        .toString())
                                        .thenApply(groups -> times.addTo(groups, job(request)))
                                        .thenApply(Response::ok)));
        handlers.add(
                ofJob(MecesHeaders.REQUIREMENTS, ControllerGateway::requirements, Response::ok));
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
        handlers.add(ofJob(MecesHeaders.RESCALES, ControllerGateway::rescales, Response::ok));
        handlers.add(ofRescale(MecesHeaders.DETAILS, Response::ok));
        handlers.add(
                ofJob(
                        MecesHeaders.OVERVIEW,
                        ControllerGateway::rescales,
                        rescales -> ok(new RescaleOverview(rescales))));
        handlers.add(
                ofJob(
                        MecesHeaders.HISTORY,
                        ControllerGateway::rescales,
                        rescales -> ok(new RescaleHistory(rescales))));
        handlers.add(ofRescale(MecesHeaders.EVENT, rescale -> ok(RescaleEvent.detailed(rescale))));
        handlers.add(
                question(
                        MecesHeaders.ABORT,
                        (request, controllers) ->
                                controllers
                                        .abort(
                                                job(request),
                                                rescale(request),
                                                AbortModeQueryParameter.parse(
                                                        request.getQueryParameter(
                                                                AbortModeQueryParameter.class)))
                                        .thenApply(Response::accepted)));
        return handlers;
    }

    private static Response ok(ResponseBody body) {
        return new Response(HttpResponseStatus.OK, body);
    }

    private static CompletableFuture<Response> require(
            RestRequest<RequirementsBody> request, ControllerGateway controllers)
            throws RescaleRefusedException {
        ResourceRequirements requirements = request.getRequestBody().requirements;
        requirements.validate();
        return controllers
                .require(job(request), requirements)
                .thenApply(
                        standing ->
                                new Response(
                                        HttpResponseStatus.OK, EmptyResponseBody.getInstance()));
    }

    private CompletableFuture<Response> configuration(
            RestRequest<EmptyRequestBody> request, ControllerGateway controllers) {
        return controllers
                .elasticity(job(request))
                .thenCombine(
                        controllers.fixedVertices(job(request)),
                        (elasticity, fixed) ->
                                JobConfiguration.of(configuration, elasticity, fixed))
                .exceptionally(
                        failure -> {
                            // One that has no controller, or does not run, has a configuration all
                            // the same: an autoscaler asks for that of each job that is listed, and
                            // leaves all alone if one is not answered.
                            if (isRefused(failure)) {
                                return JobConfiguration.plain(configuration);
                            }
                            throw new CompletionException(
                                    ExceptionUtils.stripCompletionException(failure));
                        })
                .thenApply(body -> new Response(HttpResponseStatus.OK, body));
    }

    private static boolean isRefused(Throwable failure) {
        return ExceptionUtils.findThrowable(failure, RescaleRefusedException.class).isPresent();
    }

    private static JobID job(RestRequest<?> request) {
        return request.getPathParameter(JobIDPathParameter.class);
    }

    private static String rescale(RestRequest<?> request) {
        return request.getPathParameter(RescaleIdPathParameter.class);
    }

    private <A> Tuple2<RestHandlerSpecification, ChannelInboundHandler> ofJob(
            MecesHeaders<EmptyRequestBody, JobMessageParameters> headers,
            BiFunction<ControllerGateway, JobID, CompletableFuture<A>> question,
            Function<A, Response> response) {
        return question(
                headers,
                (request, controllers) ->
                        question.apply(controllers, job(request)).thenApply(response));
    }

    private Tuple2<RestHandlerSpecification, ChannelInboundHandler> ofRescale(
            MecesHeaders<EmptyRequestBody, RescaleMessageParameters> headers,
            Function<RescaleDetails, Response> response) {
        return question(
                headers,
                (request, controllers) ->
                        controllers.rescale(job(request), rescale(request)).thenApply(response));
    }

    private <M extends MessageParameters>
            Tuple2<RestHandlerSpecification, ChannelInboundHandler> question(
                    MecesHeaders<EmptyRequestBody, M> headers,
                    ControllerHandler.Action<EmptyRequestBody> action) {
        return Tuple2.of(
                headers,
                new ControllerHandler<>(gateways, timeout, responseHeaders, headers, action));
    }
}
