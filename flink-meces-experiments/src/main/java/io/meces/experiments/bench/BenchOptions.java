// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.bench;

import static java.util.stream.Collectors.toList;

import io.meces.experiments.cluster.FlinkCluster;
import io.meces.experiments.cluster.FlinkCluster.StateBackendKind;
import io.meces.experiments.cluster.FlinkLine;
import io.meces.experiments.cluster.Installation;
import io.meces.experiments.run.JobOptions;
import io.meces.experiments.run.Machine;
import io.meces.experiments.run.PhaseLog;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What can be chosen about all benchmarks that compare mechanisms. */
public abstract class BenchOptions extends JobOptions {
    private static final int DEFAULT_PARTITIONS = 2;

    /** Roughly: JobManager, broker, this command, and what TaskManagers need besides their heap. */
    private static final int OTHER_MEGABYTES = 2_560;

    /** So that the surge is more than the job can do. */
    private static final int PRESSING_RATE = 1_300;

    /** What the processes are started with that a benchmark starts. */
    private static final List<String> OF_OWN_PROCESSES =
            Arrays.asList(
                    "--batch-megabytes",
                    "--step-millis",
                    "--sub-groups",
                    "--block-sub-groups",
                    "--task-manager-heap",
                    "--optimise",
                    "--flink-config",
                    "--flink");

    @Mixin public final ClusterOptions cluster = new ClusterOptions();

    @Nullable
    @Option(
            names = "--mechanisms",
            paramLabel = "NAME",
            split = ",",
            description =
                    "What is compared: meces, order-unaware, order-unaware-gradual, native. A"
                            + " repartition strategy"
                            + " (minimal-move, uniform, consistent-hashing, load-aware) and a"
                            + " transition service may follow, as in meces/uniform:kafka-redis."
                            + " Default: meces,order-unaware,native; for custom-partitioning meces"
                            + " with each strategy; with --cluster those that it names.")
    public List<String> mechanisms;

    @Option(
            names = "--scenario",
            paramLabel = "NAME",
            description =
                    "scale-out, scale-in, custom-partitioning (scale-out by several repartition"
                            + " strategies); for key-count also skew (Zipf keys) and back-pressure"
                            + " (costly records, the rate doubles for a while). Default:"
                            + " ${DEFAULT-VALUE}.")
    public String scenario = "scale-out";

    @Option(
            names = "--repeats",
            paramLabel = "N",
            description =
                    "Runs of each mechanism, by turns; the report has medians. Default:"
                            + " ${DEFAULT-VALUE}.")
    public int repeats = 1;

    @Nullable
    @Option(
            names = "--from",
            paramLabel = "N",
            description = "Parallelism before the rescale. Default: 2; for scale-in 3.")
    public Integer from;

    @Nullable
    @Option(
            names = "--to",
            paramLabel = "N",
            description = "Parallelism after the rescale. Default: 3; for scale-in 2.")
    public Integer to;

    @Nullable
    @Option(
            names = "--rate",
            paramLabel = "N",
            description =
                    "Records per second. Default: 5000, of NEXMark 2000; for back-pressure 1300.")
    public Integer rate;

    @Nullable
    @Option(
            names = "--partitions",
            paramLabel = "N",
            description =
                    "Partitions of each topic, and subtasks that read. Default: 2; for the preset"
                            + " paper 25.")
    public Integer partitions;

    @Option(
            names = "--warm-up",
            paramLabel = "S",
            description = "Seconds of load that are not measured. Default: ${DEFAULT-VALUE}.")
    public int warmUpSeconds = 10;

    @Option(
            names = "--steady",
            paramLabel = "S",
            description =
                    "Seconds then that are measured as steady, up to the rescale. Default:"
                            + " ${DEFAULT-VALUE}.")
    public int steadySeconds = 8;

    @Nullable
    @Option(
            names = "--after",
            paramLabel = "S",
            description =
                    "Seconds of load from the request of the rescale on; longer if the rescale is."
                            + " Default: 20; for back-pressure 40.")
    public Integer afterSeconds;

    @Option(
            names = "--markers",
            paramLabel = "N",
            description = "Marker records per second. Default: ${DEFAULT-VALUE}.")
    public int markersPerSecond = 100;

    @Option(
            names = "--bound",
            paramLabel = "MS",
            description =
                    "The latency below which the job counts as recovered: when the p99 of each"
                            + " 100 ms stays below it for 1 s. Default: ${DEFAULT-VALUE}.")
    public int boundMillis = 200;

