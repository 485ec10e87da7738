// SPDX-License-Identifier: Apache-2.0
package io.meces.cli;

import io.meces.cli.rest.JsonText;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.function.BiConsumer;
import picocli.CommandLine.Option;

/** {@code --json}. */
final class JsonOption {

    @Option(names = "--json", description = "Print JSON, as the REST API (docs/rest-api.md).")
    private boolean json;

    boolean isSet() {
        return json;
    }

    /** Prints a value of the API, or a map or list of such, in one line. */
    void print(Object value, PrintWriter out) throws IOException {
        out.println(JsonText.of(value));
        out.flush();
    }

    /** Prints a value so if the option is set, in words otherwise. */
    <T> void print(T value, PrintWriter out, BiConsumer<T, PrintWriter> words) throws IOException {
        if (json) {
            print(value, out);
        } else {
            words.accept(value, out);
            out.flush();
        }
    }
}
