// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import io.meces.servers.ProcessGroup;
import io.meces.servers.ServerProcess;
import java.io.File;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What stays of a job that has ended. */
@Timeout(180)
class ClassLoaderTest {

    private static final Duration PATIENCE = Duration.ofSeconds(150);

    /** What is only softly reachable goes with the next collection. */
    private static final List<String> FLAGS =
            Arrays.asList("-XX:TieredStopAtLevel=1", "-Xmx512m", "-XX:SoftRefLRUPolicyMSPerMB=0");

    /** And what this process may open of Java. */
    private static List<String> flags() {
        List<String> flags = new ArrayList<>(FLAGS);
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(flag -> flag.startsWith("--add-"))
                .forEach(flags::add);
        return flags;
    }

    @Test
    void theClassLoaderOfARescaledJobIsFreed(@TempDir Path directory) throws Exception {
        List<Path> classPath =
                Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                        .map(Paths::get)
                        .collect(Collectors.toList());
        try (ProcessGroup group = new ProcessGroup("meces-loader")) {
            ServerProcess process =
                    group.start(
                            () ->
                                    ServerProcess.start(
                                            "loader",
                                            Paths.get("target", "servers"),
                                            flags(),
                                            classPath,
                                            LoaderProcess.class.getName(),
                                            directory.resolve("job.jar").toString()));
            process.awaitSuccess(PATIENCE);
        }
    }
}
