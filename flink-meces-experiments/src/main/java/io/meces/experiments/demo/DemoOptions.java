// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.demo;

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
    @Option(
            names = "--rate",
            paramLabel = "N",
            description = "Records per second. Default: ${DEFAULT-VALUE}.")
    public int rate = 5_000;

    @Option(
            names = "--keys",
            paramLabel = "N",
            description =
                    "Different keys; each has state before the load starts. Default:"
                            + " ${DEFAULT-VALUE}.")
    public int keys = 100_000;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            description =
                    "How long the load lasts; longer if the rescales need it. Default:"
                            + " ${DEFAULT-VALUE}.")
    public int seconds = 40;

    @Option(
            names = "--warm-up",
            paramLabel = "N",
            description =
                    "Seconds at the beginning of the load that do not count as steady, of"
                            + " --seconds. Default: ${DEFAULT-VALUE}.")
    public int warmUpSeconds = 10;

    @Option(
            names = "--distribution",
            description =
                    "How often which key occurs: ${COMPLETION-CANDIDATES}. Default:"
                            + " ${DEFAULT-VALUE}.")
    public KeyDistribution distribution = KeyDistribution.UNIFORM;

    @Option(
            names = "--key-type",
            paramLabel = "TYPE",
            description = "Type of the key in the job: long or string. Default: ${DEFAULT-VALUE}.")
    public String keyType = "long";

    @Option(
            names = "--rescale",
            paramLabel = "N",
            split = ",",
            defaultValue = "3,2",
            description =
                    "Parallelisms to which the counter is rescaled, one after the other,"
                            + " beginning with 2. Default: ${DEFAULT-VALUE}.")
    public List<Integer> rescales = Arrays.asList(3, 2);

    @Nullable
    @Option(
            names = "--batch-size",
            paramLabel = "N",
            description =
                    "Key-groups that a subtask gives or takes in one step. Default: what the"
                            + " JobManager is configured with.")
    public Integer batchSize;

    @Option(
            names = "--work-micros",
            paramLabel = "N",
            description =
                    "Least time in µs that the counter takes for a record of the load; those"
                            + " that give each key its state before are not slowed down. A"
                            + " --rate above what the subtasks can do, 1000000 / N per second"
                            + " each, is overload: a backlog grows until the load ends, and the"
                            + " demo waits until it is worked off. Default: ${DEFAULT-VALUE}.")
    public long workMicros;

    @Option(
            names = "--stock",
            description =
                    "Run the same job on stock Flink, without flink-meces and without"
                            + " rescales: the baseline.")
    public boolean stock;

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
        require(rate > 0, "--rate has to be positive.");
        require(keys > 0, "--keys has to be positive.");
        require(warmUpSeconds >= 0, "--warm-up must not be negative.");
        require(seconds > warmUpSeconds, "--seconds has to exceed --warm-up.");
        require(
                keyType.equals("long") || keyType.equals("string"),
                "--key-type is long or string.");
        require(!rescales.isEmpty(), "--rescale takes at least one number.");
        require(
                rescales.stream().allMatch(parallelism -> parallelism > 0),
                "--rescale takes positive numbers.");
        require(batchSize == null || batchSize > 0, "--batch-size has to be positive.");
        require(workMicros >= 0, "--work-micros must not be negative.");
        require(
                !stock || !usesRedis(),
                "Stock Flink moves no state: --transition-service is of no use with --stock.");
    }
}
