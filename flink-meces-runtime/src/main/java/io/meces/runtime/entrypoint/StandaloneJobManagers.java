// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.entrypoint;

import io.meces.flink.runtime.ApplicationPrograms;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptionsInternal;
import org.apache.flink.runtime.entrypoint.ClusterEntrypoint;
import org.apache.flink.runtime.entrypoint.ClusterEntrypointUtils;
import org.apache.flink.runtime.entrypoint.EntrypointClusterConfiguration;
import org.apache.flink.runtime.entrypoint.EntrypointClusterConfigurationParserFactory;
import org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint;
import org.apache.flink.runtime.entrypoint.component.DefaultDispatcherResourceManagerComponentFactory;
import org.apache.flink.runtime.jobgraph.SavepointRestoreSettings;
import org.apache.flink.runtime.resourcemanager.StandaloneResourceManagerFactory;

/** The JobManagers of clusters whose TaskManagers are started by somebody else. Has no state. */
final class StandaloneJobManagers {

    private StandaloneJobManagers() {}

    /**
     * Takes the place of the one that {@code jobmanager.sh} starts: {@code --configDir DIR}, {@code
     * --host}, {@code --webui-port} and {@code -Dkey=value}. Wrong arguments end the process.
     */
    static ClusterEntrypoint session(String[] args) {
        return new MecesStandaloneSessionClusterEntrypoint(
                MecesStandaloneSessionClusterEntrypoint.configuration(
                        ClusterEntrypointUtils.parseParametersOrExit(
                                args,
                                new EntrypointClusterConfigurationParserFactory(),
                                MecesStandaloneSessionClusterEntrypoint.class)));
    }

    /**
     * Takes the place of the one that {@code standalone-job.sh} starts: {@link
     * StandaloneApplicationArguments}. Wrong arguments end the process.
     *
     * @throws Exception if the application is not there, or cannot be configured
     */
    static ClusterEntrypoint application(String[] args) throws Exception {
        StandaloneApplicationArguments arguments =
                ClusterEntrypointUtils.parseParametersOrExit(
                        args,
                        new StandaloneApplicationArguments.Parser(),
                        MecesApplicationClusterEntrypoint.class);
        Configuration configuration =
                MecesStandaloneSessionClusterEntrypoint.configuration(arguments);
        if (arguments.jobId != null) {
            configuration.set(
                    PipelineOptionsInternal.PIPELINE_FIXED_JOB_ID, arguments.jobId.toHexString());
        }
        SavepointRestoreSettings.toConfiguration(arguments.savepoint, configuration);
        return new MecesApplicationClusterEntrypoint(
                configuration,
                ApplicationPrograms.find(
                        configuration,
                        arguments.getArgs(),
                        ClusterEntrypointUtils.tryFindUserLibDirectory().orElse(null),
                        null,
                        arguments.jobClassName),
                StandaloneResourceManagerFactory.getInstance());
    }

    /** Flink's own, with our components. */
    private static final class MecesStandaloneSessionClusterEntrypoint
            extends StandaloneSessionClusterEntrypoint {

        MecesStandaloneSessionClusterEntrypoint(Configuration configuration) {
            super(configuration);
        }

        static Configuration configuration(EntrypointClusterConfiguration arguments) {
            return loadConfiguration(arguments);
        }

        @Override
        protected DefaultDispatcherResourceManagerComponentFactory
                createDispatcherResourceManagerComponentFactory(Configuration configuration) {
            return MecesComponents.session(
                    configuration, StandaloneResourceManagerFactory.getInstance());
        }
    }
}
