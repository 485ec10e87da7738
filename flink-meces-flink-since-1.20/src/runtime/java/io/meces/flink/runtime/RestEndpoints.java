// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.util.concurrent.ScheduledExecutorService;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.blob.TransientBlobService;
import org.apache.flink.runtime.dispatcher.DispatcherGateway;
import org.apache.flink.runtime.leaderelection.LeaderElection;
import org.apache.flink.runtime.resourcemanager.ResourceManagerGateway;
import org.apache.flink.runtime.rest.RestEndpointFactory;
import org.apache.flink.runtime.rest.handler.RestHandlerConfiguration;
import org.apache.flink.runtime.rest.handler.legacy.ExecutionGraphCache;
import org.apache.flink.runtime.rest.handler.legacy.metrics.MetricFetcher;
import org.apache.flink.runtime.rpc.FatalErrorHandler;
import org.apache.flink.runtime.webmonitor.RestfulGateway;
import org.apache.flink.runtime.webmonitor.WebMonitorEndpoint;
import org.apache.flink.runtime.webmonitor.retriever.GatewayRetriever;
import org.apache.flink.runtime.webmonitor.retriever.LeaderGatewayRetriever;

/** Creates endpoints of REST of what Flink gives. Has no state. */
public abstract class RestEndpoints<T extends RestfulGateway> implements RestEndpointFactory<T> {

    /**
     * An endpoint that is not started yet.
     *
     * @throws Exception if the configuration is wrong or the upload directory cannot be created
     */
    protected abstract WebMonitorEndpoint<T> create(Parts parts) throws Exception;

    /** Those that the endpoint shows. */
    protected abstract MetricFetcher metrics(
            MetricFetcher flinks,
            Configuration configuration,
            LeaderGatewayRetriever<DispatcherGateway> dispatcher,
            ScheduledExecutorService executor);

    @Override
    public final WebMonitorEndpoint<T> createRestEndpoint(
            Configuration configuration,
            LeaderGatewayRetriever<DispatcherGateway> dispatcher,
            LeaderGatewayRetriever<ResourceManagerGateway> resourceManager,
            TransientBlobService blobs,
            ScheduledExecutorService executor,
            MetricFetcher metrics,
            LeaderElection leaderElection,
            FatalErrorHandler fatalErrors)
            throws Exception {
        return create(
                new Parts(
                        configuration,
                        dispatcher,
                        resourceManager,
                        blobs,
                        executor,
                        metrics(metrics, configuration, dispatcher, executor),
                        leaderElection,
                        fatalErrors));
    }

    /** What an endpoint is made of. Immutable. */
    public static final class Parts {

        final Configuration configuration;
        final RestHandlerConfiguration handlers;
        final GatewayRetriever<DispatcherGateway> dispatcher;
        final GatewayRetriever<ResourceManagerGateway> resourceManager;
        final TransientBlobService blobs;
        final ScheduledExecutorService executor;
        final LeaderElection leaderElection;
        final FatalErrorHandler fatalErrors;

        public final MetricFetcher metrics;

        /** The jobs as they were shown last. */
        public final ExecutionGraphCache jobs;

        public Parts(
                Configuration configuration,
                GatewayRetriever<DispatcherGateway> dispatcher,
                GatewayRetriever<ResourceManagerGateway> resourceManager,
                TransientBlobService blobs,
                ScheduledExecutorService executor,
                MetricFetcher metrics,
                LeaderElection leaderElection,
                FatalErrorHandler fatalErrors) {
            this.configuration = configuration;
            this.handlers = RestHandlerConfiguration.fromConfiguration(configuration);
            this.dispatcher = dispatcher;
            this.resourceManager = resourceManager;
            this.blobs = blobs;
            this.executor = executor;
            this.metrics = metrics;
            this.leaderElection = leaderElection;
            this.fatalErrors = fatalErrors;
            this.jobs = RestEndpointFactory.createExecutionGraphCache(handlers);
        }
    }
}
