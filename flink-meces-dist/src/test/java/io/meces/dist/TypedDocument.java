// SPDX-License-Identifier: Apache-2.0
package io.meces.dist;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A document of ours from top to bottom, as somebody follows it: commands to type, and files to
 * write, whose names stand alone before them, as in {@code `pom.xml`:}. Immutable.
 */
final class TypedDocument {

    private static final Pattern NAME = Pattern.compile("`([^`]+)`:");

    /** A command, or a file if it has a name. */
    static final class Step {
        final String file;
        final String text;

        private Step(String file, String text) {
            this.file = file;
            this.text = text;
        }
    }

    private final List<Step> steps = new ArrayList<>();

    TypedDocument(Path document) throws IOException {
        String name = null;
        String language = "";
        StringBuilder block = new StringBuilder();
        for (String line : Files.readAllLines(document, StandardCharsets.UTF_8)) {
            Matcher matcher = NAME.matcher(line);
            if (line.startsWith("```") && !language.isEmpty()) {
                if (name != null) {
                    steps.add(new Step(name, block.toString()));
                }
                name = null;
                language = "";
            } else if (line.startsWith("```")) {
                language = line.substring(3) + " ";
                block.setLength(0);
            } else if (language.equals("bash ") && name == null) {
                steps.add(new Step(null, line));
            } else if (!language.isEmpty()) {
                block.append(line).append('\n');
            } else if (matcher.matches()) {
                name = matcher.group(1);
            } else if (!line.isEmpty()) {
                name = null;
            }
        }
    }

    List<Step> steps() {
        return Collections.unmodifiableList(steps);
    }
}
