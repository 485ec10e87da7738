// SPDX-License-Identifier: Apache-2.0
package io.meces.benchmarks;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.CommandLineOptionException;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;

/**
 * The command {@code bin/meces-jmh}.
 *
 * <p>JMH runs all forks of one parameter before those of the next, so what the machine does
 * meanwhile would go into one side of a comparison only. Here everything runs once per round, and
 * the tables show medians over the rounds. Backends are compared by processor time.
 */
public final class Main {

    private static final String FETCH_SERVICES = "local,netty,kafka-redis";
    private static final String FETCH_PARTS = "times,io,chunks";
    private static final List<String> ALL_FETCH_PARTS =
            Arrays.asList("times", "io", "chunks", "windows");
    private static final int FETCHES = 20_000;
    private static final int FETCH_ROUNDS = 4;
    private static final long MBIT_100 = 100_000_000 / 8;

    private final PrintWriter out;

    private Main(PrintWriter out) {
        this.out = out;
    }

    /**
     * Runs.
     *
     * @param args {@code heap}, {@code pauses}, {@code compression}, {@code rocksdb [MEGABYTES]},
     *     {@code fetch [SERVICES [PARTS]]}, or {@code [ROUNDS] JMH-OPTIONS}
     */
    public static void main(String[] args) throws Exception {
        Locale.setDefault(Locale.ROOT);
        PrintStream console = new PrintStream(new FileOutputStream(FileDescriptor.out));
        PrintWriter out =
                new PrintWriter(new OutputStreamWriter(console, StandardCharsets.UTF_8), true);
        try {
            run(out, args);
        } catch (CommandLineOptionException e) {
            new PrintStream(new FileOutputStream(FileDescriptor.err))
                    .println(e.getMessage() + "; see bin/meces-jmh --help");
            System.exit(2);
        }
    }

    private static void run(PrintWriter out, String[] args) throws Exception {
        String first = args.length == 0 ? "" : args[0];
        if (first.equals("heap")) {
            HeapPerEntry.print(out);
        } else if (first.equals("pauses")) {
            UnitPauses.print(out, 64, 5_000, 40);
        } else if (first.equals("compression")) {
            CompressionTable.print(out, 1, 20, MBIT_100, 3);
        } else if (first.equals("rocksdb")) {
            RocksDBMove.print(out, args.length > 1 ? Integer.parseInt(args[1]) : 1_024);
        } else if (first.equals("fetch")) {
            fetch(out, Arrays.copyOfRange(args, 1, args.length));
        } else if (first.matches("\\d+")) {
            String[] rest = Arrays.copyOfRange(args, 1, args.length);
            new Main(out).compare(Integer.parseInt(first), rest);
        } else {
            new Main(out).compare(3, args);
        }
    }

