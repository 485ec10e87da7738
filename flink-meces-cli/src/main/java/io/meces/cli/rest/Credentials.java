// SPDX-License-Identifier: Apache-2.0
package io.meces.cli.rest;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Who asks, for the basic authentication (RFC 7617) of a proxy in front of a JobManager. A value.
 */
public final class Credentials {
    private final String user;
    private final String password;

    private Credentials(String user, String password) {
        this.user = user;
        this.password = password;
    }

    /**
     * A user and a password.
     *
     * @throws IllegalArgumentException if there is a colon in the user, which the RFC does not
     *     allow
     */
    public static Credentials of(String user, String password) {
        if (user.isEmpty() || user.indexOf(':') >= 0) {
            throw new IllegalArgumentException("A user is not empty and has no colon in it.");
        }
        return new Credentials(user, password);
    }

    /**
     * Those in a file that has the line {@code USER:PASSWORD} and nothing else.
     *
     * @throws IOException if it cannot be read, or is none; what is in it is not told
     */
    public static Credentials read(Path file) throws IOException {
        List<String> lines = Files.readAllLines(file, StandardCharsets.UTF_8);
        while (!lines.isEmpty() && lines.get(lines.size() - 1).isEmpty()) {
            lines.remove(lines.size() - 1);
        }
        int colon = lines.size() == 1 ? lines.get(0).indexOf(':') : -1;
        if (colon < 1) {
            throw new IOException(file + " has to be a file with one line, USER:PASSWORD.");
        }
        return of(lines.get(0).substring(0, colon), lines.get(0).substring(colon + 1));
    }

    String user() {
        return user;
    }

    /** The value of the header {@code Authorization}. */
    String header() {
        return okhttp3.Credentials.basic(user, password, StandardCharsets.UTF_8);
    }

    @Override
    public String toString() {
        return user + ":(password)";
    }
}
