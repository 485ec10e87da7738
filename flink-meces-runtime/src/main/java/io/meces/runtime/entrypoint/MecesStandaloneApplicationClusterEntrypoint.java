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

package io.meces.runtime.entrypoint;

import io.meces.runtime.warmup.WarmUp;
import java.io.IOException;
import java.util.Properties;
import javax.annotation.Nullable;
import org.apache.commons.cli.CommandLine;
import org.apache.commons.cli.Option;
import org.apache.commons.cli.Options;
import org.apache.flink.api.common.JobID;
import org.apache.flink.client.cli.CliFrontendParser;
import org.apache.flink.client.deployment.application.ApplicationClusterEntryPoint;
import org.apache.flink.client.deployment.application.ClassPathPackagedProgramRetriever;
import org.apache.flink.client.program.PackagedProgram;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptionsInternal;
import org.apache.flink.runtime.entrypoint.ClusterEntrypoint;
import org.apache.flink.runtime.entrypoint.ClusterEntrypointUtils;
import org.apache.flink.runtime.entrypoint.EntrypointClusterConfiguration;
import org.apache.flink.runtime.entrypoint.EntrypointClusterConfigurationParserFactory;
import org.apache.flink.runtime.entrypoint.FlinkParseException;
import org.apache.flink.runtime.entrypoint.component.DispatcherResourceManagerComponentFactory;
import org.apache.flink.runtime.entrypoint.parser.CommandLineOptions;
import org.apache.flink.runtime.entrypoint.parser.ParserResultFactory;
import org.apache.flink.runtime.jobgraph.SavepointRestoreSettings;
import org.apache.flink.runtime.resourcemanager.StandaloneResourceManagerFactory;
import org.apache.flink.runtime.util.EnvironmentInformation;
import org.apache.flink.runtime.util.JvmShutdownSafeguard;
import org.apache.flink.runtime.util.SignalHandler;
import org.apache.flink.util.FlinkException;

/**
 * The main class of a JobManager that runs the {@code main()} of one application, whose jobs can be
 * rescaled while they run. It takes the place of Flink's {@code
 * StandaloneApplicationClusterEntryPoint}, which {@code standalone-job.sh} starts, and understands
 * the same arguments: those of a session cluster, {@code --job-classname}, {@code --job-id}, {@code
 * --fromSavepoint} and {@code --allowNonRestoredState}. What follows is for the application.
 * (FLIP-85)
 */
