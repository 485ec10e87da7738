// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.apache.flink.runtime.executiongraph.AccessExecutionGraph;
import org.apache.flink.runtime.rest.handler.HandlerRequest;
import org.apache.flink.runtime.rest.handler.RestHandlerException;
import org.apache.flink.runtime.rest.handler.job.JobDetailsHandler;
import org.apache.flink.runtime.rest.handler.legacy.ExecutionGraphCache;
import org.apache.flink.runtime.rest.handler.legacy.metrics.MetricFetcher;
import org.apache.flink.runtime.rest.messages.EmptyRequestBody;
import org.apache.flink.runtime.rest.messages.JobMessageParameters;
import org.apache.flink.runtime.rest.messages.JobPlanInfo;
import org.apache.flink.runtime.rest.messages.MessageHeaders;
import org.apache.flink.runtime.rest.messages.job.JobDetailsInfo;
import org.apache.flink.runtime.scheduler.ExecutionGraphInfo;
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

    /** Sends what is to be said instead of a failure to answer, of which Flink sends the stack. */
    protected abstract CompletableFuture<Void> orRefuse(
            CompletableFuture<Void> answered, ChannelHandlerContext context, HttpRequest request);

    @Override
    protected final CompletableFuture<Void> respondToRequest(
            ChannelHandlerContext context,
            HttpRequest httpRequest,
            HandlerRequest<EmptyRequestBody> request,
            RestfulGateway gateway) {
        return orRefuse(
                super.respondToRequest(context, httpRequest, request, gateway),
                context,
                httpRequest);
    }

    /** What is answered. */
    protected abstract JobDetailsInfo extend(JobDetailsInfo flinks, AccessExecutionGraph job);

    @Override
    protected final JobDetailsInfo handleRequest(
            HandlerRequest<EmptyRequestBody> request, ExecutionGraphInfo job)
            throws RestHandlerException {
        return extend(super.handleRequest(request, job), job.getArchivedExecutionGraph());
    }

    /** A copy of Flink's answer. */
    protected abstract static class Copy extends JobDetailsInfo {

        protected Copy(JobDetailsInfo flinks) {
            super(
                    flinks.getJobId(),
                    flinks.getApplicationId(),
                    flinks.getName(),
                    flinks.isStoppable(),
                    flinks.getJobStatus(),
                    flinks.getJobType(),
                    flinks.getSchedulerType(),
                    flinks.getStartTime(),
                    flinks.getEndTime(),
                    flinks.getDuration(),
                    flinks.getMaxParallelism(),
                    flinks.getNow(),
                    flinks.getTimestamps(),
                    flinks.getJobVertexInfos(),
                    flinks.getJobVerticesPerState(),
                    flinks.getPlan(),
                    flinks.getStreamGraphJson() == null
                            ? null
                            : new JobPlanInfo.RawJson(flinks.getStreamGraphJson()),
                    flinks.getPendingOperators());
        }
    }
}
