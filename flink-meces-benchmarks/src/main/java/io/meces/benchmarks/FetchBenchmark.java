// SPDX-License-Identifier: Apache-2.0
package io.meces.benchmarks;

import io.meces.runtime.MecesOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;

/**
 * All transition services in one run: how long it takes to fetch a unit, idle and while the
 * background is saturated; how fast the background is; what I/Os it costs; and what chunks and
 * their linger do to all this. TaskManagers are processes of their own, as are Kafka and Redis.
 *
 * <p>Requests are made at times that do not depend on the answers. Donors copy what they give away,
 * receivers install it in a state backend. One thread owns this.
 */
final class FetchBenchmark {

    private static final int KB = 1024;
    private static final int MB = 1024 * KB;
    private static final int BACKGROUND_BYTES = 10 * KB;
    private static final int WARM_UP_TURNS = 60;
    private static final int UNMEASURED_ROUNDS = 6;

    /** Of the time of one processor. */
    private static final double COMPILERS_AT_REST = 0.005;

    private static final long SLOW_UNIT_NANOS = 100_000;

    /** Of fetched units while code is warmed up, so that they do not pile up. */
    private static final long NANOS_PER_BYTE = 10;

    private final PrintWriter out;
    private final Path directory;
    private final Nodes nodes;
    private final int fetches;
    private final int rounds;

    /** Where nodes are. */
    interface Nodes {
        FetchNode node(int number) throws Exception;

        Map<String, String> configuration(String service) throws Exception;

        long kafkaRecords() throws Exception;

        long redisCommands() throws Exception;
    }

    /**
     * @param directory where the figures go
     * @param fetches units of up to 10 KB that are fetched for each figure by local and Netty
     * @param rounds how often the cases of a size take turns
     */
    FetchBenchmark(PrintWriter out, Path directory, Nodes nodes, int fetches, int rounds) {
        this.out = out;
        this.directory = directory;
        this.nodes = nodes;
        this.fetches = fetches;
        this.rounds = rounds;
    }

    /** What a fetch has beside it. */
    private enum Beside {
        NOTHING("idle"),
        /** A migration between the same tasks. */
        BACKGROUND("background"),
        /** A migration between two other TaskManagers, which takes as much of the machine. */
        ELSEWHERE("elsewhere");

        private final String text;

        Beside(String text) {
            this.text = text;
        }
    }

    /** Measures and prints how long fetches take. */
    void fetch(List<String> services, int... sizes) throws Exception {
        out.printf("%nFetching a unit, milliseconds%n%n");
        Table table =
                new Table(
                        "fetch.csv",
                        "service",
                        "unit KB",
                        "beside",
                        "fetches",
                        "p50",
                        "p99",
                        "p99.9",
                        "max",
                        "p99 / idle",
                        "due p99",
                        "due p99.9",
                        "wake-up p99",
                        "wake-up p99.9",
                        "GC pauses",
                        "JIT",
                        "background MB/s");
        for (String service : services) {
            for (int bytes : sizes) {
                fetch(table, service, bytes);
            }
        }
        table.write();
    }

