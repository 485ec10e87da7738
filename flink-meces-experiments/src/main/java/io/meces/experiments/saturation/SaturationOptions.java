// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.saturation;

import io.meces.experiments.cluster.Installation;
import io.meces.experiments.run.RunOptions;
import java.io.PrintWriter;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code meces bench saturation}, and what can be chosen about it. */
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
        })
public final class SaturationOptions extends RunOptions {
    @Option(names = "--repeats", paramLabel = "N")
    public int repeats = 3;

    @Option(names = "--seconds", paramLabel = "N")
    public int seconds = 15;

    @Option(names = "--warm-up", paramLabel = "N")
    public int warmUpSeconds = 25;

    @Option(names = "--keys", paramLabel = "N")
    public int keys = 100_000;

    @Override
    protected String reportName() {
        return "saturation";
    }

    @Override
    protected boolean run(Installation installation, PrintWriter out) throws Exception {
        new SaturationBench(this, installation, out).run();
        return true;
    }

    @Override
    public Map<String, Object> parameters() {
        Map<String, Object> parameters = super.parameters();
        parameters.put("parallelism", SaturatedCluster.PARALLELISM);
        parameters.put("max-parallelism", SaturatedCluster.MAX_PARALLELISM);
        parameters.put("checkpoint-interval", SaturationBench.CHECKPOINT_INTERVAL_MILLIS);
        return parameters;
    }
}
