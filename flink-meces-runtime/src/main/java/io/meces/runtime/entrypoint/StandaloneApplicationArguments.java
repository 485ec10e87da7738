// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.entrypoint;

import io.meces.flink.runtime.StandaloneArguments;
import java.util.Properties;
import javax.annotation.Nullable;
import org.apache.commons.cli.CommandLine;
import org.apache.commons.cli.Option;
import org.apache.commons.cli.Options;
import org.apache.flink.api.common.JobID;
import org.apache.flink.client.cli.CliFrontendParser;
import org.apache.flink.runtime.entrypoint.EntrypointClusterConfiguration;
import org.apache.flink.runtime.entrypoint.EntrypointClusterConfigurationParserFactory;
import org.apache.flink.runtime.entrypoint.FlinkParseException;
import org.apache.flink.runtime.entrypoint.parser.ParserResultFactory;
import org.apache.flink.runtime.jobgraph.SavepointRestoreSettings;

/**
 * What {@code standalone-job.sh} understands: the options of a session cluster, {@code
 * --job-classname}, {@code --job-id}, {@code --fromSavepoint} and {@code --allowNonRestoredState}.
 * What follows is for the application. A value.
 */
final class StandaloneApplicationArguments extends StandaloneArguments {
    @Nullable final String jobClassName;
    @Nullable final JobID jobId;
    final SavepointRestoreSettings savepoint;

    StandaloneApplicationArguments(
            EntrypointClusterConfiguration cluster,
            Properties dynamicProperties,
            @Nullable String jobClassName,
            @Nullable JobID jobId,
            SavepointRestoreSettings savepoint) {
        super(cluster, dynamicProperties);
        this.jobClassName = jobClassName;
        this.jobId = jobId;
        this.savepoint = savepoint;
    }

    /** Reads the command line; has no state. */
    static final class Parser implements ParserResultFactory<StandaloneApplicationArguments> {

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
            return StandaloneArguments.options()
                    .addOption(JOB_CLASS_NAME)
                    .addOption(JOB_ID)
                    .addOption(CliFrontendParser.SAVEPOINT_PATH_OPTION)
                    .addOption(CliFrontendParser.SAVEPOINT_ALLOW_NON_RESTORED_OPTION);
        }

        @Override
        public StandaloneApplicationArguments createResult(CommandLine commandLine)
                throws FlinkParseException {
            EntrypointClusterConfiguration cluster = ofCluster.createResult(commandLine);
            return new StandaloneApplicationArguments(
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