    private void fetch(Table table, String service, int bytes) throws Exception {
        List<Beside> cases = new ArrayList<>(Arrays.asList(Beside.values()));
        if (service.equals("local")) {
            cases.remove(Beside.ELSEWHERE);
        }
        int times = fetches(service, bytes) / rounds;
        long interval = interval(service, bytes);
        Pair pair = open(0, service, configuration(service), bytes, BACKGROUND_BYTES);
        Pair others =
                cases.contains(Beside.ELSEWHERE)
                        ? open(2, service, configuration(service), bytes, BACKGROUND_BYTES)
                        : pair;
        pair.warmUp(times, Math.max(interval / 8, NANOS_PER_BYTE * bytes));
        others.warmUp(times / 4, Math.max(interval / 8, NANOS_PER_BYTE * bytes));
        // what takes turns is compiled again and again: the compilers rest after some rounds
        double share = 1;
        for (int round = 0; round < UNMEASURED_ROUNDS && share > COMPILERS_AT_REST; round++) {
            long compiled = 0;
            long start = System.nanoTime();
            for (Beside beside : cases) {
                Pair pushing = beside == Beside.ELSEWHERE ? others : pair;
                compiled += turn(beside, pair, pushing, times, interval).compilerMillis;
            }
            share = compiled * 1e6 / (System.nanoTime() - start);
        }
        Map<Beside, Turns> measured = new HashMap<>();
        for (int round = 0; round < rounds; round++) {
            for (Beside beside : cases) {
                Pair pushing = beside == Beside.ELSEWHERE ? others : pair;
                Turns turn = turn(beside, pair, pushing, times, interval);
                measured.computeIfAbsent(beside, b -> new Turns()).add(turn);
            }
        }
        pair.close();
        others.close();
        double idle = measured.get(Beside.NOTHING).times.sinceRequest.getValueAtPercentile(99);
        for (Beside beside : cases) {
            Turns turns = measured.get(beside);
            Histogram request = turns.times.sinceRequest;
            Histogram due = turns.times.sinceDue;
            table.row(
                    service,
                    bytes / KB,
                    beside.text,
                    request.getTotalCount(),
                    millis(request, 50),
                    millis(request, 99),
                    millis(request, 99.9),
                    millis(request, 100),
                    request.getValueAtPercentile(99) / idle,
                    millis(due, 99),
                    millis(due, 99.9),
                    millis(turns.times.wakeUp, 99),
                    millis(turns.times.wakeUp, 99.9),
                    turns.pauseMillis,
                    turns.compilerMillis,
                    (long) (turns.megabytes / turns.seconds));
        }
    }

    /** Fetches units beside something. */
    private static Turns turn(Beside beside, Pair pair, Pair pushing, int times, long interval)
            throws Exception {
        pair.collectGarbage();
        pushing.collectGarbage();
        if (beside != Beside.NOTHING) {
            pushing.push(Long.MAX_VALUE, 0);
            TimeUnit.MILLISECONDS.sleep(300);
        }
        // what was compiled for the other case is compiled again
        pair.receiver.fetch(1, times / 2, interval);
        Turns turn = new Turns();
        long before = pushing.receiver.counts().bytesInstalled;
        long pausesBefore = pair.pauseMillis();
        long compilersBefore = pair.compilerMillis();
        long start = System.nanoTime();
        turn.times.add(pair.receiver.fetch(1, times, interval));
        turn.seconds = (System.nanoTime() - start) / 1e9;
        turn.megabytes = (pushing.receiver.counts().bytesInstalled - before) / (double) MB;
        turn.pauseMillis = pair.pauseMillis() - pausesBefore;
        turn.compilerMillis = pair.compilerMillis() - compilersBefore;
        pushing.push(0, 0);
        pushing.donor.awaitPushed();
        return turn;
    }

    /** What was measured of one case. */
    private static final class Turns {
        private final ExchangeTask.Times times = new ExchangeTask.Times();
        private double seconds;
        private double megabytes;
        private long pauseMillis;
        private long compilerMillis;

        private void add(Turns other) {
            times.add(other.times);
            seconds += other.seconds;
            megabytes += other.megabytes;
            pauseMillis += other.pauseMillis;
            compilerMillis += other.compilerMillis;
        }
    }

    /** Fewer of what takes long. */
    private int fetches(String service, int bytes) {
        return bytes > 100 * KB
                ? fetches / 50
                : service.equals("kafka-redis") ? fetches / 4 : fetches;
    }

    private static long interval(String service, int bytes) {
        int micros = bytes > 100 * KB ? 40_000 : service.equals("kafka-redis") ? 2_000 : 500;
        return TimeUnit.MICROSECONDS.toNanos(micros);
    }

    private static double millis(Histogram nanos, double percentile) {
        return nanos.getValueAtPercentile(percentile) / 1e6;
    }

