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

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.blob.TransientBlobService;
import org.apache.flink.runtime.dispatcher.DispatcherGateway;
import org.apache.flink.runtime.dispatcher.DispatcherRestEndpoint;
import org.apache.flink.runtime.leaderelection.LeaderElectionService;
import org.apache.flink.runtime.resourcemanager.ResourceManagerGateway;
import org.apache.flink.runtime.rest.RestServerEndpointConfiguration;
import org.apache.flink.runtime.rest.handler.RestHandlerConfiguration;
import org.apache.flink.runtime.rest.handler.RestHandlerSpecification;
import org.apache.flink.runtime.rest.handler.legacy.ExecutionGraphCache;
import org.apache.flink.runtime.rest.handler.legacy.metrics.MetricFetcher;
import org.apache.flink.runtime.rpc.FatalErrorHandler;
import org.apache.flink.runtime.webmonitor.retriever.GatewayRetriever;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelInboundHandler;

/**
 * Flink's REST endpoint of a session cluster, with its web UI and the upload of jars, and the
 * handlers of flink-meces in addition.
 */
public final class MecesRestEndpoint extends DispatcherRestEndpoint {

    private final MetricFetcher metrics;
    private final ExecutionGraphCache jobs;

    MecesRestEndpoint(
            RestServerEndpointConfiguration endpointConfiguration,
            GatewayRetriever<DispatcherGateway> leaderRetriever,
            Configuration clusterConfiguration,
            RestHandlerConfiguration restConfiguration,
            GatewayRetriever<ResourceManagerGateway> resourceManagerRetriever,
            TransientBlobService transientBlobService,
            ScheduledExecutorService executor,
            MetricFetcher metricFetcher,
            LeaderElectionService leaderElectionService,
            ExecutionGraphCache executionGraphCache,
            FatalErrorHandler fatalErrorHandler)
            throws IOException {
        super(
                endpointConfiguration,
                leaderRetriever,
                clusterConfiguration,
                restConfiguration,
                resourceManagerRetriever,
                transientBlobService,
                executor,
                metricFetcher,
                leaderElectionService,
                executionGraphCache,
                fatalErrorHandler);
        this.metrics = metricFetcher;
        this.jobs = executionGraphCache;
    }

    @Override
    protected List<Tuple2<RestHandlerSpecification, ChannelInboundHandler>> initializeHandlers(
            CompletableFuture<String> localAddressFuture) {
        List<Tuple2<RestHandlerSpecification, ChannelInboundHandler>> handlers =
                super.initializeHandlers(localAddressFuture);
        MecesHandlers ours =
                new MecesHandlers(
                        leaderRetriever,
                        restConfiguration.getTimeout(),
                        responseHeaders,
                        metrics,
                        clusterConfiguration);
        handlers.addAll(ours.all());
        handlers.add(ours.jobDetails(jobs, executor, metrics));
        handlers.addAll(
                PageHandler.all(
                        leaderRetriever,
                        restConfiguration.getTimeout(),
                        restConfiguration.getWebUiDir()));
        return handlers;
    }

    @Override
    public void startInternal() throws Exception {
        super.startInternal();
        PutRequests.acceptIn(this);
    }
}
