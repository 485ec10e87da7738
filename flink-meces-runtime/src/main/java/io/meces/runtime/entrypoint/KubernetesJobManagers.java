// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.entrypoint;

import io.meces.flink.runtime.ApplicationPrograms;
import java.io.File;
import java.util.List;
import org.apache.flink.client.deployment.application.ApplicationConfiguration;
import org.apache.flink.client.program.PackagedProgramUtils;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.kubernetes.entrypoint.KubernetesConfiguration;
import org.apache.flink.kubernetes.entrypoint.KubernetesResourceManagerFactory;
import org.apache.flink.kubernetes.entrypoint.KubernetesSessionClusterEntrypoint;
import org.apache.flink.runtime.entrypoint.ClusterEntrypoint;
import org.apache.flink.runtime.entrypoint.ClusterEntrypointUtils;
import org.apache.flink.runtime.entrypoint.DynamicParametersConfigurationParserFactory;
import org.apache.flink.runtime.entrypoint.component.DispatcherResourceManagerComponentFactory;
import org.apache.flink.util.Preconditions;

/**
 * The JobManagers that run in a pod and ask Kubernetes for pods with TaskManagers. Arguments are
 * {@code -Dkey=value}; wrong ones end the process. Has no state.
 */
final class KubernetesJobManagers {

    private KubernetesJobManagers() {}

    /** Takes the place of the one of {@code kubernetes-session.sh}. */
    static ClusterEntrypoint session(String[] args) {
        return new MecesKubernetesSessionClusterEntrypoint(configuration(args));
    }

    /**
     * Takes the place of the one of {@code flink run-application -t kubernetes-application}.
     *
     * @throws Exception if the application is not in the image, or cannot be configured
     */
    static ClusterEntrypoint application(String[] args) throws Exception {
        Configuration configuration = configuration(args);
        ApplicationConfiguration application =
                ApplicationConfiguration.fromConfiguration(configuration);
        return new MecesApplicationClusterEntrypoint(
                configuration,
                ApplicationPrograms.find(
                        configuration,
                        application.getProgramArguments(),
                        ClusterEntrypointUtils.tryFindUserLibDirectory().orElse(null),
                        isPython(application) ? null : jar(configuration),
                        application.getApplicationClassName()),
                KubernetesResourceManagerFactory.getInstance());
    }

    private static Configuration configuration(String[] args) {
        return MecesComponents.awaitingContainers(
                KubernetesConfiguration.load(
                        ClusterEntrypointUtils.parseParametersOrExit(
                                args,
                                new DynamicParametersConfigurationParserFactory(),
                                MecesKubernetesSessionClusterEntrypoint.class)));
    }

    private static boolean isPython(ApplicationConfiguration application) {
        return PackagedProgramUtils.isPython(application.getApplicationClassName())
                || PackagedProgramUtils.isPython(application.getProgramArguments());
    }

    private static File jar(Configuration configuration) {
        List<File> jars = KubernetesConfiguration.jars(configuration);
        Preconditions.checkArgument(
                jars.size() == 1, "An application needs one jar, but there are: %s", jars);
        return jars.get(0);
    }

    /** Flink's own, with our components. */
    private static final class MecesKubernetesSessionClusterEntrypoint
            extends KubernetesSessionClusterEntrypoint {

        MecesKubernetesSessionClusterEntrypoint(Configuration configuration) {
            super(configuration);
        }

        @Override
        protected DispatcherResourceManagerComponentFactory
                createDispatcherResourceManagerComponentFactory(Configuration configuration) {
            return MecesComponents.session(
                    configuration, KubernetesResourceManagerFactory.getInstance());
        }
    }
}