    /**
     * Measures and prints what the window does that is in force while records wait, by Netty and
     * with units of 10 KB. Windows take turns, each with an idle turn of its own.
     */
    void windows(int... kilobytes) throws Exception {
        out.printf("%nWindows while records wait, by Netty; units of 10 KB%n%n");
        Table table =
                new Table(
                        "windows.csv",
                        "in flight KB",
                        "fetches",
                        "idle p50",
                        "idle p99",
                        "idle p99.9",
                        "background p50",
                        "background p99",
                        "background p99.9",
                        "p99 / idle",
                        "wake-up p99",
                        "JIT",
                        "background MB/s");
        Map<Integer, Map<Beside, Turns>> windows = new LinkedHashMap<>();
        int times = fetches / rounds;
        long interval = interval("netty", BACKGROUND_BYTES);
        for (int round = -1; round < rounds; round++) {
            for (int kilobyte : kilobytes) {
                Map<String, String> configuration = configuration("netty");
                configuration.put(
                        MecesOptions.TRANSITION_IN_FLIGHT_ON_DEMAND.key(), kilobyte + "kb");
                Pair pair = open(0, "netty", configuration, BACKGROUND_BYTES, BACKGROUND_BYTES);
                if (round < 0) {
                    pair.warmUp(times, interval);
                }
                for (Beside beside : new Beside[] {Beside.NOTHING, Beside.BACKGROUND}) {
                    Turns turn = turn(beside, pair, pair, times, interval);
                    if (round >= 0) {
                        windows.computeIfAbsent(kilobyte, k -> new HashMap<>())
                                .computeIfAbsent(beside, b -> new Turns())
                                .add(turn);
                    }
                }
                pair.close();
            }
        }
        windows.forEach(
                (kilobyte, turns) -> {
                    Turns pushing = turns.get(Beside.BACKGROUND);
                    Histogram idle = turns.get(Beside.NOTHING).times.sinceRequest;
                    Histogram loaded = pushing.times.sinceRequest;
                    table.row(
                            kilobyte,
                            loaded.getTotalCount(),
                            millis(idle, 50),
                            millis(idle, 99),
                            millis(idle, 99.9),
                            millis(loaded, 50),
                            millis(loaded, 99),
                            millis(loaded, 99.9),
                            millis(loaded, 99) / millis(idle, 99),
                            millis(pushing.times.wakeUp, 99),
                            pushing.compilerMillis,
                            (long) (pushing.megabytes / pushing.seconds));
                });
        table.write();
    }

    /** Measures and prints what I/Os the background costs, in units of 1 KB. */
    void inputOutput(List<String> services, int megabytes) throws Exception {
        out.printf("%nMigrating units of 1 KB in the background, per MB%n%n");
        Table table =
                new Table(
                        "io.csv",
                        "service",
                        "chunks of KB",
                        "extract us",
                        "MB/s",
                        "messages of donor",
                        "messages of receiver",
                        "flushes of donor",
                        "flushes of receiver",
                        "write calls of donor",
                        "Kafka records",
                        "Redis commands");
        for (String service : services) {
            for (long extractNanos : new long[] {0, SLOW_UNIT_NANOS}) {
                for (String chunk : new String[] {"0", chunkSize()}) {
                    Map<String, String> configuration = configuration(service);
                    configuration.put(MecesOptions.TRANSITION_CHUNK_SIZE.key(), chunk);
                    Pair pair = open(0, service, configuration, KB, KB);
                    int megas = extractNanos == 0 ? megabytes : Math.max(1, megabytes / 8);
                    pair.migrate(megas, extractNanos);
                    long records = nodes.kafkaRecords();
                    long commands = nodes.redisCommands();
                    Migration migration = pair.migrate(megas, extractNanos);
                    double moved = migration.megabytes;
                    table.row(
                            service,
                            chunk.replace("kb", ""),
                            extractNanos / 1_000,
                            moved / migration.seconds,
                            migration.donor.messages / moved,
                            migration.receiver.messages / moved,
                            migration.donor.flushes / moved,
                            migration.receiver.flushes / moved,
                            migration.donor.writeCalls / moved,
                            (nodes.kafkaRecords() - records) / moved,
                            (nodes.redisCommands() - commands) / moved);
                    pair.close();
                }
            }
        }
        table.write();
    }

