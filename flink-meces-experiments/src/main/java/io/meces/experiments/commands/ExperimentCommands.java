// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.commands;

import io.meces.cli.MoreCommands;
import picocli.CommandLine;

/** The demo, the soak and the experiments as commands of {@code meces}. */
public final class ExperimentCommands implements MoreCommands {

    @Override
    public void addTo(CommandLine meces) {
        meces.addSubcommand(new DemoCommand())
                .addSubcommand(new SoakCommand())
                .addSubcommand(new BenchCommand())
                .addSubcommand(new AutoscaleCommand());
    }
}
