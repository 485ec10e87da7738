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

import java.util.concurrent.ScheduledExecutorService;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.blob.TransientBlobService;
import org.apache.flink.runtime.dispatcher.DispatcherGateway;
import org.apache.flink.runtime.leaderelection.LeaderElectionService;
import org.apache.flink.runtime.resourcemanager.ResourceManagerGateway;
import org.apache.flink.runtime.rest.RestEndpointFactory;
import org.apache.flink.runtime.rest.RestServerEndpointConfiguration;
import org.apache.flink.runtime.rest.handler.RestHandlerConfiguration;
import org.apache.flink.runtime.rest.handler.legacy.metrics.MetricFetcher;
import org.apache.flink.runtime.rpc.FatalErrorHandler;
import org.apache.flink.runtime.webmonitor.RestfulGateway;
import org.apache.flink.runtime.webmonitor.WebMonitorEndpoint;
import org.apache.flink.runtime.webmonitor.retriever.LeaderGatewayRetriever;

/** Creates {@link MecesApplicationRestEndpoint}s; has no state. */
public final class MecesApplicationRestEndpointFactory
        implements RestEndpointFactory<RestfulGateway> {

    /**
     * An endpoint that is not started yet. The arguments are Flink's.
     *
     * @throws Exception if the configuration is wrong
     */
    @Override
    public WebMonitorEndpoint<RestfulGateway> createRestEndpoint(
            Configuration configuration,
            LeaderGatewayRetriever<DispatcherGateway> dispatcherGatewayRetriever,
            LeaderGatewayRetriever<ResourceManagerGateway> resourceManagerGatewayRetriever,
            TransientBlobService transientBlobService,
            ScheduledExecutorService executor,
            MetricFetcher metricFetcher,
            LeaderElectionService leaderElectionService,
            FatalErrorHandler fatalErrorHandler)
            throws Exception {
        RestHandlerConfiguration handlerConfiguration =
                RestHandlerConfiguration.fromConfiguration(configuration);
        return new MecesApplicationRestEndpoint(
                RestServerEndpointConfiguration.fromConfiguration(configuration),
                dispatcherGatewayRetriever,
                configuration,
                handlerConfiguration,
                resourceManagerGatewayRetriever,
                transientBlobService,
                executor,
                MecesRestEndpointFactory.current(
                        metricFetcher, configuration, dispatcherGatewayRetriever, executor),
                leaderElectionService,
                RestEndpointFactory.createExecutionGraphCache(handlerConfiguration),
                fatalErrorHandler);
    }
}