    private static String chunkSize() {
        return MecesOptions.TRANSITION_CHUNK_SIZE.defaultValue().getKibiBytes() + "kb";
    }

    /** Measures and prints what size and linger of chunks do, by Netty. */
    void chunks(int[] kilobytes, int[] millis) throws Exception {
        out.printf("%nChunks by Netty; units of 1 KB, fetched ones of 10 KB%n%n");
        Table table =
                new Table(
                        "chunks.csv",
                        "chunk KB",
                        "linger ms",
                        "MB/s",
                        "flushes/MB",
                        "fetch p50",
                        "fetch p99",
                        "slow units: flushes/MB",
                        "slow units: fetch p99",
                        "slow units: MB/s");
        Map<List<Integer>, Cell[]> cells = new LinkedHashMap<>();
        for (int round = -1; round < rounds; round++) {
            for (int kilobyte : kilobytes) {
                for (int milli : millis) {
                    Cell[] cell =
                            cells.computeIfAbsent(
                                    Arrays.asList(kilobyte, milli),
                                    key -> new Cell[] {new Cell(0), new Cell(SLOW_UNIT_NANOS)});
                    measure(kilobyte, milli, round < 0 ? new Cell[] {new Cell(0)} : cell);
                }
            }
        }
        cells.forEach(
                (key, cell) ->
                        table.row(
                                key.get(0),
                                key.get(1),
                                cell[0].megabytes / cell[0].seconds,
                                cell[0].flushes / cell[0].megabytes,
                                millis(cell[0].times.sinceRequest, 50),
                                millis(cell[0].times.sinceRequest, 99),
                                cell[1].flushes / cell[1].megabytes,
                                millis(cell[1].times.sinceRequest, 99),
                                cell[1].megabytes / cell[1].seconds));
        table.write();
    }

    private void measure(int kilobytes, int millis, Cell[] cells) throws Exception {
        Map<String, String> configuration = configuration("netty");
        configuration.put(MecesOptions.TRANSITION_CHUNK_SIZE.key(), kilobytes + "kb");
        configuration.put(MecesOptions.TRANSITION_CHUNK_LINGER.key(), millis + "ms");
        Pair pair = open(0, "netty", configuration, 10 * KB, KB);
        for (Cell cell : cells) {
            Migration migration = pair.migrate(cell.extractNanos == 0 ? 32 : 2, cell.extractNanos);
            cell.megabytes += migration.megabytes;
            cell.seconds += migration.seconds;
            cell.flushes += migration.donor.flushes;
            pair.push(Long.MAX_VALUE, cell.extractNanos);
            TimeUnit.MILLISECONDS.sleep(100);
            cell.times.add(
                    pair.receiver.fetch(
                            1, Math.max(1, fetches / 5 / rounds), interval("netty", KB)));
            pair.push(0, 0);
            pair.donor.awaitPushed();
        }
        pair.close();
    }

    /** What was measured of one setting, summed up over the rounds. */
    private static final class Cell {
        private final ExchangeTask.Times times = new ExchangeTask.Times();
        private final long extractNanos;
        private double megabytes;
        private double seconds;
        private double flushes;

        private Cell(long extractNanos) {
            this.extractNanos = extractNanos;
        }
    }

    private Map<String, String> configuration(String service) throws Exception {
        return nodes.configuration(service.equals("local") ? "netty" : service);
    }

    private Pair open(
            int first,
            String service,
            Map<String, String> configuration,
            int fetchedBytes,
            int backgroundBytes)
            throws Exception {
        FetchNode donor = nodes.node(first);
        FetchNode receiver = service.equals("local") ? donor : nodes.node(first + 1);
        if (donor == receiver) {
            donor.open(configuration, new int[] {0, 1}, fetchedBytes, backgroundBytes);
        } else {
            donor.open(configuration, new int[] {0}, fetchedBytes, backgroundBytes);
            receiver.open(configuration, new int[] {1}, fetchedBytes, backgroundBytes);
        }
        donor.meet(0, receiver.peer(1));
        receiver.meet(1, donor.peer(0));
        return new Pair(donor, receiver);
    }