    @Nullable
    @Option(
            names = "--batch-size",
            paramLabel = "N",
            description =
                    "Key-groups that a subtask gives or takes at most in one step, for all but"
                            + " native. Default: what the JobManager is configured with, 16 if"
                            + " nothing else.")
    public Integer batchSize;

    @Option(
            names = "--batch-megabytes",
            paramLabel = "N",
            description =
                    "State that a subtask gives or takes in one step, for meces and"
                            + " order-unaware-gradual. Default: ${DEFAULT-VALUE}.")
    public int batchMegabytes = 8;

    @Option(
            names = "--step-millis",
            paramLabel = "N",
            description =
                    "How long a step should take where there is event time, for meces and"
                            + " order-unaware-gradual. Default: ${DEFAULT-VALUE}.")
    public int stepMillis = 50;

    @Option(
            names = "--sub-groups",
            paramLabel = "N",
            description = "Units per key-group for meces. Default: ${DEFAULT-VALUE}.")
    public int subGroups = 16;

    @Option(
            names = "--block-sub-groups",
            paramLabel = "N",
            description =
                    "Units per key-group for order-unaware; 1: key-groups move as a whole."
                            + " Default: ${DEFAULT-VALUE}.")
    public int blockSubGroups = 1;

    @Option(
            names = "--cold",
            description =
                    "Measure the first rescale in its processes. Without, live mechanisms rescale"
                            + " to the new parallelism and back during the warm-up, as a process"
                            + " that has never rescaled runs much of that code in the"
                            + " interpreter. Always so under back-pressure.")
    public boolean cold;

    @Option(
            names = "--optimise",
            description =
                    "Have the JVMs of Flink compile thoroughly (C2). Without, they use the quick"
                            + " compiler only: on few cores a short run would otherwise measure the"
                            + " thorough one at work.")
    public boolean optimise;

    @Nullable
    @Option(
            names = "--output",
            paramLabel = "DIR",
            description = "Where report, figures, plots and logs go; as --report DIR/report.json.")
    public Path output;

    /** Jobs to rescale, one after the other. */
    abstract List<Workload> workloads();

    /** Records per second that leave a machine with two cores room for a rescale. */
    abstract int steadyRate();

    @Override
    protected final boolean run(Installation installation, PrintWriter out) throws Exception {
        return new Bench(this, installation, out).run();
    }

    /** What to compare, in order. */
    List<Mechanism> mechanisms() {
        List<String> names;
        if (mechanisms != null) {
            names = mechanisms;
        } else if (cluster.given()) {
            names = new ArrayList<>(cluster.byName().keySet());
        } else if (scenario() == Scenario.CUSTOM_PARTITIONING) {
            names = Mechanism.STRATEGIES.stream().map(s -> "meces/" + s).collect(toList());
        } else {
            names = Arrays.asList("meces", "order-unaware", "native");
        }
        return names.stream()
                .map(text -> Mechanism.parse(text, transitionService))
                .distinct()
                .collect(toList());
    }

    Scenario scenario() {
        return Scenario.parse(scenario);
    }

    int from() {
        return from != null ? from : scenario() == Scenario.SCALE_IN ? 3 : 2;
    }

    int to() {
        return to != null ? to : scenario() == Scenario.SCALE_IN ? 2 : 3;
    }

    int rate() {
        return rate != null
                ? rate
                : scenario() == Scenario.BACK_PRESSURE ? PRESSING_RATE : steadyRate();
    }

    int partitions() {
        return partitions != null ? partitions : DEFAULT_PARTITIONS;
    }

    /** Whether a mechanism that can do so rescales there and back during the warm-up. */
    boolean practises() {
        return !cold && scenario() != Scenario.BACK_PRESSURE;
    }

    /**
     * How long RocksDB takes, roughly, to make up for compactions that a rescale in the warm-up has
     * put off: it begins some seconds after a checkpoint is complete, or after a minute.
     */
    Duration madeUp() {
        return practises() && stateBackend == StateBackendKind.ROCKSDB
                ? Duration.ofMillis(Math.min(checkpointIntervalMillis, 60_000) + 52_000)
                : Duration.ZERO;
    }

    /** How many the job needs at most: tasks of all of its vertices share them. */
    int slots() {
        return Math.max(partitions(), Math.max(from(), to()));
    }

    int afterSeconds() {
        return afterSeconds != null ? afterSeconds : scenario() == Scenario.BACK_PRESSURE ? 40 : 20;
    }

