// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.rest;

import io.meces.flink.runtime.FirstVersion;
import io.meces.flink.runtime.Gateways;
import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.rest.HttpMethodWrapper;
import org.apache.flink.runtime.rest.handler.RestHandlerSpecification;
import org.apache.flink.runtime.rest.handler.legacy.files.StaticFileServerHandler;
import org.apache.flink.runtime.rest.handler.router.RoutedRequest;
import org.apache.flink.runtime.rest.handler.util.HandlerUtils;
import org.apache.flink.runtime.webmonitor.RestfulGateway;
import org.apache.flink.runtime.webmonitor.retriever.GatewayRetriever;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelHandler;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelHandlerContext;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelInboundHandler;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpHeaderNames;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpResponseStatus;

/**
 * Serves a file of the web page at {@code /meces/}, and the OpenAPI document there, as Flink serves
 * its own: from a directory of the JobManager, into which the file is copied when it is first asked
 * for, and again when somebody has tidied up there. It needs no {@code flink-runtime-web}.
 * Thread-safe.
 *
 * <p>Each file has a route. A route {@code /meces/:*} would take requests of others: Flink's router
 * does not compare the part before {@code :*} when a path has more parts than the route, as {@code
 * /taskmanagers/:taskmanagerid/metrics} has.
 *
 * <p>The files are no resources below {@code web/}, where Flink's own are: of several such
 * directories on the class path Flink looks into one only.
 */
@ChannelHandler.Sharable
final class PageHandler extends StaticFileServerHandler<RestfulGateway> {

    private static final String DIRECTORY = "/meces";
    private static final String INDEX = "index.html";
    private static final String RESOURCES = "/io/meces/runtime/page/";

    /** The REST interface, for programs; {@code docs/openapi.json} when the jar is made. */
    static final String OPEN_API = "openapi.json";

    /** All that can be asked for. */
    static final List<String> FILES =
            Collections.unmodifiableList(
                    Arrays.asList(
                            INDEX,
                            "page.css",
                            "app.js",
                            "advice.js",
                            "api.js",
                            "bounds.js",
                            "chart.js",
                            "common.js",
                            "grid.js",
                            "latency.js",
                            OPEN_API,
                            "rates.js",
                            "rescale.js",
                            "samples.js",
                            "states.js",
                            "vendor/LICENSES.txt",
                            "vendor/htm.js",
                            "vendor/preact.js",
                            "vendor/preact-hooks.js"));

    private final File root;
    private final String name;

    /** Whether the file is of this version; another process may have left another. */
    private boolean copied;

    private PageHandler(
            GatewayRetriever<? extends RestfulGateway> leaders,
            Duration timeout,
            File root,
            String name)
            throws IOException {
        super(leaders, Gateways.timeout(timeout), root);
        this.root = root;
        this.name = name;
    }

    /**
     * New ones at each call.
     *
     * @param root the directory that Flink serves
     */
    static List<Tuple2<RestHandlerSpecification, ChannelInboundHandler>> all(
            GatewayRetriever<? extends RestfulGateway> leaders, Duration timeout, File root) {
        List<Tuple2<RestHandlerSpecification, ChannelInboundHandler>> handlers = new ArrayList<>();
        try {
            // the router makes no difference between it and /meces/
            handlers.add(
                    Tuple2.of(new Url(DIRECTORY), new PageHandler(leaders, timeout, root, INDEX)));
            for (String name : FILES) {
                handlers.add(
                        Tuple2.of(
                                new Url(DIRECTORY + "/" + name),
                                new PageHandler(leaders, timeout, root, name)));
            }
        } catch (IOException e) {
            throw new UncheckedIOException("There is no directory " + root + ".", e);
        }
        return handlers;
    }

    @Override
    protected void respondAsLeader(
            ChannelHandlerContext context, RoutedRequest request, RestfulGateway gateway)
            throws Exception {
        if (request.getPath().endsWith(DIRECTORY)) {
            // the page has relative addresses, so that it can be behind a proxy
            HandlerUtils.sendResponse(
                    context,
                    request.getRequest(),
                    "",
                    HttpResponseStatus.FOUND,
                    Collections.singletonMap(
                            HttpHeaderNames.LOCATION.toString(), DIRECTORY.substring(1) + "/"));
            return;
        }
        provide();
        super.respondAsLeader(context, request, gateway);
    }

    private synchronized void provide() throws IOException {
        Path file = root.toPath().resolve(DIRECTORY.substring(1)).resolve(name);
        if (copied && Files.exists(file)) {
            return;
        }
        Files.createDirectories(file.getParent());
        // nobody sees half of it
        Path part = Files.createTempFile(file.getParent(), "part", "");
        try (InputStream resource = PageHandler.class.getResourceAsStream(RESOURCES + name)) {
            if (resource == null) {
                throw new FileNotFoundException(RESOURCES + name + " is not in the jar.");
            }
            Files.copy(resource, part, StandardCopyOption.REPLACE_EXISTING);
            Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(part);
        }
        copied = true;
    }

    /** Where it is. Immutable. */
    private static final class Url implements FirstVersion {
        private final String url;

        Url(String url) {
            this.url = url;
        }

        @Override
        public HttpMethodWrapper getHttpMethod() {
            return HttpMethodWrapper.GET;
        }

        @Override
        public String getTargetRestEndpointURL() {
            return url;
        }
    }
}