    /** A donor, which is subtask 0, and a receiver, which is 1. */
    private static final class Pair {
        private final FetchNode donor;
        private final FetchNode receiver;

        private Pair(FetchNode donor, FetchNode receiver) {
            this.donor = donor;
            this.receiver = receiver;
        }

        /**
         * Has the code compiled that is measured, without and with a background, until the
         * compilers have little to do: they would take the processors from what is measured.
         */
        private void warmUp(int fetches, long intervalNanos) throws Exception {
            double share = 1;
            for (int turn = 0; turn < WARM_UP_TURNS && share > COMPILERS_AT_REST; turn++) {
                long start = System.nanoTime();
                long before = compilerMillis();
                receiver.fetch(1, fetches, intervalNanos);
                push(Long.MAX_VALUE, 0);
                receiver.fetch(1, fetches / 2, intervalNanos);
                push(0, 0);
                donor.awaitPushed();
                share = (compilerMillis() - before) * 1e6 / (System.nanoTime() - start);
            }
        }

        /** How long the compilers of both have worked so far. */
        private long compilerMillis() throws Exception {
            return donor.counts().compilerMillis
                    + (receiver == donor ? 0 : receiver.counts().compilerMillis);
        }

        private void push(long units, long nanosPerUnit) throws Exception {
            donor.push(0, units, nanosPerUnit);
        }

        private void collectGarbage() throws Exception {
            donor.collectGarbage();
            receiver.collectGarbage();
        }

        /** How long the garbage collector has stopped either of them so far. */
        private long pauseMillis() throws Exception {
            return donor.counts().pauseMillis
                    + (receiver == donor ? 0 : receiver.counts().pauseMillis);
        }

        private Migration migrate(int megabytes, long nanosPerUnit) throws Exception {
            FetchNode.Counts donorBefore = donor.counts();
            FetchNode.Counts receiverBefore = receiver.counts();
            long start = System.nanoTime();
            push(megabytes * 1024L, nanosPerUnit);
            donor.awaitPushed();
            long nanos = System.nanoTime() - start;
            return new Migration(
                    nanos / 1e9,
                    donor.counts().minus(donorBefore),
                    receiver.counts().minus(receiverBefore));
        }

        private void close() throws Exception {
            donor.close();
            receiver.close();
        }
    }

    /** So much has migrated in the background. */
    private static final class Migration {
        private final double seconds;
        private final double megabytes;
        private final FetchNode.Counts donor;
        private final FetchNode.Counts receiver;

        private Migration(double seconds, FetchNode.Counts donor, FetchNode.Counts receiver) {
            this.seconds = seconds;
            this.megabytes = receiver.bytesInstalled / (double) MB;
            this.donor = donor;
            this.receiver = receiver;
        }
    }

    /** A table that is printed row by row, and written as CSV. */
    private final class Table {
        private final List<String> lines = new ArrayList<>();
        private final String file;

        private Table(String file, String... columns) {
            this.file = file;
            lines.add(String.join(",", columns));
            out.println("| " + String.join(" | ", columns) + " |");
            out.println("|" + "---|".repeat(columns.length));
        }

        private void row(Object... cells) {
            List<String> texts =
                    Arrays.stream(cells)
                            .map(
                                    cell ->
                                            cell instanceof Double
                                                    ? String.format(
                                                            (double) cell < 10 ? "%.3f" : "%.1f",
                                                            (double) cell)
                                                    : String.valueOf(cell))
                            .collect(Collectors.toList());
            lines.add(String.join(",", texts));
            out.println("| " + String.join(" | ", texts) + " |");
            out.flush();
        }

        private void write() throws IOException {
            Files.createDirectories(directory);
            Files.write(directory.resolve(file), lines, StandardCharsets.UTF_8);
        }
    }
}
