// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.apache.flink.runtime.executiongraph.AccessExecutionGraph;
import org.apache.flink.runtime.rest.handler.HandlerRequest;
import org.apache.flink.runtime.rest.handler.RestHandlerException;
import org.apache.flink.runtime.rest.handler.job.JobDetailsHandler;
import org.apache.flink.runtime.rest.handler.legacy.ExecutionGraphCache;
import org.apache.flink.runtime.rest.handler.legacy.metrics.MetricFetcher;
import org.apache.flink.runtime.rest.messages.EmptyRequestBody;
import org.apache.flink.runtime.rest.messages.JobMessageParameters;
import org.apache.flink.runtime.rest.messages.MessageHeaders;
import org.apache.flink.runtime.rest.messages.job.JobDetailsInfo;
import org.apache.flink.runtime.webmonitor.RestfulGateway;
import org.apache.flink.runtime.webmonitor.retriever.GatewayRetriever;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelHandlerContext;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpRequest;

/** What Flink tells of a job, and more. One instance serves all requests. */
public abstract class JobDetailsRoute extends JobDetailsHandler {

    protected JobDetailsRoute(
            GatewayRetriever<? extends RestfulGateway> leaderRetriever,
            Duration timeout,
            Map<String, String> responseHeaders,
            MessageHeaders<EmptyRequestBody, JobDetailsInfo, JobMessageParameters> headers,
            ExecutionGraphCache executionGraphCache,
            Executor executor,
            MetricFetcher metricFetcher) {
        super(
                leaderRetriever,
                Gateways.timeout(timeout),
                responseHeaders,
                headers,
                executionGraphCache,
                executor,
                metricFetcher);
    }

    /** The answer to what goes wrong, instead of Flink's, which is a stack trace. */
    protected abstract CompletableFuture<Void> refuse(
            ChannelHandlerContext context, HttpRequest request, Throwable failure);

    @Override
    protected final CompletableFuture<Void> respondToRequest(
            ChannelHandlerContext context,
            HttpRequest httpRequest,
            HandlerRequest<EmptyRequestBody, JobMessageParameters> request,
            RestfulGateway gateway) {
        return super.respondToRequest(context, httpRequest, request, gateway)
                .handle(
                        (sent, failure) ->
                                failure == null
                                        ? CompletableFuture.<Void>completedFuture(null)
                                        : refuse(context, httpRequest, failure))
                .thenCompose(Function.identity());
    }

    /** What is answered. */
    protected abstract JobDetailsInfo extend(JobDetailsInfo flinks, AccessExecutionGraph job);

    @Override
    protected final JobDetailsInfo handleRequest(
            HandlerRequest<EmptyRequestBody, JobMessageParameters> request,
            AccessExecutionGraph job)
            throws RestHandlerException {
        return extend(super.handleRequest(request, job), job);
    }

    /** A copy of Flink's answer. */
    protected abstract static class Copy extends JobDetailsInfo {

        protected Copy(JobDetailsInfo flinks) {
            super(
                    flinks.getJobId(),
                    flinks.getName(),
                    flinks.isStoppable(),
                    flinks.getJobStatus(),
                    flinks.getStartTime(),
                    flinks.getEndTime(),
                    flinks.getDuration(),
                    flinks.getNow(),
                    flinks.getTimestamps(),
                    flinks.getJobVertexInfos(),
                    flinks.getJobVerticesPerState(),
                    flinks.getJsonPlan());
        }
    }
}
