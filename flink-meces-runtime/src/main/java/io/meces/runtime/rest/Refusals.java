// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.rest;

import io.meces.api.RescaleRefusedException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import org.apache.flink.runtime.rest.handler.RestHandlerException;
import org.apache.flink.runtime.rest.handler.util.HandlerUtils;
import org.apache.flink.runtime.rest.messages.ErrorResponseBody;
import org.apache.flink.runtime.rest.messages.JobIDPathParameter;
import org.apache.flink.runtime.rest.messages.JobVertexIdPathParameter;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelHandlerContext;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpRequest;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpResponseStatus;
import org.apache.flink.util.ExceptionUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers to what goes wrong. They have one sentence for the user, who has no use for a stack
 * trace, which Flink would send. Has no state.
 */
final class Refusals {

    private static final Logger LOG = LoggerFactory.getLogger(Refusals.class);
    private static final Pattern ID = Pattern.compile("[0-9a-fA-F]{32}");
    private static final List<String> IDS =
            Arrays.asList(
                    JobIDPathParameter.KEY,
                    JobVertexIdPathParameter.KEY,
                    RescaleIdPathParameter.KEY);

    private Refusals() {}

    /**
     * Looks at the ids of a URL before Flink does.
     *
     * @throws RescaleRefusedException if one is none
     */
    static void checkIds(Map<String, String> parameters) throws RescaleRefusedException {
        for (String key : IDS) {
            String id = parameters.get(key);
            if (id != null && !ID.matcher(id).matches()) {
                throw new RescaleRefusedException(
                        RescaleRefusedException.Kind.BAD_REQUEST,
                        String.format(
                                "'%s' is not a %s: that has 32 hexadecimal digits, as"
                                        + " bin/meces list and status show them.",
                                id, key));
            }
        }
    }

    /** The answer to a failure, by what has caused it. */
    static CompletableFuture<Void> send(
            ChannelHandlerContext context,
            HttpRequest request,
            Throwable failure,
            Map<String, String> headers) {
        Optional<RescaleRefusedException> refusal =
                ExceptionUtils.findThrowable(failure, RescaleRefusedException.class);
        if (refusal.isPresent()) {
            LOG.debug("Refused {} {}.", request.method(), request.uri(), failure);
            return send(
                    context,
                    request,
                    refusal.get().getMessage(),
                    HttpResponseStatus.valueOf(refusal.get().getKind().httpStatus()),
                    headers);
        }
        Optional<RestHandlerException> flinks =
                ExceptionUtils.findThrowable(failure, RestHandlerException.class);
        if (flinks.isPresent() && flinks.get().getHttpResponseStatus().code() < 500) {
            LOG.debug("Refused {} {}.", request.method(), request.uri(), failure);
            return send(
                    context,
                    request,
                    flinks.get().getMessage(),
                    flinks.get().getHttpResponseStatus(),
                    headers);
        }
        LOG.error("Cannot answer {} {}.", request.method(), request.uri(), failure);
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return send(
                context,
                request,
                "The JobManager cannot answer this; its log has more: " + root,
                flinks.map(RestHandlerException::getHttpResponseStatus)
                        .orElse(HttpResponseStatus.INTERNAL_SERVER_ERROR),
                headers);
    }

    private static CompletableFuture<Void> send(
            ChannelHandlerContext context,
            HttpRequest request,
            String reason,
            HttpResponseStatus status,
            Map<String, String> headers) {
        return HandlerUtils.sendErrorResponse(
                context, request, new ErrorResponseBody(reason), status, headers);
    }
}
