/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

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
