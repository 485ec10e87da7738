// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.commands;

import io.meces.cli.ExitCodes;
import io.meces.experiments.cluster.Installation;
import io.meces.experiments.mechanisms.Experiment;
import io.meces.experiments.mechanisms.KeyCountOptions;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code meces bench key-count}. */
@Command(
        name = "key-count",
        description = {
            "Rescales a job that counts records per key, by several mechanisms side by side, and"
                    + " measures what that does to latency.",
            "",
            "The mechanisms:",
            "  meces                  live, in small steps, what a record waits for first",
            "  order-unaware          live by the same runtime, but key-groups in a fixed order, a"
                    + " block of 16 in each step",
            "  order-unaware-gradual  the same in steps as small as those of meces",
            "  native                 stock Flink: stop with savepoint, start anew from it",
            "",
            "Each run has a Kafka, a JobManager and two TaskManagers of its own on this machine, or"
                    + " topics and jobs of its own on clusters that run already: --cluster"
                    + " meces=HOST:PORT --bootstrap-servers HOST:PORT. Each key has its state before measuring begins. Records are sent at a"
                    + " steady rate; latency counts from when they were due. Each record is"
                    + " checked: counted once, in order, none lost.",
            "The default takes less than 5 minutes. For 500 MB of state: --keys 500000"
                    + " --payload 1000 --after 40 --repeats 3. What the figures mean:"
                    + " docs/experiments.md.",
            ""
        },
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:All runs were exact, whatever the figures.",
            "1:One was not, or could not be measured; the report has the runs until then.",
            "2:The command line is wrong.",
            "3:The JobManager refused the job or the rescale.",
            "4:The JobManager cannot be reached any more."
        })
final class KeyCountBenchCommand implements Callable<Integer> {

    @Spec private CommandSpec spec;
    @Mixin private KeyCountOptions options;

    @Override
    public Integer call() throws Exception {
        Installation installation = LocalProcesses.prepare(spec, options::validate);
        return Experiment.keyCount(options, installation, spec.commandLine().getOut()).run()
                ? ExitCodes.OK
                : ExitCodes.FAILED;
    }
}
