// SPDX-License-Identifier: Apache-2.0
package io.meces.benchmarks;

import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;

/**
 * How long taking out and putting in a single unit keeps the task thread, at worst: in processor
 * time, and as it passed, with whatever else the machine did.
 */
final class UnitPauses {

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private UnitPauses() {}

    /**
     * Prints a table of median, 99th percentile and maximum, and the throughput.
     *
     * @param rounds how often all units go; those of the first half are warm-up
     */
    static void print(PrintWriter out, int units, int keysPerUnit, int rounds) throws Exception {
        out.printf("%nOne unit of %,d keys, milliseconds (%,d units)%n%n", keysPerUnit, units);
        out.println("| | median | p99 | max | max passed | us per key | MB/s |");
        out.println("|---|---|---|---|---|---|---|");
        for (boolean timers : new boolean[] {false, true}) {
            Units moved = new Units(units, keysPerUnit, timers);
            int measured = (rounds - rounds / 2) * units;
            long[] extracted = new long[measured];
            long[] installed = new long[measured];
            long[] passed = new long[2];
            int n = 0;
            long bytes = 0;
            for (int round = 0; round < rounds; round++) {
                for (int i = 0; i < units; i++) {
                    long[] times = new long[6];
                    read(times, 0);
                    moved.extract(i);
                    read(times, 2);
                    moved.install(i);
                    read(times, 4);
                    if (round >= rounds / 2) {
                        extracted[n] = times[2] - times[0];
                        installed[n++] = times[4] - times[2];
                        passed[0] = Math.max(passed[0], times[3] - times[1]);
                        passed[1] = Math.max(passed[1], times[5] - times[3]);
                        bytes += moved.bytes(i);
                    }
                }
                for (int i = 0; i < units; i++) {
                    moved.takeBack(i);
                }
                moved.restoreDonor();
            }
            String what = timers ? "values and timers" : "values";
            row(out, "extract, " + what, extracted, passed[0], keysPerUnit, bytes);
            row(out, "install, " + what, installed, passed[1], keysPerUnit, bytes);
        }
        out.flush();
    }

    private static void read(long[] times, int index) {
        times[index] = THREADS.getCurrentThreadCpuTime();
        times[index + 1] = System.nanoTime();
    }

    private static void row(
            PrintWriter out,
            String what,
            long[] nanos,
            long maxPassed,
            int keysPerUnit,
            long bytes) {
        Arrays.sort(nanos);
        double total = Arrays.stream(nanos).sum();
        out.printf(
                "| %s | %.2f | %.2f | %.2f | %.2f | %.3f | %.0f |%n",
                what,
                nanos[nanos.length / 2] / 1e6,
                nanos[nanos.length - 1 - nanos.length / 100] / 1e6,
                nanos[nanos.length - 1] / 1e6,
                maxPassed / 1e6,
                total / 1e3 / nanos.length / keysPerUnit,
                bytes * 1e3 / total);
    }
}