    /** After how many positions of the schedule there is a marker. */
    int recordsPerMarker() {
        return Math.max(1, rate() / markersPerSecond);
    }

    /** Where the benchmark takes place. */
    final EnvironmentFactory environments(Installation installation, PhaseLog phases) {
        return cluster.given()
                ? new RemoteEnvironmentFactory(this, installation, phases)
                : new LocalEnvironmentFactory(this, installation);
    }

    /** With what follows from the scenario in place of what was not given. */
    @Override
    public Map<String, Object> parameters() {
        Map<String, Object> parameters = super.parameters();
        parameters.put("mechanisms", mechanisms().toString());
        parameters.put("from", from());
        parameters.put("to", to());
        parameters.put("rate", rate());
        parameters.put("after", afterSeconds());
        parameters.put("partitions", partitions());
        parameters.put("cold", !practises());
        parameters.put("batch-size", batchSize == null ? "as configured" : batchSize);
        parameters.put("task-manager-heap", heapMegabytes());
        if (cluster.given()) {
            OF_OWN_PROCESSES.forEach(option -> parameters.remove(option.substring(2)));
        }
        return parameters;
    }

    @Override
    public void validate() {
        super.validate();
        require(!mechanisms().isEmpty(), "--mechanisms takes at least one name.");
        require(repeats > 0, "--repeats has to be positive.");
        require(from() > 0 && to() > 0, "--from and --to have to be positive.");
        require(from() != to(), "--from and --to have to differ.");
        require(
                scenario() == Scenario.SCALE_IN ? to() < from() : to() > from(),
                "From " + from() + " to " + to() + " is no " + scenario() + ".");
        boolean strategies = mechanisms().stream().anyMatch(m -> m.strategy != null);
        require(
                scenario() != Scenario.BACK_PRESSURE || !strategies,
                "Strategies are not compared under back-pressure: the surge could not wait until"
                        + " key-groups are where a strategy wants them.");
        require(
                !cold || !strategies,
                "--cold measures the first rescale; with a strategy, key-groups have to be where it"
                        + " wants them first.");
        require(rate() > 0, "--rate has to be positive.");
        require(partitions() > 0, "--partitions has to be positive.");
        require(warmUpSeconds > 0, "--warm-up has to be positive.");
        require(steadySeconds > 0, "--steady has to be positive.");
        require(afterSeconds() > 0, "--after has to be positive.");
        require(markersPerSecond > 0, "--markers has to be positive.");
        require(boundMillis > 0, "--bound has to be positive.");
        require(batchSize == null || batchSize > 0, "--batch-size has to be positive.");
        require(batchMegabytes > 0, "--batch-megabytes has to be positive.");
        require(stepMillis > 0, "--step-millis has to be positive.");
        require(subGroups > 0 && blockSubGroups > 0, "Sub-groups have to be positive.");
        require(
                FlinkLine.of(flink).hasKafkaRedis()
                        || mechanisms().stream()
                                .noneMatch(m -> m.service.equals(FlinkCluster.KAFKA_REDIS)),
                "There is no kafka-redis for Flink " + flink + ".");
        cluster.validate(mechanisms(), transitionService);
        if (cluster.given()) {
            for (String option : OF_OWN_PROCESSES) {
                require(
                        !isGiven(option),
                        option
                                + " is for processes that the experiment starts. With --cluster set"
                                + " it in the configuration of the cluster.");
            }
        } else {
            requirePossibleHere();
        }
    }

    private void requirePossibleHere() {
        int processors = Runtime.getRuntime().availableProcessors();
        require(
                slots() <= 8 * processors,
                String.format(
                        "Parallelism %d is for a cluster: all processes of an experiment run on"
                                + " this machine, which has %d processors. To run it on a cluster,"
                                + " give --cluster and --bootstrap-servers; see"
                                + " docs/experiments.md.",
                        slots(), processors));
        Long memory = Machine.memoryMegabytes();
        long heaps = (long) LocalEnvironmentFactory.TASK_MANAGERS * heapMegabytes();
        require(
                memory == null || heaps + OTHER_MEGABYTES <= memory,
                String.format(
                        "The heaps of %d TaskManagers, %d MB each, and about %d MB besides do not"
                                + " fit into this machine, which has %d MB. Take less state, or set"
                                + " --task-manager-heap.",
                        LocalEnvironmentFactory.TASK_MANAGERS,
                        heapMegabytes(),
                        OTHER_MEGABYTES,
                        memory));
    }
}
