// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.commands;

import io.meces.cli.ExitCodes;
import io.meces.experiments.autoscaler.AutoscalerDemo;
import io.meces.experiments.autoscaler.AutoscalerOptions;
import io.meces.experiments.cluster.Installation;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code meces demo autoscaler}. */
@Command(
        name = "autoscaler",
        description = {
            "Has Flink's own autoscaler rescale a job whose load rises and falls, and checks that"
                    + " each record is counted exactly once.",
            "Starts Kafka, a JobManager, two TaskManagers and the autoscaler on free ports of"
                    + " 127.0.0.1, and stops them at the end."
        },
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:Scaled out and in, exact, no restart.",
            "1:Not so, or the demo itself failed.",
            "2:The command line is wrong.",
            "4:The JobManager cannot be reached any more."
        })
final class AutoscalerDemoCommand implements Callable<Integer> {

    @Spec private CommandSpec spec;
    @Mixin private AutoscalerOptions options;

    @Override
    public Integer call() throws Exception {
        Installation installation = LocalProcesses.prepare(spec, options::validate);
        boolean success =
                new AutoscalerDemo(options, installation, spec.commandLine().getOut())
                        .run()
                        .isSuccess();
        return success ? ExitCodes.OK : ExitCodes.FAILED;
    }
}
