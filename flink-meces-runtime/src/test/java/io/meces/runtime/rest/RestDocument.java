// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.rest;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What {@code docs/rest-api.md} says in words, for a document that programs read. Immutable. */
final class RestDocument {

    private static final Path FILE =
            Paths.get(System.getProperty("meces.home"), "docs/rest-api.md");
    private static final Pattern LINK = Pattern.compile("\\[([^\\]]*)]\\([^)]*\\)");
    private static final Pattern CODE = Pattern.compile("`([^`]+)`");
    private static final Pattern REQUEST =
            Pattern.compile("Request:\n\n```json\n(.*?)```", Pattern.DOTALL);

    private final String text;

    RestDocument() throws IOException {
        text = new String(Files.readAllBytes(FILE), StandardCharsets.UTF_8);
    }

    /** What stands below a heading, up to the next one; empty if there is none. */
    private String section(String heading) {
        int start = text.indexOf("\n## " + heading + "\n");
        if (start < 0) {
            return "";
        }
        int from = start + heading.length() + 5;
        int end = text.indexOf("\n## ", from);
        return text.substring(from, end < 0 ? text.length() : end);
    }

    /** The first paragraph below a heading. */
    String about(String heading) {
        return plain(section(heading).trim().split("\n\n")[0]);
    }

    /** An example of a request; null if there is none. */
    String request(String heading) {
        Matcher matcher = REQUEST.matcher(section(heading));
        return matcher.find() ? matcher.group(1) : null;
    }

    /**
     * What the tables below a heading say of members, such as {@code vertices[].id}.
     *
     * @param title what the head of the table begins with
     */
    Map<String, String> members(String heading, String title) {
        Map<String, String> members = new LinkedHashMap<>();
        boolean inside = false;
        for (String line : section(heading).split("\n")) {
            if (!line.startsWith("|")) {
                inside = false;
                continue;
            }
            String[] cells = line.split("\\|");
            if (cells[1].trim().equals(title)) {
                inside = true;
            } else if (inside && cells.length > 2) {
                String prefix = "";
                Matcher names = CODE.matcher(cells[1]);
                while (names.find()) {
                    String name = names.group(1);
                    name = name.startsWith(".") ? prefix + name.substring(1) : name;
                    prefix = name.substring(0, name.lastIndexOf('.') + 1);
                    members.put(name, plain(cells[cells.length - 1].trim()));
                }
            }
        }
        return members;
    }

    /** What a status of an error means. */
    String status(int status) {
        Matcher row = Pattern.compile("\\| " + status + " \\| (.*) \\|\n").matcher(text);
        if (!row.find()) {
            throw new IllegalStateException("Nothing is said of " + status);
        }
        return plain(row.group(1));
    }

    private static String plain(String markdown) {
        return LINK.matcher(markdown.replace('\n', ' ')).replaceAll("$1");
    }
}
