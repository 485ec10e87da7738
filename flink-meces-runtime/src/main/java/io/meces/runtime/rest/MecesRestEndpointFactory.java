// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.rest;

import io.meces.flink.runtime.FlinkDurations;
import io.meces.flink.runtime.RestEndpoints;
import java.util.concurrent.ScheduledExecutorService;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.dispatcher.DispatcherGateway;
import org.apache.flink.runtime.rest.handler.legacy.metrics.MetricFetcher;
import org.apache.flink.runtime.webmonitor.WebMonitorEndpoint;
import org.apache.flink.runtime.webmonitor.retriever.LeaderGatewayRetriever;

/** Creates {@link MecesRestEndpoint}s; has no state. */
public final class MecesRestEndpointFactory extends RestEndpoints<DispatcherGateway> {

    @Override
    protected WebMonitorEndpoint<DispatcherGateway> create(Parts parts) throws Exception {
        return new MecesRestEndpoint(parts);
    }

    @Override
    protected MetricFetcher metrics(
            MetricFetcher flinks,
            Configuration configuration,
            LeaderGatewayRetriever<DispatcherGateway> dispatcher,
            ScheduledExecutorService executor) {
        return current(flinks, configuration, dispatcher, executor);
    }

    /** A fetcher that forgets metrics of subtasks that are gone. */
    static MetricFetcher current(
            MetricFetcher flinks,
            Configuration configuration,
            LeaderGatewayRetriever<DispatcherGateway> dispatcher,
            ScheduledExecutorService executor) {
        long interval = FlinkDurations.metricFetch(configuration);
        return interval <= 0
                ? flinks
                : new CurrentMetrics(
                        flinks,
                        dispatcher,
                        executor,
                        FlinkDurations.rest(configuration),
                        interval,
                        System::currentTimeMillis);
    }
}
