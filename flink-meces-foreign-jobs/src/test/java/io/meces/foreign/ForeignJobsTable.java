// SPDX-License-Identifier: Apache-2.0
package io.meces.foreign;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Reads the tables of {@code docs/foreign-jobs.md}: what is to come out of each job. */
final class ForeignJobsTable {

    private static final Path DOCUMENT =
            Paths.get(System.getProperty("meces.home"), "docs", "foreign-jobs.md");
    private static final int CELLS = 4;
    private static final String HEADING = "## ";

    /** The heading of the section about Flink's own examples. */
    static final String EXAMPLES = "Flink's own examples";

    /** The heading of the section about frameworks, which are in a module of their own. */
    static final String FRAMEWORKS = "Frameworks";

    /** The lines of Flink that run the jobs of a section, by its heading; else all do. */
    private static final Map<String, List<String>> LINES = new HashMap<>();

    static {
        LINES.put("Until Flink 1.20", Arrays.asList("1.12", "1.20"));
        LINES.put("New since Flink 1.12", Arrays.asList("1.20", "2.3"));
        LINES.put("New since Flink 1.20", Collections.singletonList("2.3"));
    }

    private ForeignJobsTable() {}

    /** A row: {@code | job | elastic vertices | compared | refused why |}. */
    static final class Row {
        /** 0 if the job is refused. */
        final int elasticVertices;

        final String compared;

        /** What the refusal looks like; null if the job is rescaled. */
        final Pattern refusal;

        /** What a warning looks like, of a job that is rescaled; null if none is asked for. */
        final Pattern warning;

        Row(int elasticVertices, String compared, Pattern text) {
            this.elasticVertices = elasticVertices;
            this.compared = compared;
            refusal = elasticVertices == 0 ? text : null;
            warning = elasticVertices == 0 ? null : text;
        }
    }

    /** The rows of all jobs of ours that this line runs by name, in the order of the document. */
    static Map<String, Row> read() throws IOException {
        return read(
                section ->
                        !section.equals(EXAMPLES)
                                && !section.equals(FRAMEWORKS)
                                && (!LINES.containsKey(section)
                                        || LINES.get(section)
                                                .contains(System.getProperty("foreign.line"))));
    }

    /** The rows of a section by the name of the job, in the order of the document. */
    static Map<String, Row> read(String section) throws IOException {
        return read(section::equals);
    }

    private static Map<String, Row> read(Predicate<String> isWanted) throws IOException {
        Map<String, Row> rows = new LinkedHashMap<>();
        boolean wanted = true;
        for (String line :
                new String(Files.readAllBytes(DOCUMENT), StandardCharsets.UTF_8).split("\n")) {
            if (line.startsWith(HEADING)) {
                wanted = isWanted.test(line.substring(HEADING.length()));
            }
            String[] cells = line.split("\\|", -1);
            if (!wanted
                    || cells.length != CELLS + 2
                    || cells[1].trim().equals("Job")
                    || cells[1].startsWith("---")) {
                continue;
            }
            String elastic = cells[2].trim();
            String text = cells[4].trim();
            Row row =
                    new Row(
                            elastic.isEmpty() ? 0 : Integer.parseInt(elastic),
                            cells[3].trim(),
                            text.isEmpty() ? null : pattern(text));
            if (rows.put(cells[1].trim(), row) != null) {
                throw new IllegalStateException("Twice in " + DOCUMENT + ": " + cells[1].trim());
            }
        }
        return rows;
    }

    /** The text in quotes, in which … stands for anything. */
    private static Pattern pattern(String quoted) {
        String text = quoted.substring(1, quoted.length() - 1);
        return Pattern.compile(
                Arrays.stream(text.split("…", -1))
                        .map(Pattern::quote)
                        .collect(Collectors.joining(".*")),
                Pattern.DOTALL);
    }
}
