// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.commands;

import io.meces.cli.ExitCodes;
import io.meces.experiments.cluster.Installation;
import io.meces.experiments.saturation.SaturationBench;
import io.meces.experiments.saturation.SaturationOptions;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code meces bench saturation}. */
@Command(
        name = "saturation",
        description = {
            "Measures what flink-meces costs while nothing is rescaled: how many records per second"
                    + " a job counts that never waits, on stock Flink and with flink-meces.",
            "",
            "The job: a source that makes random keys in memory as fast as it can, a counter per"
                    + " key in state, and a sink that drops the counts; two subtasks each, max"
                    + " parallelism 128, a checkpoint every 5 s.",
            "",
            "The variants:",
            "  stock         Flink as it is: state backend filesystem, Netty shuffle",
            "  capacity-8    flink-meces, meces.rescale.max-parallelism: 8",
            "  capacity-128  flink-meces, meces.rescale.max-parallelism: 128",
            "",
            "In each round each of them has a new JobManager and a new TaskManager with 4 slots, on"
                    + " free ports of 127.0.0.1. They run by turns of a second, and stand still"
                    + " between them, so that what else the machine does meets all of them alike."
                    + " Shown are all rounds, the median of each variant, and the variants"
                    + " compared with stock, where 1 means as fast: in each round, and by their"
                    + " medians. A round in which the machine stood still for more than 1 s is"
                    + " discarded and repeated.",
            ""
        },
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:All has been measured, whatever the outcome.",
            "1:It could not be measured; the report has the runs until then and the error.",
            "2:The command line is wrong.",
            "3:The JobManager refused the job.",
            "4:The JobManager cannot be reached any more."
        })
final class SaturationBenchCommand implements Callable<Integer> {

    @Spec private CommandSpec spec;
    @Mixin private SaturationOptions options;

    @Override
    public Integer call() throws Exception {
        Installation installation = LocalProcesses.prepare(spec, options::validate);
        new SaturationBench(options, installation, spec.commandLine().getOut()).run();
        return ExitCodes.OK;
    }
}
