// SPDX-License-Identifier: Apache-2.0
package io.meces.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Types the commands of the section Kubernetes of the user guide, with its image and its line of
 * configuration, into a stock Flink of each line with the distribution. Kubernetes is a stand-in
 * ({@link MiniKubernetes}): the pods that Flink asks it for run as containers. As the engine has
 * namespaces of its own, all that talks to the pods is a process there, {@link KubernetesGuide}.
 */
@Tag("full")
@Tag("docker")
@Tag("stock-distribution")
class KubernetesIT {
    private static final Path OUTPUT = Paths.get("target", "kubernetes-it.log").toAbsolutePath();

    static List<String> releases() {
        return FlinkLine.sampledReleases();
    }

    @ParameterizedTest
    @MethodSource("releases")
    @Timeout(value = 27, unit = TimeUnit.MINUTES)
    void typesTheCommandsOfTheGuide(String release) throws Exception {
        ContainerEngine engine = new ContainerEngine(OUTPUT);
        engine.assume("KubernetesIT");
        int exitCode =
                engine.run(
                        Duration.ofMinutes(14),
                        Paths.get(System.getProperty("java.home"), "bin", "java").toString(),
                        property("meces.home"),
                        property("meces.version"),
                        "-Dstock.flink.version=" + release,
                        "-Xmx256m",
                        "-cp",
                        System.getProperty(
                                "surefire.test.class.path", System.getProperty("java.class.path")),
                        KubernetesGuide.class.getName());
        assertThat(exitCode).as("See %s:%n%s", OUTPUT, end(engine.output())).isZero();
    }

    private static String property(String name) {
        return "-D" + name + "=" + System.getProperty(name);
    }

    private static String end(String output) {
        return output.substring(Math.max(0, output.length() - 4_000));
    }
}
