// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which line of Flink the demo starts. */
class DemoOptionsTest {
    private static final String HOME = "meces.home";

    private final DemoOptions options = new DemoOptions();
    private String before;

    @TempDir private Path home;

    @BeforeEach
    void start() {
        before = System.setProperty(HOME, home.toString());
    }

    @AfterEach
    void putBack() {
        if (before == null) {
            System.clearProperty(HOME);
        } else {
            System.setProperty(HOME, before);
        }
    }

    private String line() {
        options.validate();
        return options.flink;
    }

    @Test
    void itIsTheOneThatMostRun() {
        assertThat(line()).isEqualTo("1.20");
    }

    @Test
    void itIsThatOfADistribution() throws IOException {
        Files.createDirectory(home.resolve("cli"));
        assertThat(line()).isEqualTo("1.12");
    }

    @Test
    void itIsWhatIsAskedFor() {
        options.flink = "1.12";
        assertThat(line()).isEqualTo("1.12");
        options.flink = "1.13";
        assertThatThrownBy(this::line).hasMessage("--flink is one of 1.12, 1.20, 2.3, not 1.13.");
    }
}
