// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.rest;

import io.meces.flink.runtime.ApplicationEndpoint;
import io.meces.flink.runtime.RestEndpoints;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.rest.handler.RestHandlerSpecification;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelInboundHandler;
import org.apache.flink.util.ConfigurationException;

/**
 * Flink's REST endpoint of a cluster for one application, with its web UI, and the handlers of
 * flink-meces in addition.
 */
final class MecesApplicationRestEndpoint extends ApplicationEndpoint {

    private final RestEndpoints.Parts parts;

    MecesApplicationRestEndpoint(RestEndpoints.Parts parts)
            throws IOException, ConfigurationException {
        super(parts);
        this.parts = parts;
    }

    @Override
    protected List<Tuple2<RestHandlerSpecification, ChannelInboundHandler>> initializeHandlers(
            CompletableFuture<String> localAddressFuture) {
        return MecesHandlers.addTo(
                super.initializeHandlers(localAddressFuture),
                leaderRetriever,
                clusterConfiguration,
                responseHeaders,
                parts,
                executor,
                restConfiguration.getWebUiDir());
    }

    @Override
    public void startInternal() throws Exception {
        super.startInternal();
        OwnRequests.acceptIn(this);
    }
}
