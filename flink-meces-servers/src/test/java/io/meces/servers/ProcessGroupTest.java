// SPDX-License-Identifier: Apache-2.0
package io.meces.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whether started processes can be awaited and do not outlive their group. */
class ProcessGroupTest {
    private static final List<Path> CLASS_PATH =
            Collections.singletonList(Paths.get("target", "test-classes"));

    @TempDir private Path logs;

    @Test
    void closingStopsProcessesAndDeletesTheirData() throws Exception {
        ProcessGroup group = new ProcessGroup("process-group-test");
        ServerProcess process = group.start(() -> start("idle"));
        assertThat(process.isAlive()).isTrue();

        group.close();

        assertThat(process.isAlive()).isFalse();
        assertThat(group.directory()).doesNotExist();
        assertThat(group.ended()).isEmpty();
        assertThatThrownBy(() -> group.start(() -> start("idle"))).isInstanceOf(IOException.class);
    }

    @Test
    void aProcessThatEndsIsNoticedAndExplainsItself() throws Exception {
        try (ProcessGroup group = new ProcessGroup("process-group-test")) {
            ServerProcess process = group.start(() -> start("fail"));

            assertThatThrownBy(() -> process.awaitReady(() -> false, Duration.ofSeconds(30)))
                    .isInstanceOf(ProcessEndedException.class)
                    .hasMessageContaining("exit code 3")
                    .hasMessageContaining("That was that.");
            assertThat(group.ended()).containsExactly("child");
        }
    }

    @Test
    void aProcessThatStandsStillEndsByRequest() throws Exception {
        try (ProcessGroup group = new ProcessGroup("process-group-test")) {
            ServerProcess process = group.start(() -> start("idle"));
            process.pause();

            process.requestStop();

            assertThatThrownBy(() -> process.awaitSuccess(Duration.ofSeconds(30)))
                    .isInstanceOf(ProcessEndedException.class)
                    .hasMessageContaining("exit code 143");
        }
    }

    @Test
    void theWaitForAProcessIsBounded() throws Exception {
        try (ProcessGroup group = new ProcessGroup("process-group-test")) {
            ServerProcess process = group.start(() -> start("idle"));

            assertThatThrownBy(
                            () ->
                                    process.awaitReady(
                                            () -> {
                                                throw new IOException("Not yet.");
                                            },
                                            Duration.ofMillis(300)))
                    .isInstanceOf(TimeoutException.class)
                    .hasRootCauseMessage("Not yet.");
            assertThat(process.isAlive()).isTrue();
        }
    }

    @Test
    void freePortsAreDifferentAndNotOfThoseThatOutgoingConnectionsTake() throws IOException {
        int[] ports = FreePorts.find(20);
        assertThat(ports).doesNotHaveDuplicates();
        assertThat(Arrays.stream(ports).max().getAsInt()).isLessThan(32_768);
    }

    private ServerProcess start(String what) throws IOException {
        return ServerProcess.start(
                "child",
                logs,
                Collections.singletonList("-Xmx32m"),
                CLASS_PATH,
                Child.class.getName(),
                what);
    }

    /** What the tests start. */
    static final class Child {

        private Child() {}

        public static void main(String[] args) throws InterruptedException {
            if (args[0].equals("fail")) {
                // checkstyle off: NoPrinting
                System.out.println("That was that.");
                // checkstyle on: NoPrinting
                System.exit(3);
            }
            Thread.currentThread().join(120_000);
        }
    }
}
