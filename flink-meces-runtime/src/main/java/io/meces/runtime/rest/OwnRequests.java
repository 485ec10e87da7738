// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.rest;

import java.lang.reflect.Field;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.runtime.rest.RestServerEndpoint;
import org.apache.flink.runtime.rest.handler.router.RouterHandler;
import org.apache.flink.shaded.netty4.io.netty.channel.Channel;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelHandlerContext;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelInboundHandlerAdapter;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelPipeline;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpMethod;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpRequest;
import org.apache.flink.shaded.netty4.io.netty.util.concurrent.Future;
import org.apache.flink.util.FlinkException;

/**
 * Has the router of the REST server understand requests that are ours. The one PUT that autoscalers
 * send (FLIP-291) becomes a PATCH, as Flink 1.12 can route GET, POST, DELETE and PATCH only. What
 * is escaped in a path is escaped once more, as Flink's router decodes it twice: of an id with an
 * escaped question mark it would make another route, and of one with a percent sign an error of the
 * server. All other requests go by untouched.
 */
final class OwnRequests extends ChannelInboundHandlerAdapter {

    private static final Pattern PUT =
            Pattern.compile("(/v1)?/jobs/[^/]+/resource-requirements(\\?.*)?");
    private static final Pattern OURS =
            Pattern.compile(
                    "(/v1)?/jobs/[^/?]+/(elasticity|details|rescales(/[^?]*)?"
                            + "|resource-requirements|jobmanager/config"
                            + "|vertices/[^/?]+/key-groups)/?");
    private static final Pattern ESCAPE = Pattern.compile("%([0-9a-fA-F]{2})?");

    private static final int TIMEOUT_SECONDS = 30;

    OwnRequests() {}

    /**
     * To be called when the server listens.
     *
     * @throws FlinkException if this Flink keeps its channel elsewhere, or the thread of the server
     *     does not come to it
     */
    static void acceptIn(RestServerEndpoint server) throws FlinkException, InterruptedException {
        Channel channel = channel(server);
        // In its thread: from another one it would begin to see connections only some time later.
        Future<?> added =
                channel.eventLoop().submit(() -> channel.pipeline().addFirst(new Connections()));
        if (!added.await(TIMEOUT_SECONDS, TimeUnit.SECONDS) || !added.isSuccess()) {
            throw new FlinkException("Cannot see the requests of the REST server", added.cause());
        }
    }

    /** The one that listens; Flink adds all handlers to those that it accepts. */
    private static Channel channel(RestServerEndpoint server) throws FlinkException {
        try {
            Field channel = RestServerEndpoint.class.getDeclaredField("serverChannel");
            channel.setAccessible(true);
            return (Channel) channel.get(server);
        } catch (ReflectiveOperationException e) {
            throw new FlinkException("Cannot reach the channel of the REST server", e);
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (message instanceof HttpRequest) {
            HttpRequest request = (HttpRequest) message;
            if (request.method().equals(HttpMethod.PUT) && PUT.matcher(request.uri()).matches()) {
                request.setMethod(HttpMethod.PATCH);
            }
            request.setUri(escapedTwice(request.uri()));
        }
        context.fireChannelRead(message);
    }

    private static String escapedTwice(String uri) {
        int query = uri.indexOf('?');
        String path = query < 0 ? uri : uri.substring(0, query);
        if (path.indexOf('%') < 0 || !OURS.matcher(path).matches()) {
            return uri;
        }
        StringBuffer escaped = new StringBuffer();
        Matcher matcher = ESCAPE.matcher(path);
        while (matcher.find()) {
            // a percent sign that escapes nothing stands for itself
            matcher.appendReplacement(
                    escaped, matcher.group(1) == null ? "%2525" : "%25" + matcher.group(1));
        }
        return matcher.appendTail(escaped) + uri.substring(path.length());
    }

    /** Sees each connection before Flink does. */
    static final class Connections extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ((Channel) message).pipeline().addLast(new Installer());
            context.fireChannelRead(message);
        }
    }

    /** Once the connection is registered, Flink has added its handlers. */
    static final class Installer extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRegistered(ChannelHandlerContext context) {
            ChannelPipeline pipeline = context.pipeline();
            pipeline.addBefore(
                    pipeline.context(RouterHandler.class).name(), null, new OwnRequests());
            context.fireChannelRegistered();
            pipeline.remove(this);
        }
    }
}
