// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.rest;

import io.meces.api.RescaleRefusedException;
import io.meces.api.RescaleRequest;
import java.io.CharConversionException;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Map;
import org.apache.flink.runtime.rest.handler.router.RoutedRequest;
import org.apache.flink.runtime.rest.messages.MessageParameters;
import org.apache.flink.runtime.rest.messages.RequestBody;
import org.apache.flink.runtime.webmonitor.RestfulGateway;
import org.apache.flink.runtime.webmonitor.retriever.GatewayRetriever;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonParser;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonProcessingException;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.DeserializationFeature;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonMappingException;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectReader;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import org.apache.flink.shaded.netty4.io.netty.buffer.ByteBuf;
import org.apache.flink.shaded.netty4.io.netty.buffer.ByteBufInputStream;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelHandlerContext;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.FullHttpRequest;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpRequest;

/**
 * A handler of requests with a body. It reads the body before Flink does, which answers to a body
 * that it cannot read with a stack trace.
 */
class BodyHandler<R extends RequestBody, M extends MessageParameters>
        extends ControllerHandler<R, M> {

    private final ObjectReader reader;

    BodyHandler(
            GatewayRetriever<? extends RestfulGateway> leaderRetriever,
            Duration timeout,
            Map<String, String> responseHeaders,
            MecesHeaders<R, M> headers,
            Action<R> action) {
        super(leaderRetriever, timeout, responseHeaders, headers, action);
        this.reader =
                MAPPER.readerFor(headers.getRequestClass())
                        .with(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                        .with(JsonParser.Feature.STRICT_DUPLICATE_DETECTION);
    }

    @Override
    protected final void respondAsLeader(
            ChannelHandlerContext ctx, RoutedRequest routedRequest, RestfulGateway gateway) {
        HttpRequest httpRequest = routedRequest.getRequest();
        if (httpRequest instanceof FullHttpRequest) {
            try {
                checkReadable(((FullHttpRequest) httpRequest).content());
            } catch (RescaleRefusedException e) {
                Refusals.send(ctx, httpRequest, e, responseHeaders);
                return;
            }
        }
        super.respondAsLeader(ctx, routedRequest, gateway);
    }

    private void checkReadable(ByteBuf content) throws RescaleRefusedException {
        if (!content.isReadable()) {
            throw RescaleRequest.malformed("it has no body.");
        }
        try (InputStream in = new ByteBufInputStream(content.duplicate())) {
            if (reader.readValue(in) == null) {
                throw RescaleRequest.malformed("its body is null.");
            }
        } catch (UnrecognizedPropertyException e) {
            throw RescaleRequest.malformed(
                    "unknown field \""
                            + e.getPropertyName()
                            + "\" at "
                            + path(e)
                            + position(e)
                            + ". Known are: "
                            + e.getKnownPropertyIds()
                            + ".");
        } catch (JsonMappingException e) {
            throw RescaleRequest.malformed(
                    e.getOriginalMessage() + ", at " + path(e) + position(e));
        } catch (JsonProcessingException e) {
            throw RescaleRequest.malformed(e.getOriginalMessage() + position(e));
        } catch (CharConversionException e) {
            throw RescaleRequest.malformed("its body is no text in UTF-8.");
        } catch (StackOverflowError e) {
            throw RescaleRequest.malformed("its body is nested too deeply.");
        } catch (IOException e) {
            throw new IllegalStateException("Reading from memory failed.", e);
        }
    }

    private static String path(JsonMappingException e) {
        StringBuilder path = new StringBuilder();
        for (JsonMappingException.Reference reference : e.getPath()) {
            if (reference.getFieldName() == null) {
                path.append('[').append(reference.getIndex()).append(']');
            } else {
                path.append(path.length() == 0 ? "" : ".").append(reference.getFieldName());
            }
        }
        return path.length() == 0 ? "the top" : path.toString();
    }

    private static String position(JsonProcessingException e) {
        return e.getLocation() == null
                ? ""
                : " (line "
                        + e.getLocation().getLineNr()
                        + ", column "
                        + e.getLocation().getColumnNr()
                        + ")";
    }
}
