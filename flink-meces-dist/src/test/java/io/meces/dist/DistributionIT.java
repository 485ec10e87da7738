// SPDX-License-Identifier: Apache-2.0
package io.meces.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the distribution has to read: configuration to be appended, and documents. */
class DistributionIT {
    private static final String NAME = "flink-meces-" + System.getProperty("meces.version");
    private static final Pattern LINK = Pattern.compile("]\\(([^)#:]+)(?:#[^)]*)?\\)");

    private static final Path HOME = Paths.get(System.getProperty("meces.home"));
    private static final Path BASE_JAR =
            HOME.resolve("flink-meces-runtime/target/" + NAME + ".jar");

    @TempDir static Path directory;

    @BeforeAll
    static void unpack() throws Exception {
        Path tarball = HOME.resolve("flink-meces-dist/target/" + NAME + ".tar.gz");
        Process tar =
                new ProcessBuilder(
                                "tar",
                                "xzf",
                                tarball.toString(),
                                "--strip-components=1",
                                "--wildcards",
                                "--no-wildcards-match-slash",
                                NAME + "/*.md",
                                NAME + "/docs",
                                NAME + "/conf")
                        .directory(directory.toFile())
                        .inheritIO()
                        .start();
        assertThat(tar.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(tar.exitValue()).isZero();
    }

    @Test
    void theLinksOfTheDocumentsLeadSomewhere() throws IOException {
        List<String> links = new ArrayList<>();
        List<String> dead = new ArrayList<>();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path document :
                    files.filter(file -> file.toString().endsWith(".md"))
                            .collect(Collectors.toList())) {
                for (Matcher link = LINK.matcher(text(document)); link.find(); ) {
                    links.add(link.group(1));
                    if (!Files.exists(document.resolveSibling(link.group(1)))) {
                        dead.add(directory.relativize(document) + ": " + link.group(1));
                    }
                }
            }
        }
        assertThat(links).contains("docs/user-guide.md", "configuration.md");
        assertThat(dead).isEmpty();
    }

    @Test
    void compressionComesWithAJarOfItsOwn() throws Exception {
        Path codecs =
                HOME.resolve("flink-meces-compression/target/lib")
                        .resolve(NAME.replace("meces-", "meces-compression-") + ".jar");
        for (String compression : new String[] {"LZ4", "ZSTD"}) {
            assertThatCode(() -> checkSupported(compression, BASE_JAR, codecs))
                    .doesNotThrowAnyException();
            assertThatThrownBy(() -> checkSupported(compression, BASE_JAR))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining(compression)
                    .hasMessageContaining("cp opt/flink-meces-compression-*.jar $FLINK_HOME/lib/");
        }
        assertThatCode(() -> checkSupported("NONE", BASE_JAR)).doesNotThrowAnyException();
    }

    /** As a TaskManager does, with these jars and Flink's. */
    private static void checkSupported(String compression, Path... jars) throws Throwable {
        List<URL> urls = new ArrayList<>();
        for (Path jar : jars) {
            urls.add(jar.toUri().toURL());
        }
        Path flink = HOME.resolve("flink-meces-experiments/target/lib/flink");
        try (DirectoryStream<Path> files = Files.newDirectoryStream(flink, "*.jar")) {
            for (Path file : files) {
                urls.add(file.toUri().toURL());
            }
        }
        try (URLClassLoader loader = new URLClassLoader(urls.toArray(new URL[0]), null)) {
            Class<?> compressions = loader.loadClass("io.meces.state.Compression");
            Object chosen =
                    compressions.getMethod("valueOf", String.class).invoke(null, compression);
            loader.loadClass("io.meces.state.UnitCompression")
                    .getMethod("checkSupported", compressions)
                    .invoke(null, chosen);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    /** The scripts of Flink choose G1 only for a TaskManager for which no flags are configured. */
    @Test
    void theFlagsForJava17KeepTheCollector() throws IOException {
        assertThat(text(directory.resolve("conf/java17.yaml")))
                .containsPattern("(?m)^env\\.java\\.opts: -XX:\\+UseG1GC --add-");
        assertThat(text(directory.resolve("docs/operator-guide.md")))
                .contains("env.java.opts.taskmanager: -XX:+UseG1GC -Xmn128m");
    }

    private static String text(Path file) throws IOException {
        return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
    }
}
