// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.commands;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code meces demo}. */
@Command(
        name = "demo",
        description = "Runs a demo on this machine.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "DEMO",
        subcommands = {KeyCountDemoCommand.class, AutoscalerDemoCommand.class})
final class DemoCommand implements Runnable {

    @Spec private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Which demo?");
    }
}
