// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.commands;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Collections;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When {@code bin/meces} builds, with a Maven and a Java that are played. */
class LauncherTest {

    @TempDir private Path home;

    private Path builds;
    private Path built;

    @BeforeEach
    void makeARepository() throws IOException {
        Path script = Paths.get(System.getProperty("meces.home")).resolve("bin/meces");
        Files.createDirectories(home.resolve("bin"));
        Files.copy(script, home.resolve("bin/meces"));
        Files.createDirectories(home.resolve("flink-meces-experiments"));
        Files.createFile(home.resolve("pom.xml"));
        builds = home.resolve("builds");
        built = home.resolve("flink-meces-experiments/target/built");
        // goes on when there is a file "go"; gives up after 30 s
        script(
                "tools/mvn",
                "echo build >> " + builds,
                "for i in $(seq 300); do [ -f "
                        + home.resolve("go")
                        + " ] && break; sleep 0.1; done",
                "touch " + built);
        script("jdk/bin/java", "echo java");
    }

    @Test
    void ofTwoFirstCallsOneBuildsAndTheOtherWaits() throws Exception {
        Process first = start("first", "");
        Process second = start("second", "");
        awaitText("first", "second", "waiting for it");
        Files.createFile(home.resolve("go"));

        assertThat(exit(first)).isZero();
        assertThat(exit(second)).isZero();
        assertThat(Files.readAllLines(builds)).containsExactly("build");
        assertThat(text("first")).endsWith("java\n");
        assertThat(text("second")).endsWith("java\n");
        assertThat(home.resolve("flink-meces-experiments/target/building")).doesNotExist();
    }

    @Test
    void aBuildThatFailsLeavesNoLock() throws Exception {
        script("tools/mvn", "exit 7");

        assertThat(exit(start("call", ""))).isEqualTo(7);
        assertThat(home.resolve("flink-meces-experiments/target")).isDirectory();
        assertThat(home.resolve("flink-meces-experiments/target/building")).doesNotExist();
    }

    @Test
    void nothingIsBuiltOnRequest() throws Exception {
        assertThat(exit(start("unbuilt", "1"))).isEqualTo(1);
        assertThat(text("unbuilt"))
                .isEqualTo("flink-meces is not built, and MECES_NO_BUILD is set.\n");

        Files.createDirectories(built.getParent());
        Files.createFile(built);
        long later = System.currentTimeMillis() + TimeUnit.HOURS.toMillis(1);
        assertThat(home.resolve("pom.xml").toFile().setLastModified(later)).isTrue();
        assertThat(exit(start("stale", "1"))).isZero();
        assertThat(text("stale")).isEqualTo("java\n");
        assertThat(builds).doesNotExist();
    }

    private void script(String name, String... lines) throws IOException {
        Path file = home.resolve(name);
        Files.createDirectories(file.getParent());
        Files.write(
                file,
                Collections.singletonList("#!/usr/bin/env bash\n" + String.join("\n", lines)),
                StandardCharsets.UTF_8);
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    private Process start(String name, String noBuild) throws IOException {
        ProcessBuilder builder =
                new ProcessBuilder("bash", home.resolve("bin/meces").toString(), "list")
                        .redirectErrorStream(true)
                        .redirectOutput(home.resolve(name + ".out").toFile());
        builder.environment().put("JAVA_HOME", home.resolve("jdk").toString());
        builder.environment().put("MECES_NO_BUILD", noBuild);
        builder.environment()
                .merge(
                        "PATH",
                        home.resolve("tools").toString(),
                        (path, tools) -> tools + ":" + path);
        return builder.start();
    }

    private static int exit(Process process) throws InterruptedException {
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return process.exitValue();
    }

    private String text(String name) throws IOException {
        return new String(Files.readAllBytes(home.resolve(name + ".out")), StandardCharsets.UTF_8);
    }

    /** Waits until one of two calls has printed something. */
    private void awaitText(String one, String other, String text) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!text(one).contains(text) && !text(other).contains(text)) {
            assertThat(System.nanoTime() - deadline).isNegative();
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }
}
