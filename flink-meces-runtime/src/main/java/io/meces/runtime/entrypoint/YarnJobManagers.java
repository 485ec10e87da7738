// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.entrypoint;

import io.meces.flink.runtime.ApplicationPrograms;
import io.meces.flink.runtime.YarnJobEntrypoint;
import java.io.File;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.client.deployment.application.ApplicationConfiguration;
import org.apache.flink.client.program.PackagedProgram;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.entrypoint.ClusterEntrypoint;
import org.apache.flink.runtime.entrypoint.ClusterEntrypointUtils;
import org.apache.flink.runtime.entrypoint.DynamicParametersConfigurationParserFactory;
import org.apache.flink.runtime.entrypoint.component.DefaultDispatcherResourceManagerComponentFactory;
import org.apache.flink.runtime.entrypoint.component.DispatcherResourceManagerComponentFactory;
import org.apache.flink.runtime.entrypoint.component.FileJobGraphRetriever;
import org.apache.flink.runtime.resourcemanager.ResourceManagerFactory;
import org.apache.flink.util.Preconditions;
import org.apache.flink.yarn.configuration.YarnConfigOptions;
import org.apache.flink.yarn.entrypoint.YarnEntrypointUtils;
import org.apache.flink.yarn.entrypoint.YarnResourceManagerFactory;
import org.apache.flink.yarn.entrypoint.YarnSessionClusterEntrypoint;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The JobManagers that are application masters of YARN, and ask it for containers with
 * TaskManagers. Arguments are {@code -Dkey=value}; wrong ones end the process. The configuration is
 * in the working directory of the container. Has no state.
 */
final class YarnJobManagers {

    private static final Logger LOG = LoggerFactory.getLogger(YarnJobManagers.class);

    private YarnJobManagers() {}

    /** Takes the place of the one of {@code yarn-session.sh}. */
    static ClusterEntrypoint session(String[] args) {
        return new MecesYarnSessionClusterEntrypoint(configuration(args));
    }

    /** Takes the place of the one of {@code flink run -t yarn-per-job}. */
    static ClusterEntrypoint job(String[] args) {
        return new MecesYarnJobClusterEntrypoint(configuration(args));
    }

    /**
     * Takes the place of the one of {@code flink run-application -t yarn-application}.
     *
     * @throws Exception if the application was not shipped, or cannot be configured
     */
    static ClusterEntrypoint application(String[] args) throws Exception {
        Configuration configuration = configuration(args);
        ApplicationConfiguration application =
                ApplicationConfiguration.fromConfiguration(configuration);
        File userLib = YarnEntrypointUtils.getUsrLibDir(configuration).orElse(null);
        return new MecesYarnApplicationClusterEntrypoint(
                configuration,
                ApplicationPrograms.find(
                        configuration,
                        application.getProgramArguments(),
                        userLib,
                        jar(configuration, userLib),
                        application.getApplicationClassName()),
                YarnResourceManagerFactory.getInstance());
    }

    private static Configuration configuration(String[] args) {
        Map<String, String> environment = System.getenv();
        try {
            YarnEntrypointUtils.logYarnEnvironmentInformation(environment, LOG);
        } catch (IOException e) {
            LOG.warn("It cannot be said by whom this was started.", e);
        }
        return MecesComponents.awaitingContainers(
                YarnEntrypointUtils.loadConfiguration(
                        Preconditions.checkNotNull(
                                environment.get("PWD"), "The environment does not say PWD."),
                        ClusterEntrypointUtils.parseParametersOrExit(
                                args,
                                new DynamicParametersConfigurationParserFactory(),
                                MecesYarnSessionClusterEntrypoint.class),
                        environment));
    }

    /** It was shipped, under its own name. */
    private static File jar(Configuration configuration, @Nullable File userLib) {
        List<String> jars = configuration.get(PipelineOptions.JARS);
        Preconditions.checkArgument(
                jars.size() == 1, "An application needs one jar, but there are: %s", jars);
        return new File(userLib, new Path(jars.get(0)).getName());
    }

    /** Flink's own, with our components. */
    private static final class MecesYarnSessionClusterEntrypoint
            extends YarnSessionClusterEntrypoint {

        MecesYarnSessionClusterEntrypoint(Configuration configuration) {
            super(configuration);
        }

        @Override
        protected DispatcherResourceManagerComponentFactory
                createDispatcherResourceManagerComponentFactory(Configuration configuration) {
            return MecesComponents.session(configuration, YarnResourceManagerFactory.getInstance());
        }
    }

    /** Flink's own, with our components. */
    private static final class MecesYarnJobClusterEntrypoint extends YarnJobEntrypoint {

        MecesYarnJobClusterEntrypoint(Configuration configuration) {
            super(configuration);
        }

        @Override
        protected DefaultDispatcherResourceManagerComponentFactory
                createDispatcherResourceManagerComponentFactory(Configuration configuration)
                        throws IOException {
            return MecesComponents.job(
                    configuration,
                    FileJobGraphRetriever.createFrom(
                            configuration,
                            YarnEntrypointUtils.getUsrLibDir(configuration).orElse(null)),
                    YarnResourceManagerFactory.getInstance());
        }
    }

    /** As Flink's own: its port is one of a range, too. */
    private static final class MecesYarnApplicationClusterEntrypoint
            extends MecesApplicationClusterEntrypoint {

        MecesYarnApplicationClusterEntrypoint(
                Configuration configuration,
                PackagedProgram program,
                ResourceManagerFactory<?> resourceManagers)
                throws Exception {
            super(configuration, program, resourceManagers);
        }

        @Override
        protected String getRPCPortRange(Configuration configuration) {
            return configuration.get(YarnConfigOptions.APPLICATION_MASTER_PORT);
        }
    }
}
