// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.kubernetes.entrypoint;

import java.io.File;
import java.net.URI;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.kubernetes.utils.KubernetesUtils;

/** Bridge: what a pod is told. Has no state. */
public final class KubernetesConfiguration {

    private KubernetesConfiguration() {}

    /**
     * The configuration that the environment of the pod leads to.
     *
     * @param arguments takes precedence
     * @throws RuntimeException if the environment does not say what it has to
     */
    public static Configuration load(Configuration arguments) {
        return KubernetesEntrypointUtils.loadConfiguration(arguments);
    }

    /** The jars of the application, which are in the image. */
    public static List<File> jars(Configuration configuration) {
        return KubernetesUtils.checkJarFileForApplicationMode(configuration).stream()
                .map(KubernetesConfiguration::inImage)
                .collect(Collectors.toList());
    }

    private static File inImage(URI jar) {
        if (!"local".equals(jar.getScheme())) {
            throw new UnsupportedOperationException(
                    "The jar of the application is "
                            + jar
                            + ". With flink-meces it has to be in the image (local://); it is not"
                            + " fetched from elsewhere.");
        }
        return new File(jar.getPath());
    }
}
