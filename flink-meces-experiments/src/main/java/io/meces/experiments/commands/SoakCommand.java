// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.commands;

import io.meces.cli.ExitCodes;
import io.meces.experiments.cluster.Installation;
import io.meces.experiments.soak.Soak;
import io.meces.experiments.soak.SoakOptions;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code meces soak}. */
@Command(
        name = "soak",
        description = {
            "Rescales a job under load, kills its TaskManagers and takes savepoints, at random and"
                    + " for as long as you like; then checks that each record was counted exactly"
                    + " once.",
            "Starts Kafka, a JobManager and TaskManagers on free ports of 127.0.0.1, with data in a"
                    + " temporary directory, and stops them at the end."
        },
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:Exact, and all rescales and savepoints came to their end.",
            "1:Not so, or the soak itself failed.",
            "2:The command line is wrong."
        })
final class SoakCommand implements Callable<Integer> {

    @Spec private CommandSpec spec;
    @Mixin private SoakOptions options;

    @Override
    public Integer call() throws Exception {
        Installation installation = LocalProcesses.prepare(spec, options::validate);
        return new Soak(options, installation, spec.commandLine().getOut()).run().isSuccess()
                ? ExitCodes.OK
                : ExitCodes.FAILED;
    }
}
