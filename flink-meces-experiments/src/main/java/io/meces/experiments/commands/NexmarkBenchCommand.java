// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.commands;

import io.meces.cli.ExitCodes;
import io.meces.experiments.cluster.Installation;
import io.meces.experiments.mechanisms.Experiment;
import io.meces.experiments.mechanisms.NexmarkOptions;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code meces bench nexmark}. */
@Command(
        name = "nexmark",
        description = {
            "Rescales queries of NEXMark by several mechanisms side by side, as bench key-count"
                    + " does, on this machine or, with --cluster, on clusters that run already; all"
                    + " keyed operators of a query at once.",
            "Marker records bypass windows; their latency is reported beside the event-time"
                    + " latency of the results. The results are compared with those of a"
                    + " single-threaded implementation, line for line.",
            "A run takes about a minute, so all queries by all mechanisms take 25. The windows of"
                    + " the default are long: with less load than they last, they are not full.",
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
final class NexmarkBenchCommand implements Callable<Integer> {

    @Spec private CommandSpec spec;
    @Mixin private NexmarkOptions options;

    @Override
    public Integer call() throws Exception {
        Installation installation = LocalProcesses.prepare(spec, options::validate);
        return Experiment.nexmark(options, installation, spec.commandLine().getOut()).run()
                ? ExitCodes.OK
                : ExitCodes.FAILED;
    }
}