    private static void fetch(PrintWriter out, String[] args) throws Exception {
        List<String> services =
                Arrays.asList((args.length > 0 ? args[0] : FETCH_SERVICES).split(","));
        List<String> parts = Arrays.asList((args.length > 1 ? args[1] : FETCH_PARTS).split(","));
        for (String part : parts) {
            if (!ALL_FETCH_PARTS.contains(part)) {
                throw new CommandLineOptionException(
                        "There is no part '" + part + "', there are " + ALL_FETCH_PARTS);
            }
        }
        String start = LocalDateTime.now().format(DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss"));
        Path directory = Paths.get(System.getProperty("meces.home"), "reports", "fetch-" + start);
        try (FetchNodes nodes = new FetchNodes(directory)) {
            FetchBenchmark benchmark =
                    new FetchBenchmark(out, directory, nodes, FETCHES, FETCH_ROUNDS);
            if (parts.contains("times")) {
                benchmark.fetch(services, 1 << 10, 10 << 10, 1 << 20);
            }
            if (parts.contains("io")) {
                benchmark.inputOutput(services, 64);
            }
            if (parts.contains("chunks")) {
                benchmark.chunks(new int[] {16, 32, 64, 256}, new int[] {0, 1, 2, 5});
            }
            if (parts.contains("windows")) {
                benchmark.windows(64, 16, 8, 4);
            }
        }
        out.printf("%nThe figures are in %s%n", directory);
    }

    private void compare(int rounds, String[] jmhArgs) throws Exception {
        Options options =
                new OptionsBuilder()
                        .parent(new CommandLineOptions(jmhArgs))
                        .addProfiler(CpuTimeProfiler.class)
                        .build();
        Map<String, Map<String, List<Double>>> scores = new TreeMap<>();
        for (int round = 0; round < rounds; round++) {
            collect(new Runner(options).run(), scores);
        }
        report(scores);
    }

    private static void collect(
            Collection<RunResult> results, Map<String, Map<String, List<Double>>> scores) {
        for (RunResult result : results) {
            Map<String, String> params = new LinkedHashMap<>();
            for (String name : result.getParams().getParamsKeys()) {
                params.put(name, result.getParams().getParam(name));
            }
            String backend = params.remove("backend");
            // Without a backend there is work between the invocations, which must not count.
            Result<?> measured =
                    backend == null
                            ? result.getPrimaryResult()
                            : result.getSecondaryResults().get(CpuTimeProfiler.LABEL);
            String benchmark = result.getParams().getBenchmark();
            int method = benchmark.lastIndexOf('.');
            String name =
                    benchmark.substring(benchmark.lastIndexOf('.', method - 1) + 1)
                            + " "
                            + params
                            + " "
                            + measured.getScoreUnit();
            scores.computeIfAbsent(name, key -> new LinkedHashMap<>())
                    .computeIfAbsent(backend == null ? "" : backend, key -> new ArrayList<>())
                    .add(measured.getScore());
        }
    }

    /**
     * One line per benchmark: the median of each backend with the half of the range of its rounds,
     * and the ratio to Flink's of the same round, again the median over the rounds, with the
     * interval in which the true median is with 95 %.
     */
    private void report(Map<String, Map<String, List<Double>>> scores) {
        out.println();
        scores.forEach(
                (name, backends) -> {
                    List<Double> flink = backends.get(Backends.FLINK);
                    StringBuilder line = new StringBuilder("| " + name + " |");
                    backends.forEach(
                            (backend, rounds) -> {
                                line.append(
                                        String.format(
                                                " %s %.4g ±%.0f %%",
                                                backend,
                                                median(rounds),
                                                50
                                                        * (Collections.max(rounds)
                                                                - Collections.min(rounds))
                                                        / median(rounds)));
                                if (flink != null && rounds != flink) {
                                    List<Double> ratios = new ArrayList<>();
                                    for (int i = 0; i < rounds.size(); i++) {
                                        ratios.add(rounds.get(i) / flink.get(i));
                                    }
                                    line.append(" = ").append(ratio(ratios));
                                }
                                line.append(" |");
                            });
                    out.println(line);
                });
    }

    private static String ratio(List<Double> ratios) {
        List<Double> sorted = new ArrayList<>(ratios);
        Collections.sort(sorted);
        int outside = outsideOfMedian(sorted.size());
        String median = String.format("**%.3f**", median(sorted));
        return outside == 0
                ? median
                : String.format(
                        "%s (%.3f to %.3f)",
                        median, sorted.get(outside - 1), sorted.get(sorted.size() - outside));
    }

    /**
     * Which value from below, and from above, bounds the median of what these are samples of with
     * 95 %: each is below it with the probability of a coin. 0 with fewer than six samples, which
     * are too few.
     */
    private static int outsideOfMedian(int samples) {
        double probability = Math.pow(0.5, samples);
        double below = probability;
        int rank = 0;
        while (2 * below <= 0.05) {
            rank++;
            probability *= (double) (samples - rank + 1) / rank;
            below += probability;
        }
        return rank;
    }

    private static double median(List<Double> values) {
        List<Double> sorted = new ArrayList<>(values);
        Collections.sort(sorted);
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1
                ? sorted.get(middle)
                : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }
}
