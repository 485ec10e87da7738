// SPDX-License-Identifier: Apache-2.0
package io.meces.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The distributions name the licence of all in them that others have made, and bring its text. */
class LicencesIT {
    private static final Path TARGET =
            Paths.get(System.getProperty("meces.home")).resolve("flink-meces-dist/target");
    private static final Pattern NATIVE =
            Pattern.compile(".*\\.(so|dll|dylib|jnilib|a|exe)(\\.\\d+)*");
    private static final Pattern SHADED = Pattern.compile("(.*/)?shaded?/.*");
    private static final Pattern ARTIFACT =
            Pattern.compile("META-INF/maven/[^/]+/([^/]+)/pom\\.properties");
    private static final Pattern LICENCE_WITHIN =
            Pattern.compile("(?!META-INF/).+/(LICEN[CS]E|NOTICE|COPYING)[^/]*");
    private static final Pattern OURS =
            Pattern.compile(
                    "(?!.*/vendor/.*\\.js|.*/shaded/)(io/meces|META-INF|org/apache/flink)/.*"
                            + "|log4j2\\.properties");

    @TempDir static Path directory;

    /** By where they are: {@code !/} leads into a jar. */
    private static final Set<String> FOREIGN = new TreeSet<>();

    /** Of jars that are installed alone, by jar: all text that has to do with licences. */
    private static final Map<String, String> TEXTS = new HashMap<>();

    private static List<Row> rows;

    @BeforeAll
    static void read() throws Exception {
        List<Path> archives;
        try (Stream<Path> files = Files.list(TARGET)) {
            archives =
                    files.filter(file -> file.toString().endsWith(".tar.gz"))
                            .collect(Collectors.toList());
        }
        assertThat(archives).as("one for each line of Flink").hasSize(3);
        for (Path archive : archives) {
            Path unpacked = directory.resolve(archive.getFileName());
            Files.createDirectory(unpacked);
            Process tar =
                    new ProcessBuilder("tar", "xzf", archive.toString(), "--strip-components=1")
                            .directory(unpacked.toFile())
                            .inheritIO()
                            .start();
            assertThat(tar.waitFor(120, TimeUnit.SECONDS)).isTrue();
            assertThat(tar.exitValue()).isZero();
            List<Path> files;
            try (Stream<Path> all = Files.walk(unpacked)) {
                files = all.filter(Files::isRegularFile).collect(Collectors.toList());
            }
            for (Path file : files) {
                String name = unpacked.relativize(file).toString();
                if (name.endsWith(".jar")) {
                    readJar(name, Files.newInputStream(file));
                } else if (name.startsWith("servers/")) {
                    FOREIGN.add(name);
                }
            }
            rows = rows(unpacked.resolve("licenses/README.md"));
        }
    }

    private static void readJar(String name, InputStream content) throws IOException {
        String file = name.substring(name.lastIndexOf('/') + 1);
        boolean ours = isOurs(file);
        if (!ours) {
            FOREIGN.add(name);
        }
        StringBuilder texts = new StringBuilder();
        try (ZipInputStream jar = new ZipInputStream(content)) {
            for (ZipEntry entry = jar.getNextEntry(); entry != null; entry = jar.getNextEntry()) {
                String path = entry.getName();
                if (path.endsWith("/")) {
                    continue;
                }
                if (path.endsWith(".jar")) {
                    readJar(name + "!/" + path, new ByteArrayInputStream(bytes(jar)));
                } else if (isForeign(file, path)) {
                    FOREIGN.add(name + "!/" + path);
                } else if (ours && path.matches("META-INF/(NOTICE|licenses/.*)|.*/LICENSES.txt")) {
                    texts.append(new String(bytes(jar), StandardCharsets.UTF_8));
                }
            }
        }
        if (ours && name.matches("(lib|opt)/[^!]*")) {
            TEXTS.put(name, texts.toString());
        }
    }

    private static boolean isOurs(String jar) {
        return jar.startsWith("flink-meces-");
    }

    /** Whether an entry of a jar is not of those who have made the jar. */
    private static boolean isForeign(String jar, String path) {
        Matcher artifact = ARTIFACT.matcher(path);
        if (artifact.matches()) {
            String name = artifact.group(1);
            return !jar.startsWith(name) && !name.startsWith("flink-meces-");
        }
        return NATIVE.matcher(path).matches()
                || SHADED.matcher(path).matches()
                || (isOurs(jar)
                        ? !OURS.matcher(path).matches()
                        : LICENCE_WITHIN.matcher(path).matches());
    }

