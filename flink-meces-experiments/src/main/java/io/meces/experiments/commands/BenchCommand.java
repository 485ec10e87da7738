// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.commands;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code meces bench}. */
@Command(
        name = "bench",
        description = "Runs a benchmark, on this machine or on clusters.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "BENCHMARK",
        subcommands = {
            KeyCountBenchCommand.class,
            NexmarkBenchCommand.class,
            SaturationBenchCommand.class
        })
final class BenchCommand implements Runnable {

    @Spec private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Which benchmark?");
    }
}
