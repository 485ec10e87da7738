// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.demo;

import io.meces.experiments.cluster.FlinkLine;
import io.meces.experiments.cluster.Installation;
import io.meces.experiments.run.JobOptions;
import io.meces.experiments.traffic.KeyDistribution;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.List;
import javax.annotation.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code meces demo key-count}, and what can be chosen about it. */
@Command(
        name = "key-count",
        description = {
            "Rescales a job while records flow, and checks that each is counted exactly once.",
            "Starts Kafka, a JobManager and two TaskManagers on free ports of 127.0.0.1, with data"
                    + " in a temporary directory, and stops them at the end."
        })
public final class DemoOptions extends JobOptions {
    @Option(names = "--rate", paramLabel = "N")
    public int rate = 5_000;

    @Option(names = "--keys", paramLabel = "N")
    public int keys = 100_000;

    @Option(names = "--seconds", paramLabel = "N")
    public int seconds = 40;

    @Option(names = "--warm-up", paramLabel = "N")
    public int warmUpSeconds = 10;

    @Option(names = "--distribution")
    public KeyDistribution distribution = KeyDistribution.UNIFORM;

    @Option(names = "--key-type", paramLabel = "TYPE")
    public String keyType = "long";

    @Option(names = "--rescale", paramLabel = "N", split = ",", defaultValue = "3,2")
    public List<Integer> rescales = Arrays.asList(3, 2);

    @Nullable
    @Option(names = "--batch-size", paramLabel = "N")
    public Integer batchSize;

    @Option(names = "--work-micros", paramLabel = "N")
    public long workMicros;

    @Option(names = "--stock")
    public boolean stock;

    /** What most run. */
    @Override
    protected FlinkLine usualLine() {
        return Installation.isDistribution(home()) ? FlinkLine.V1_12 : FlinkLine.V1_20;
    }

    @Override
    protected String reportName() {
        return "key-count";
    }

    @Override
    protected boolean run(Installation installation, PrintWriter out) throws Exception {
        return new KeyCountDemo(this, installation, out).run();
    }

    @Override
    public void validate() {
        super.validate();
        require(seconds > warmUpSeconds, "--seconds has to exceed --warm-up.");
        require(
                keyType.equals("long") || keyType.equals("string"),
                "--key-type is long or string.");
        require(!rescales.isEmpty(), "--rescale takes at least one number.");
        require(
                rescales.stream().allMatch(parallelism -> parallelism > 0),
                "--rescale takes positive numbers.");
        require(
                !stock || !usesRedis(),
                "Stock Flink moves no state: --transition-service is of no use with --stock.");
    }
}
