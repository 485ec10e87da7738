// SPDX-License-Identifier: Apache-2.0
package io.meces.dist;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The commands and the lines of configuration that stand in a document of ours, by section. */
final class DocumentedCommands {
    private final Map<String, Map<String, List<String>>> blocks = new LinkedHashMap<>();

    /** The lines of the code blocks that say what they are. */
    DocumentedCommands(Path document) throws IOException {
        String section = "";
        String language = "";
        for (String line : Files.readAllLines(document, StandardCharsets.UTF_8)) {
            if (line.startsWith("```")) {
                language = line.substring(3);
            } else if (!language.isEmpty()) {
                blocks.computeIfAbsent(language, name -> new LinkedHashMap<>())
                        .computeIfAbsent(section, name -> new ArrayList<>())
                        .add(line);
            } else if (line.startsWith("## ")) {
                section = line.substring(3);
            }
        }
    }

    /**
     * The commands of a section, in order: what is marked as bash.
     *
     * @throws IllegalArgumentException if it has none
     */
    List<String> of(String section) {
        return of(section, "bash");
    }

    /**
     * The lines of configuration of a section, in order: what is marked as yaml.
     *
     * @throws IllegalArgumentException if it has none
     */
    List<String> configuration(String section) {
        return of(section, "yaml");
    }

    /**
     * The lines of the Dockerfile of a section.
     *
     * @throws IllegalArgumentException if it has none
     */
    List<String> dockerfile(String section) {
        return of(section, "dockerfile");
    }

    private List<String> of(String section, String language) {
        List<String> found = blocks.getOrDefault(language, Collections.emptyMap()).get(section);
        if (found == null) {
            throw new IllegalArgumentException(
                    "Nothing is marked as " + language + " in the section " + section);
        }
        return found;
    }
}
