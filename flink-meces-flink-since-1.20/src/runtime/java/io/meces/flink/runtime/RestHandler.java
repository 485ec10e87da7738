// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.runtime.rest.handler.AbstractHandler;
import org.apache.flink.runtime.rest.handler.HandlerRequest;
import org.apache.flink.runtime.rest.messages.MessageParameters;
import org.apache.flink.runtime.rest.messages.RequestBody;
import org.apache.flink.runtime.rest.messages.UntypedResponseMessageHeaders;
import org.apache.flink.runtime.webmonitor.RestfulGateway;
import org.apache.flink.runtime.webmonitor.retriever.GatewayRetriever;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelHandlerContext;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpRequest;

/**
 * Answers requests of REST, on Netty's threads.
 *
 * @param <R> the request body
 * @param <M> the parameters in the URL
 */
public abstract class RestHandler<R extends RequestBody, M extends MessageParameters>
        extends AbstractHandler<RestfulGateway, R, M> {

    protected RestHandler(
            GatewayRetriever<? extends RestfulGateway> leaderRetriever,
            Duration timeout,
            Map<String, String> responseHeaders,
            UntypedResponseMessageHeaders<R, M> headers) {
        super(leaderRetriever, Gateways.timeout(timeout), responseHeaders, headers);
    }

    /** Completes when the answer has been sent. */
    protected abstract CompletableFuture<Void> respond(
            ChannelHandlerContext context,
            HttpRequest httpRequest,
            RestRequest<R> request,
            RestfulGateway gateway);

    @Override
    protected final CompletableFuture<Void> respondToRequest(
            ChannelHandlerContext context,
            HttpRequest httpRequest,
            HandlerRequest<R> request,
            RestfulGateway gateway) {
        return respond(context, httpRequest, new RestRequest<>(request), gateway);
    }
}