    private static byte[] bytes(InputStream in) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        byte[] buffer = new byte[8192];
        for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
            out.write(buffer, 0, n);
        }
        return out.toByteArray();
    }

    @Test
    void allThatOthersHaveMadeIsNamed() {
        assertThat(FOREIGN)
                .anyMatch(part -> part.startsWith("servers/redis/"))
                .anyMatch(part -> part.matches("examples/.*!/lib/kafka-clients-.*"))
                .anyMatch(part -> part.endsWith("/preact.js"))
                .anyMatch(part -> part.endsWith("linux/amd64/liblz4-java.so"));
        assertThat(unnamed(rows)).isEmpty();
    }

    /** Whether the check above would notice. */
    @Test
    void aRowThatIsMissingIsNoticed() {
        for (String part : new String[] {"Caffeine", "Jedis", "preact", "LZ4, xxHash"}) {
            List<Row> others =
                    rows.stream().filter(row -> !row.of.equals(part)).collect(Collectors.toList());
            assertThat(others).as(part).hasSize(rows.size() - 1);
            assertThat(unnamed(others)).as(part).isNotEmpty();
        }
    }

    private static Set<String> unnamed(List<Row> rows) {
        return FOREIGN.stream()
                .filter(part -> rows.stream().noneMatch(row -> row.has(part)))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void theTableNamesNothingThatIsNotThere() {
        for (Row row : rows) {
            assertThat(row.patterns).as(row.of).isNotEmpty();
            row.patterns.forEach(
                    (pattern, matcher) ->
                            assertThat(FOREIGN)
                                    .as(pattern)
                                    .anyMatch(part -> matcher.matches(Paths.get(part))));
        }
    }

    @Test
    void textsAreThereIfALicenceAsksForThem() throws IOException {
        Set<String> named = new HashSet<>();
        for (Row row : rows) {
            if (row.licence.equals("Apache-2.0") || row.licence.equals("public domain")) {
                assertThat(row.text).as(row.of).isEmpty();
            } else {
                named.add(row.text);
            }
        }
        Set<String> there;
        try (Stream<Path> archives = Files.list(directory)) {
            for (Path archive : archives.collect(Collectors.toList())) {
                assertThat(archive.resolve("LICENSE")).exists();
                try (Stream<Path> texts = Files.list(archive.resolve("licenses"))) {
                    there =
                            texts.map(text -> text.getFileName().toString())
                                    .filter(text -> !text.equals("README.md"))
                                    .collect(Collectors.toSet());
                }
                assertThat(there).isEqualTo(named);
            }
        }
    }

    @Test
    void jarsThatAreInstalledAloneBringTheTexts() throws IOException {
        List<String> brought = new ArrayList<>();
        for (String jar : TEXTS.keySet()) {
            for (Row row : rows) {
                if (!row.text.isEmpty()
                        && FOREIGN.stream().anyMatch(p -> p.startsWith(jar + "!/") && row.has(p))) {
                    brought.add(row.of);
                    assertThat(TEXTS.get(jar)).as(jar).contains(text(row.text));
                }
            }
        }
        assertThat(brought).contains("preact", "Jedis", "Protocol Buffers");
    }

    private static String text(String name) throws IOException {
        try (Stream<Path> archives = Files.list(directory)) {
            Path archive = archives.findFirst().get();
            return new String(
                    Files.readAllBytes(archive.resolve("licenses").resolve(name)),
                    StandardCharsets.UTF_8);
        }
    }

    private static List<Row> rows(Path table) throws IOException {
        return Files.readAllLines(table).stream()
                .filter(line -> line.startsWith("| `"))
                .map(Row::new)
                .collect(Collectors.toList());
    }

    /** Of the table in {@code licenses/README.md}. */
    private static final class Row {
        private static final Pattern CODE = Pattern.compile("`([^`]+)`");

        private final Map<String, PathMatcher> patterns = new HashMap<>();
        private final String of;
        private final String licence;
        private final String text;

        private Row(String line) {
            String[] cells = line.split("\\|");
            for (Matcher code = CODE.matcher(cells[1]); code.find(); ) {
                String glob = "glob:" + code.group(1);
                patterns.put(code.group(1), FileSystems.getDefault().getPathMatcher(glob));
            }
            of = cells[2].trim();
            licence = cells[3].trim();
            text = cells[4].trim();
        }

        private boolean has(String part) {
            return patterns.values().stream().anyMatch(glob -> glob.matches(Paths.get(part)));
        }
    }
}
