// SPDX-License-Identifier: Apache-2.0
package io.meces.core.simulation;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Runs the simulation for long, or replays a seed: {@code bin/meces-simulate}. */
public final class Simulate {

    private static final long PROGRESS_SECONDS = 10;
    private static final int FAILURES_SHOWN = 20;

    private final PrintStream out;
    private final long firstSeed;
    private final long seeds;
    private final long deadline;
    private final long start = System.nanoTime();
    private final AtomicLong next;
    private final AtomicLong done = new AtomicLong();
    private final AtomicLong failures = new AtomicLong();
    private final Simulation.Statistics statistics = new Simulation.Statistics();

    private Simulate(PrintStream out, long firstSeed, long seeds, Duration limit) {
        this.out = out;
        this.firstSeed = firstSeed;
        this.seeds = seeds;
        this.deadline = start + limit.toNanos();
        this.next = new AtomicLong(firstSeed);
    }

    /** Exits with 1 if a seed has failed, with 2 if the arguments are wrong. */
    public static void main(String[] arguments) throws Exception {
        PrintStream console = new PrintStream(new FileOutputStream(FileDescriptor.out), true);
        System.exit(run(arguments, console));
    }

    static int run(String[] arguments, PrintStream out) throws Exception {
        Long minutes = null;
        Long seeds = null;
        Long seed = null;
        Variant variant = Variant.SOUND;
        try {
            for (int i = 0; i < arguments.length; i += 2) {
                String value = arguments[i + 1];
                switch (arguments[i]) {
                    case "--minutes":
                        minutes = Long.valueOf(value);
                        break;
                    case "--seeds":
                        seeds = Long.valueOf(value);
                        break;
                    case "--seed":
                        seed = Long.valueOf(value);
                        break;
                    case "--variant":
                        variant = Variant.valueOf(value);
                        break;
                    default:
                        throw new IllegalArgumentException(arguments[i]);
                }
            }
            if (minutes != null && seeds != null) {
                throw new IllegalArgumentException("--minutes and --seeds");
            }
        } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
            out.println(
                    "usage: meces-simulate [--minutes N | --seeds N] [--seed FIRST]\n"
                            + "       meces-simulate --seed N [--variant BROKEN_VARIANT]\n"
                            + "What is wrong: "
                            + e.getMessage());
            return 2;
        }
        if (seed != null && minutes == null && seeds == null) {
            return variant.replay(seed, out);
        }
        long first = seed == null ? System.currentTimeMillis() * 1_000 : seed;
        return new Simulate(
                        out,
                        first,
                        seeds == null ? Long.MAX_VALUE - first : seeds,
                        seeds != null
                                ? Duration.ofDays(365)
                                : Duration.ofMinutes(minutes == null ? 10 : minutes))
                .runAll();
    }

    private static int replay(long seed, PrintStream out) {
        Scenario scenario = Scenario.of(seed);
        out.println("Seed " + seed + ": " + scenario);
        Seeds.replay(scenario, out::println);
        Throwable failure = Seeds.failureOf(scenario);
        if (failure == null) {
            return 0;
        }
        out.println(Seeds.describe(seed, failure));
        return 1;
    }

    private int runAll() throws InterruptedException {
        int threads = Runtime.getRuntime().availableProcessors();
        out.println("Seeds from " + firstSeed + " on, " + threads + " thread(s).");
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        List<Runnable> workers = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            workers.add(this::work);
        }
        workers.forEach(executor::execute);
        executor.shutdown();
        while (!executor.awaitTermination(PROGRESS_SECONDS, TimeUnit.SECONDS)) {
            out.println(progress());
        }
        out.println(progress());
        out.println(statistics);
        return failures.get() == 0 ? 0 : 1;
    }

    private void work() {
        while (System.nanoTime() - deadline < 0 && failures.get() < FAILURES_SHOWN) {
            long seed = next.getAndIncrement();
            if (seed - firstSeed >= seeds) {
                return;
            }
            try {
                Simulation.Statistics ofSeed = new Simulation(Scenario.of(seed), null).run();
                synchronized (statistics) {
                    statistics.add(ofSeed);
                }
            } catch (Exception | AssertionError e) {
                failures.incrementAndGet();
                String description = Seeds.describe(seed, e);
                synchronized (out) {
                    out.println(description);
                }
            }
            done.incrementAndGet();
        }
    }

    private String progress() {
        double seconds = (System.nanoTime() - start) / 1e9;
        return String.format(
                "%d seeds, %.0f per second, %d failed",
                done.get(), done.get() / seconds, failures.get());
    }
}
