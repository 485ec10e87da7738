// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.bench;

import static java.util.stream.Collectors.toList;

import io.meces.experiments.cluster.FlinkCluster.StateBackendKind;
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
    @Option(names = "--mechanisms", paramLabel = "NAME", split = ",")
    public List<String> mechanisms;

    @Option(names = "--scenario", paramLabel = "NAME")
    public String scenario = "scale-out";

    @Option(names = "--repeats", paramLabel = "N")
    public int repeats = 1;

    @Nullable
    @Option(names = "--from", paramLabel = "N")
    public Integer from;

    @Nullable
    @Option(names = "--to", paramLabel = "N")
    public Integer to;

    @Nullable
    @Option(names = "--rate", paramLabel = "N")
    public Integer rate;

    @Nullable
    @Option(names = "--partitions", paramLabel = "N")
    public Integer partitions;

    @Option(names = "--warm-up", paramLabel = "S")
    public int warmUpSeconds = 10;

    @Option(names = "--steady", paramLabel = "S")
    public int steadySeconds = 8;

    @Nullable
    @Option(names = "--after", paramLabel = "S")
    public Integer afterSeconds;

    @Option(names = "--markers", paramLabel = "N")
    public int markersPerSecond = 100;

    @Option(names = "--bound", paramLabel = "MS")
    public int boundMillis = 200;

    @Nullable
    @Option(names = "--batch-size", paramLabel = "N")
    public Integer batchSize;

    @Option(names = "--batch-megabytes", paramLabel = "N")
    public int batchMegabytes = 8;

    @Option(names = "--step-millis", paramLabel = "N")
    public int stepMillis = 50;

    @Option(names = "--sub-groups", paramLabel = "N")
    public int subGroups = 16;

    @Option(names = "--block-sub-groups", paramLabel = "N")
    public int blockSubGroups = 1;

    @Option(names = "--cold")
    public boolean cold;

    @Option(names = "--optimise")
    public boolean optimise;

    @Nullable
    @Option(names = "--output", paramLabel = "DIR")
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
        require(from() != to(), "--from and --to have to differ.");
        require(
                scenario() == Scenario.SCALE_IN ? to() < from() : to() > from(),
                "From " + from() + " to " + to() + " is no " + scenario() + ".");
        if (!cluster.given()) {
            mechanisms().forEach(mechanism -> mechanism.requireLine(line()));
        }
        boolean strategies = mechanisms().stream().anyMatch(m -> m.strategy != null);
        require(
                scenario() != Scenario.BACK_PRESSURE || !strategies,
                "Strategies are not compared under back-pressure: the surge could not wait until"
                        + " key-groups are where a strategy wants them.");
        require(
                !cold || !strategies,
                "--cold measures the first rescale; with a strategy, key-groups have to be where it"
                        + " wants them first.");
        require(warmUpSeconds > 0, "--warm-up has to be positive.");
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
