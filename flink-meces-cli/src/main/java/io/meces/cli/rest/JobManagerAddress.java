// SPDX-License-Identifier: Apache-2.0
package io.meces.cli.rest;

import java.util.Locale;
import java.util.Objects;
import java.util.regex.Pattern;
import okhttp3.HttpUrl;

/**
 * Where the REST interface of a JobManager is: at a host and port, or, behind a proxy, at any URL
 * of HTTP or HTTPS, such as {@code https://gateway/flink/}. A value.
 */
public final class JobManagerAddress {
    private static final Pattern WITH_PORT = Pattern.compile("[^/@]+:[0-9]+");

    private final String text;
    private final HttpUrl base;

    private JobManagerAddress(String text, HttpUrl base) {
        this.text = text;
        this.base = base;
    }

    /**
     * Reads an address as users write it.
     *
     * @param text HOST:PORT, or a URL with its scheme
     * @param tls whether a HOST:PORT is reached by TLS; a URL says it itself
     * @throws IllegalArgumentException with a message for the user, in which no password stands
     */
    public static JobManagerAddress parse(String text, boolean tls) {
        boolean isUrl = text.contains("://");
        HttpUrl url =
                isUrl
                        ? HttpUrl.parse(text)
                        : WITH_PORT.matcher(text).matches()
                                ? HttpUrl.parse((tls ? "https://" : "http://") + text)
                                : null;
        if (url != null && !(url.username().isEmpty() && url.password().isEmpty())) {
            throw new IllegalArgumentException(
                    "there is a user or a password in the address, where others can see it. Give"
                            + " them by environment or file.");
        }
        if (url == null || url.query() != null || url.fragment() != null) {
            // of what cannot be read, nobody knows which part is secret
            throw new IllegalArgumentException(
                    "it takes HOST:PORT, or a URL such as https://HOST/flink/"
                            + (text.contains("@") ? "." : ", not " + text + "."));
        }
        String last = url.pathSegments().get(url.pathSize() - 1);
        HttpUrl base = last.isEmpty() ? url : url.newBuilder().addPathSegment("").build();
        return new JobManagerAddress(isUrl ? base.toString() : text, base);
    }

    /** The URL below which everything is; ends with a slash. */
    HttpUrl base() {
        return base;
    }

    /** Whether it is reached by TLS. */
    public boolean isTls() {
        return base.isHttps();
    }

    /** Whether it is on this machine, by its name. */
    public boolean isLoopback() {
        String host = base.host().toLowerCase(Locale.ROOT);
        return host.equals("localhost") || host.startsWith("127.") || host.equals("::1");
    }

    @Override
    public boolean equals(Object o) {
        return o instanceof JobManagerAddress
                && text.equals(((JobManagerAddress) o).text)
                && base.equals(((JobManagerAddress) o).base);
    }

    @Override
    public int hashCode() {
        return Objects.hash(text, base);
    }

    /** As it was given; a URL with a slash at its end. */
    @Override
    public String toString() {
        return text;
    }
}
