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
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.apache.flink.runtime.rest.handler.RestHandlerException;
import org.apache.flink.runtime.rest.handler.router.RoutedRequest;
import org.apache.flink.runtime.rest.handler.util.HandlerUtils;
import org.apache.flink.runtime.rest.messages.ErrorResponseBody;
import org.apache.flink.runtime.rest.messages.JobIDPathParameter;
import org.apache.flink.runtime.rest.messages.JobVertexIdPathParameter;
import org.apache.flink.runtime.rest.messages.MessageParameters;
import org.apache.flink.runtime.rest.messages.RequestBody;
import org.apache.flink.runtime.rest.messages.ResponseBody;
import org.apache.flink.runtime.rest.messages.UntypedResponseMessageHeaders;
import org.apache.flink.runtime.webmonitor.RestfulGateway;
import org.apache.flink.runtime.webmonitor.retriever.GatewayRetriever;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelHandlerContext;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpRequest;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpResponseStatus;
import org.apache.flink.util.ExceptionUtils;

/**
 * Asks the rescale controller of a job, and answers with what it says. A refusal becomes a response
 * with the status of its kind and only its message: it is for the user, who has no use for our
 * stack trace. Other failures are left to Flink, which answers with status 500.
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

    private static final Pattern ID = Pattern.compile("[0-9a-fA-F]{32}");

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
            checkIds(routedRequest.getRouteResult().pathParams());
        } catch (RescaleRefusedException e) {
            sendRefusal(ctx, routedRequest.getRequest(), e);
            return;
        }
        super.respondAsLeader(ctx, routedRequest, gateway);
    }

    private static void checkIds(Map<String, String> parameters) throws RescaleRefusedException {
        for (String key : Arrays.asList(JobIDPathParameter.KEY, JobVertexIdPathParameter.KEY)) {
            String id = parameters.get(key);
            if (id != null && !ID.matcher(id).matches()) {
                throw new RescaleRefusedException(
                        RescaleRefusedException.Kind.BAD_REQUEST,
                        String.format(
                                "'%s' is not a %s: that has 32 hexadecimal digits, as"
                                        + " bin/meces list shows them.",
                                id, key));
            }
        }
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
                            return ExceptionUtils.findThrowable(
                                            failure, RescaleRefusedException.class)
                                    .map(refusal -> sendRefusal(ctx, httpRequest, refusal))
                                    .orElseGet(() -> sendFailure(ctx, httpRequest, failure));
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

    final CompletableFuture<Void> sendRefusal(
            ChannelHandlerContext ctx, HttpRequest httpRequest, RescaleRefusedException refusal) {
        log.debug("Refused {} {}.", httpRequest.method(), httpRequest.uri(), refusal);
        return HandlerUtils.sendErrorResponse(
                ctx,
                httpRequest,
                new ErrorResponseBody(refusal.getMessage()),
                HttpResponseStatus.valueOf(refusal.getKind().httpStatus()),
                responseHeaders);
    }

    /** What nobody has foreseen. Flink would send its stack trace. */
    private CompletableFuture<Void> sendFailure(
            ChannelHandlerContext ctx, HttpRequest httpRequest, Throwable failure) {
        log.error("Cannot answer {} {}.", httpRequest.method(), httpRequest.uri(), failure);
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return HandlerUtils.sendErrorResponse(
                ctx,
                httpRequest,
                new ErrorResponseBody(
                        "The JobManager cannot answer this; its log has more: " + root),
                ExceptionUtils.findThrowable(failure, RestHandlerException.class)
                        .map(RestHandlerException::getHttpResponseStatus)
                        .orElse(HttpResponseStatus.INTERNAL_SERVER_ERROR),
                responseHeaders);
    }
}