public final class MecesStandaloneApplicationClusterEntrypoint
        extends ApplicationClusterEntryPoint {

    private final PackagedProgram program;

    private MecesStandaloneApplicationClusterEntrypoint(
            Configuration configuration, PackagedProgram program) {
        super(configuration, program, StandaloneResourceManagerFactory.getInstance());
        this.program = program;
    }

    /** As in Flink, with the elastic scheduler and our REST handlers. */
    @Override
    protected DispatcherResourceManagerComponentFactory
            createDispatcherResourceManagerComponentFactory(Configuration configuration) {
        MecesComponents.check(configuration);
        WarmUp.ofJobManager();
        return MecesComponents.application(
                configuration, program, StandaloneResourceManagerFactory.getInstance());
    }

    /** Runs the JobManager until the application has ended; the process then exits. */
    public static void main(String[] args) {
        EnvironmentInformation.logEnvironmentInfo(
                LOG, MecesStandaloneApplicationClusterEntrypoint.class.getSimpleName(), args);
        SignalHandler.register(LOG);
        JvmShutdownSafeguard.installAsShutdownHook(LOG);
        MecesComponents.checkFlinkOrExit(STARTUP_FAILURE_RETURN_CODE);
        Arguments arguments =
                ClusterEntrypointUtils.parseParametersOrExit(
                        args, new Parser(), MecesStandaloneApplicationClusterEntrypoint.class);
        MecesStandaloneApplicationClusterEntrypoint entrypoint;
        try {
            entrypoint = create(arguments);
        } catch (Exception e) {
            LOG.error("The application cannot be started.", e);
            System.exit(STARTUP_FAILURE_RETURN_CODE);
            return;
        }
        ClusterEntrypoint.runClusterEntrypoint(entrypoint);
    }

    private static MecesStandaloneApplicationClusterEntrypoint create(Arguments arguments)
            throws Exception {
        Configuration configuration = loadConfiguration(arguments);
        if (arguments.jobId != null) {
            configuration.set(
                    PipelineOptionsInternal.PIPELINE_FIXED_JOB_ID, arguments.jobId.toHexString());
        }
        SavepointRestoreSettings.toConfiguration(arguments.savepoint, configuration);
        PackagedProgram program = program(arguments, configuration);
        configureExecution(configuration, program);
        return new MecesStandaloneApplicationClusterEntrypoint(configuration, program);
    }

    private static PackagedProgram program(Arguments arguments, Configuration configuration)
            throws IOException, FlinkException, ReflectiveOperationException {
        return retriever(arguments.getArgs(), configuration)
                .setUserLibDirectory(ClusterEntrypointUtils.tryFindUserLibDirectory().orElse(null))
                .setJobClassName(arguments.jobClassName)
                .build()
                .getPackagedProgram();
    }

    /** Flink 1.12.0 does not ask for the configuration. */
    private static ClassPathPackagedProgramRetriever.Builder retriever(
            String[] args, Configuration configuration) throws ReflectiveOperationException {
        Class<?> retriever = ClassPathPackagedProgramRetriever.class;
        Object builder;
        try {
            builder =
                    retriever
                            .getMethod("newBuilder", String[].class, Configuration.class)
                            .invoke(null, args, configuration);
        } catch (NoSuchMethodException e) {
            builder = retriever.getMethod("newBuilder", String[].class).invoke(null, (Object) args);
        }
        return (ClassPathPackagedProgramRetriever.Builder) builder;
    }

    /** What the command line says. A value. */
    static final class Arguments extends EntrypointClusterConfiguration {
        @Nullable final String jobClassName;
        @Nullable final JobID jobId;
        final SavepointRestoreSettings savepoint;

        private Arguments(
                EntrypointClusterConfiguration cluster,
                Properties dynamicProperties,
                @Nullable String jobClassName,
                @Nullable JobID jobId,
                SavepointRestoreSettings savepoint) {
            super(
                    cluster.getConfigDir(),
                    dynamicProperties,
                    cluster.getArgs(),
                    cluster.getHostname(),
                    cluster.getRestPort());
            this.jobClassName = jobClassName;
            this.jobId = jobId;
            this.savepoint = savepoint;
        }
    }

    /** Reads the command line; has no state. */
    static final class Parser implements ParserResultFactory<Arguments> {

        private static final Option JOB_CLASS_NAME =
                Option.builder("j")
                        .longOpt("job-classname")
                        .hasArg()
                        .argName("job class name")
                        .desc("Class name of the job to run.")
                        .build();

        private static final Option JOB_ID =
                Option.builder("jid")
                        .longOpt("job-id")
                        .hasArg()
                        .argName("job id")
                        .desc("Job ID of the job to run.")
                        .build();

        private final EntrypointClusterConfigurationParserFactory ofCluster =
                new EntrypointClusterConfigurationParserFactory();

        @Override
        public Options getOptions() {
            // without the option of session clusters that means nothing: it may be the
            // application's
            return new Options()
                    .addOption(CommandLineOptions.CONFIG_DIR_OPTION)
                    .addOption(CommandLineOptions.REST_PORT_OPTION)
                    .addOption(CommandLineOptions.DYNAMIC_PROPERTY_OPTION)
                    .addOption(CommandLineOptions.HOST_OPTION)
                    .addOption(JOB_CLASS_NAME)
                    .addOption(JOB_ID)
                    .addOption(CliFrontendParser.SAVEPOINT_PATH_OPTION)
                    .addOption(CliFrontendParser.SAVEPOINT_ALLOW_NON_RESTORED_OPTION);
        }

        @Override
        public Arguments createResult(CommandLine commandLine) throws FlinkParseException {
            EntrypointClusterConfiguration cluster = ofCluster.createResult(commandLine);
            return new Arguments(
                    cluster,
                    cluster.getDynamicProperties(),
                    commandLine.getOptionValue(JOB_CLASS_NAME.getOpt()),
                    jobId(commandLine.getOptionValue(JOB_ID.getOpt())),
                    CliFrontendParser.createSavepointRestoreSettings(commandLine));
        }

        @Nullable
        private static JobID jobId(@Nullable String given) throws FlinkParseException {
            try {
                return given == null ? null : JobID.fromHexString(given);
            } catch (IllegalArgumentException e) {
                throw new FlinkParseException(
                        "--job-id is '" + given + "', but must be 32 hexadecimal digits.", e);
            }
        }
    }
}
