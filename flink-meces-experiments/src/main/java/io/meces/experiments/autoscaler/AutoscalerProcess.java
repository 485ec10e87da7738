// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.autoscaler;

import io.meces.experiments.cluster.Installation;
import io.meces.servers.ServerProcess;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * How Flink's autoscaler is run: in a JVM of its own, whose class path has a later Flink than ours.
 */
public final class AutoscalerProcess {
    private static final String MAIN = "io.meces.autoscaler.Main";
    private static final List<String> FLAGS =
            Arrays.asList("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

    private AutoscalerProcess() {}

    /**
     * The command that runs it until it is stopped.
     *
     * @param installation where its jars are
     * @param arguments for its command line
     */
    public static List<String> command(Installation installation, String... arguments) {
        return ServerProcess.javaCommand(
                Collections.emptyList(), FLAGS, installation.autoscalerJars(), MAIN, arguments);
    }
}
