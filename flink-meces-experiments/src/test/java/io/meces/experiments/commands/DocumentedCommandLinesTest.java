// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.commands;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.meces.cli.MecesCommand;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The commands of the documents that take too long to be run in a test: that each is one, with the
 * options that it has, and that the tests which they name exist. Results of a day are not looked
 * at: their commands are those of their commit.
 */
class DocumentedCommandLinesTest {

    private static final Path HOME = Paths.get(System.getProperty("meces.home"));
    private static final Pattern BLOCK = Pattern.compile("(?ms)^```bash$(.*?)^```$");

    /** Within a line; what is left open is not to be typed. */
    private static final Pattern INLINE =
            Pattern.compile("`(bin/meces [^`\\[…|A-Z]+ --[^`\\[…|A-Z]+)`");

    private static final Pattern TEST = Pattern.compile("-D(?:it\\.)?test='?([\\w,]+)");

    @Test
    void areCommandsWithTheirOptions() throws IOException {
        List<String> lines =
                lines().filter(line -> line.startsWith("bin/meces ")).collect(Collectors.toList());
        assertThat(lines)
                .contains("bin/meces demo key-count", "bin/meces soak --minutes 60 --seed 7")
                .allSatisfy(
                        line ->
                                assertThatCode(
                                                () ->
                                                        MecesCommand.commandLine()
                                                                .parseArgs(arguments(line)))
                                        .as(line)
                                        .doesNotThrowAnyException());
    }

    @Test
    void nameTestsThatThereAre() throws IOException {
        Set<String> tests = new HashSet<>();
        try (DirectoryStream<Path> modules = Files.newDirectoryStream(HOME, "flink-meces-*")) {
            for (Path module : modules) {
                Path sources = module.resolve("src/test/java");
                if (Files.isDirectory(sources)) {
                    try (Stream<Path> files = Files.walk(sources)) {
                        files.map(file -> file.getFileName().toString())
                                .filter(name -> name.endsWith(".java"))
                                .map(name -> name.substring(0, name.indexOf('.')))
                                .forEach(tests::add);
                    }
                }
            }
        }
        List<String> named = new ArrayList<>();
        lines().filter(line -> line.startsWith("mvn "))
                .forEach(
                        line -> {
                            for (Matcher test = TEST.matcher(line); test.find(); ) {
                                for (String name : test.group(1).split(",")) {
                                    named.add(name);
                                }
                            }
                        });
        named.removeIf("None"::equals);
        assertThat(named).contains("ProcessFaultIT", "ForeignJobsTest");
        assertThat(tests).containsAll(named);
    }

    /** What is to be typed, without comments and placeholders. */
    private static Stream<String> lines() throws IOException {
        List<Path> documents = new ArrayList<>();
        documents.add(HOME.resolve("README.md"));
        for (String directory : new String[] {"docs", "docs/design"}) {
            try (Stream<Path> files = Files.list(HOME.resolve(directory))) {
                files.filter(file -> file.toString().endsWith(".md")).forEach(documents::add);
            }
        }
        return documents.stream().flatMap(document -> lines(document).stream());
    }

    private static List<String> lines(Path document) {
        String text;
        try {
            text = new String(Files.readAllBytes(document), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        List<String> lines = new ArrayList<>();
        for (Matcher block = BLOCK.matcher(text); block.find(); ) {
            for (String line : block.group(1).replaceAll("\\\\\n\\s*", "").split("\n")) {
                lines.add(line.replaceFirst("\\s+#.*", "").trim());
            }
        }
        for (Matcher inline = INLINE.matcher(text); inline.find(); ) {
            lines.add(inline.group(1).trim());
        }
        return lines;
    }

    private static String[] arguments(String line) {
        return line.substring("bin/meces ".length()).replace("'", "").replace("\"", "").split(" +");
    }
}
