// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.commands;

import io.meces.cli.ExitCodes;
import io.meces.experiments.cluster.Installation;
import io.meces.experiments.demo.DemoOptions;
import io.meces.experiments.demo.DemoResult;
import io.meces.experiments.demo.KeyCountDemo;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code meces demo key-count}. */
@Command(
        name = "key-count",
        description = {
            "Rescales a job while records flow, and checks that each is counted exactly once.",
            "Starts Kafka, a JobManager and two TaskManagers on free ports of 127.0.0.1, with data"
                    + " in a temporary directory, and stops them at the end."
        },
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:Exact: nothing lost, duplicated or reordered; all rescales finished; no restart.",
            "1:Not so, or the demo itself failed.",
            "2:The command line is wrong.",
            "3:The JobManager refused a rescale.",
            "4:The JobManager cannot be reached any more."
        })
final class KeyCountDemoCommand implements Callable<Integer> {

    @Spec private CommandSpec spec;
    @Mixin private DemoOptions options;

    @Override
    public Integer call() throws Exception {
        Installation installation = LocalProcesses.prepare(spec, options::validate);
        DemoResult result =
                new KeyCountDemo(options, installation, spec.commandLine().getOut()).run();
        return result.isSuccess() ? ExitCodes.OK : ExitCodes.FAILED;
    }
}
