// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.flink.runtime.Futures;
import java.util.Collections;
import java.util.List;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.rest.RestServerEndpoint;
import org.apache.flink.runtime.rest.handler.RestHandlerSpecification;
import org.apache.flink.runtime.rest.handler.router.Router;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelInboundHandler;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpMethod;
import org.apache.flink.util.FlinkException;
import org.junit.jupiter.api.Test;

/** No route of ours takes a request for one of Flink's, nor the reverse. */
class RoutesTest {

    @Test
    void eachRequestReachesItsHandler() throws Exception {
        try (RestServer server =
                new RestServer(
                        (job, operator, request) ->
                                Futures.completedExceptionally(new FlinkException("asked")))) {
            List<Tuple2<RestHandlerSpecification, ChannelInboundHandler>> handlers =
                    server.handlers();
            // in the order of Flink's server, which is that of the router
            handlers.sort(new RestServerEndpoint.RestHandlerUrlComparator());
            Router<ChannelInboundHandler> router = new Router<>();
            for (Tuple2<RestHandlerSpecification, ChannelInboundHandler> handler : handlers) {
                HttpMethod method = handler.f0.getHttpMethod().getNettyHttpMethod();
                String url = handler.f0.getTargetRestEndpointURL();
                router.addRoute(method, "/v1" + url, handler.f1);
                router.addRoute(method, url, handler.f1);
            }

            for (Tuple2<RestHandlerSpecification, ChannelInboundHandler> handler : handlers) {
                HttpMethod method = handler.f0.getHttpMethod().getNettyHttpMethod();
                String url = handler.f0.getTargetRestEndpointURL();
                for (String prefix : new String[] {"", "/v1"}) {
                    String path = prefix + url.replaceAll(":[a-zA-Z]+", "0123").replace(":*", "x");
                    assertThat(router.route(method, path, Collections.emptyMap()).target())
                            .as(method + " " + path)
                            .isSameAs(handler.f1);
                }
            }
        }
    }
}
