// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.rest;

import io.meces.api.RescaleRefusedException;
import io.meces.flink.runtime.Futures;
import io.meces.flink.runtime.Gateways;
import io.meces.flink.runtime.RestHandler;
import io.meces.flink.runtime.RestRequest;
import io.meces.runtime.rpc.ControllerGateway;
import java.io.Serializable;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.apache.flink.runtime.rest.handler.router.RoutedRequest;
import org.apache.flink.runtime.rest.handler.util.HandlerUtils;
import org.apache.flink.runtime.rest.messages.MessageParameters;
import org.apache.flink.runtime.rest.messages.RequestBody;
import org.apache.flink.runtime.rest.messages.ResponseBody;
import org.apache.flink.runtime.rest.messages.UntypedResponseMessageHeaders;
import org.apache.flink.runtime.webmonitor.RestfulGateway;
import org.apache.flink.runtime.webmonitor.retriever.GatewayRetriever;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelHandlerContext;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpRequest;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpResponseStatus;

/**
 * Asks the rescale controller of a job, and answers with what it says, or as {@link Refusals} says.
 *
 * <p>One instance serves all requests, on Netty's threads; it has no state of its own.
 *
 * @param <R> the request body
 * @param <M> the parameters in the URL
 */
class ControllerHandler<R extends RequestBody, M extends MessageParameters>
        extends RestHandler<R, M> {

    /** What a handler does with a request. */
    interface Action<R extends RequestBody> {
        /**
         * The response; the future fails with a {@link RescaleRefusedException}, or is not made.
         */
        CompletableFuture<Response> respond(RestRequest<R> request, ControllerGateway controllers)
                throws RescaleRefusedException;
    }

    /**
     * A body with its status. Flink's own handlers have one status each, which does not do for a
     * request that may be a dry run.
     */
    static final class Response {
        final HttpResponseStatus status;
        final ResponseBody body;

        Response(HttpResponseStatus status, ResponseBody body) {
            this.status = status;
            this.body = body;
        }

        static Response ok(Serializable answer) {
            return new Response(HttpResponseStatus.OK, new AnswerBody(answer));
        }

        static Response accepted(Serializable answer) {
            return new Response(HttpResponseStatus.ACCEPTED, new AnswerBody(answer));
        }
    }

    private final Duration timeout;
    private final Action<R> action;

    ControllerHandler(
            GatewayRetriever<? extends RestfulGateway> leaderRetriever,
            Duration timeout,
            Map<String, String> responseHeaders,
            UntypedResponseMessageHeaders<R, M> headers,
            Action<R> action) {
        super(leaderRetriever, timeout, responseHeaders, headers);
        this.timeout = timeout;
        this.action = action;
    }

    /**
     * Ids are looked at before Flink does, which answers to one that is none with a stack trace.
     */
    @Override
    protected void respondAsLeader(
            ChannelHandlerContext ctx, RoutedRequest routedRequest, RestfulGateway gateway) {
        try {
            Refusals.checkIds(routedRequest.getRouteResult().pathParams());
        } catch (RescaleRefusedException e) {
            Refusals.send(ctx, routedRequest.getRequest(), e, responseHeaders);
            return;
        }
        super.respondAsLeader(ctx, routedRequest, gateway);
    }

    @Override
    protected final CompletableFuture<Void> respond(
            ChannelHandlerContext ctx,
            HttpRequest httpRequest,
            RestRequest<R> request,
            RestfulGateway gateway) {
        ControllerGateway controllers =
                new ControllerGateway(
                        (jobId, uid, message) ->
                                Gateways.ask(gateway, jobId, uid, message, timeout));
        return respond(request, controllers)
                .handle(
                        (response, failure) -> {
                            if (failure == null) {
                                return HandlerUtils.sendResponse(
                                        ctx,
                                        httpRequest,
                                        response.body,
                                        response.status,
                                        responseHeaders);
                            }
                            return Refusals.send(ctx, httpRequest, failure, responseHeaders);
                        })
                .thenCompose(Function.identity());
    }

    private CompletableFuture<Response> respond(
            RestRequest<R> request, ControllerGateway controllers) {
        try {
            return action.respond(request, controllers);
        } catch (RescaleRefusedException e) {
            return Futures.completedExceptionally(e);
        }
    }
}
