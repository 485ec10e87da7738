// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.rest;

import io.meces.flink.runtime.RestEndpoints;
import io.meces.flink.runtime.SessionEndpoint;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.rest.handler.RestHandlerSpecification;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelInboundHandler;
import org.apache.flink.util.ConfigurationException;

/**
 * Flink's REST endpoint of a session cluster, with its web UI and the upload of jars, and the
 * handlers of flink-meces in addition.
 */
public final class MecesRestEndpoint extends SessionEndpoint {

    private final RestEndpoints.Parts parts;

    MecesRestEndpoint(RestEndpoints.Parts parts) throws IOException, ConfigurationException {
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
