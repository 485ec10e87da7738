// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.commands;

import io.meces.cli.MoreCommands;
import io.meces.experiments.bench.KeyCountOptions;
import io.meces.experiments.bench.NexmarkOptions;
import io.meces.experiments.cluster.Installation;
import io.meces.experiments.demo.AutoscalerOptions;
import io.meces.experiments.demo.DemoOptions;
import io.meces.experiments.saturation.SaturationOptions;
import io.meces.experiments.soak.SoakOptions;
import java.nio.file.Paths;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The demo, the soak and the experiments as commands of {@code meces}. */
public final class ExperimentCommands implements MoreCommands {
    @Override
    public void addTo(CommandLine meces) {
        meces.addSubcommand(new Demo()).addSubcommand(new SoakOptions()).addSubcommand(new Bench());
        // the autoscaler is in the repository alone
        if (Installation.isDistribution(Paths.get(System.getProperty("meces.home", "")))) {
            meces.getSubcommands().get("demo").getCommandSpec().removeSubcommand("autoscaler");
        } else {
            meces.addSubcommand(new AutoscaleCommand());
        }
    }

    @Command(
            name = "demo",
            description = "Runs a demo on this machine.",
            mixinStandardHelpOptions = true,
            synopsisSubcommandLabel = "DEMO",
            subcommands = {DemoOptions.class, AutoscalerOptions.class})
    private static final class Demo extends Group {
        private Demo() {
            super("Which demo?");
        }
    }

    @Command(
            name = "bench",
            description = "Runs a benchmark, on this machine or on clusters.",
            mixinStandardHelpOptions = true,
            synopsisSubcommandLabel = "BENCHMARK",
            subcommands = {KeyCountOptions.class, NexmarkOptions.class, SaturationOptions.class})
    private static final class Bench extends Group {
        private Bench() {
            super("Which benchmark?");
        }
    }

    /** A command that is nothing by itself. */
    private abstract static class Group implements Runnable {
        private final String question;
        @Spec private CommandSpec spec;

        private Group(String question) {
            this.question = question;
        }

        @Override
        public void run() {
            throw new ParameterException(spec.commandLine(), question);
        }
    }
}
