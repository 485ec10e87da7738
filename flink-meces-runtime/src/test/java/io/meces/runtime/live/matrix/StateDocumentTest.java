// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live.matrix;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What {@code docs/state.md} says has been tested is tested. */
class StateDocumentTest {

    private static final Path ROOT = Paths.get("..");
    private static final List<String> MODES =
            Arrays.asList("live", "savepointToFlink", "savepointFromFlink", "savepointToOurs");
    private static final Pattern TEST = Pattern.compile("`(\\w+(?:Test|IT))\\.(\\w+)`");

    private List<String> lines;

    @BeforeEach
    void read() throws IOException {
        lines =
                Files.readAllLines(
                        ROOT.resolve("docs").resolve("state.md"), StandardCharsets.UTF_8);
    }

    private List<List<String>> tableRows() {
        return lines.stream()
                .filter(line -> line.startsWith("| "))
                .map(line -> Arrays.asList(line.substring(2, line.length() - 2).split(" \\| ")))
                .collect(Collectors.toList());
    }

    @Test
    void theTablesHaveEveryScenarioOnceInTheOrderOfTheCatalogue() {
        List<String> rows = new ArrayList<>();
        for (List<String> row : tableRows()) {
            if (row.contains("`live`")) {
                assertThat(row.subList(1, row.size()))
                        .isEqualTo(
                                MODES.stream()
                                        .map(mode -> "`" + mode + "`")
                                        .collect(Collectors.toList()));
            } else {
                rows.add(row.get(0));
                assertThat(row.subList(1, row.size())).hasSize(MODES.size()).containsOnly("✓");
            }
        }
        assertThat(rows)
                .isEqualTo(
                        Catalogue.all().stream()
                                .map(scenario -> scenario.name)
                                .collect(Collectors.toList()));
    }

    @Test
    void everyColumnIsATestOfAllScenarios() throws Exception {
        for (String mode : MODES) {
            assertThat(
                            StateMatrixTest.class
                                    .getDeclaredMethod(mode, Scenario.class)
                                    .getAnnotation(
                                            org.junit.jupiter.params.provider.MethodSource.class)
                                    .value())
                    .containsExactly("scenarios");
        }
    }

    @Test
    void theTestsThatItNamesExist() throws IOException {
        List<String> missing = new ArrayList<>();
        int named = 0;
        for (String line : lines) {
            for (Matcher m = TEST.matcher(line); m.find(); ) {
                named++;
                if (!sourceOf(m.group(1)).contains("void " + m.group(2) + "(")) {
                    missing.add(m.group());
                }
            }
        }
        assertThat(missing).isEmpty();
        assertThat(named).isPositive();
    }

    private static String sourceOf(String testClass) throws IOException {
        try (Stream<Path> all = Files.walk(ROOT)) {
            for (Path path : (Iterable<Path>) all::iterator) {
                if (path.endsWith(testClass + ".java")) {
                    return new String(Files.readAllBytes(path), StandardCharsets.UTF_8);
                }
            }
        }
        return "";
    }
}
