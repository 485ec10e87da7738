// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.rest;

import io.meces.flink.runtime.RestEndpoints;
import java.util.concurrent.ScheduledExecutorService;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.dispatcher.DispatcherGateway;
import org.apache.flink.runtime.rest.handler.legacy.metrics.MetricFetcher;
import org.apache.flink.runtime.webmonitor.RestfulGateway;
import org.apache.flink.runtime.webmonitor.WebMonitorEndpoint;
import org.apache.flink.runtime.webmonitor.retriever.LeaderGatewayRetriever;

/** Creates {@link MecesApplicationRestEndpoint}s; has no state. */
public final class MecesApplicationRestEndpointFactory extends RestEndpoints<RestfulGateway> {

    @Override
    protected WebMonitorEndpoint<RestfulGateway> create(Parts parts) throws Exception {
        return new MecesApplicationRestEndpoint(parts);
    }

    @Override
    protected MetricFetcher metrics(
            MetricFetcher flinks,
            Configuration configuration,
            LeaderGatewayRetriever<DispatcherGateway> dispatcher,
            ScheduledExecutorService executor) {
        return MecesRestEndpointFactory.current(flinks, configuration, dispatcher, executor);
    }
}
