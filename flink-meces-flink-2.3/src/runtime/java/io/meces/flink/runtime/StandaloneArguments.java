// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.util.Properties;
import org.apache.commons.cli.Options;
import org.apache.flink.runtime.entrypoint.EntrypointClusterConfiguration;
import org.apache.flink.runtime.entrypoint.parser.CommandLineOptions;

/** What {@code jobmanager.sh} understands. A value. */
public class StandaloneArguments extends EntrypointClusterConfiguration {

    /**
     * Those of a command line.
     *
     * @param dynamicProperties in place of its own
     */
    protected StandaloneArguments(
            EntrypointClusterConfiguration parsed, Properties dynamicProperties) {
        super(parsed.getConfigDir(), dynamicProperties, parsed.getArgs());
    }

    /** Without what means nothing for an application: it may be an option of that. */
    public static Options options() {
        return new Options()
                .addOption(CommandLineOptions.CONFIG_DIR_OPTION)
                .addOption(CommandLineOptions.DYNAMIC_PROPERTY_OPTION);
    }
}
