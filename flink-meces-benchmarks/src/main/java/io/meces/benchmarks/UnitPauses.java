/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

package io.meces.benchmarks;

import java.io.PrintWriter;
import java.util.Arrays;

/** How long taking out and putting in a single unit keeps the task thread, at worst. */
final class UnitPauses {

    private UnitPauses() {}

    /**
     * Prints a table of median, 99th percentile and maximum, and the throughput.
     *
     * @param rounds how often all units go; those of the first half are warm-up
     */
    static void print(PrintWriter out, int units, int keysPerUnit, int rounds) throws Exception {
        out.printf("%nOne unit of %,d keys, milliseconds (%,d units)%n%n", keysPerUnit, units);
        out.println("| | median | p99 | max | us per key | MB/s |");
        out.println("|---|---|---|---|---|---|");
        for (boolean timers : new boolean[] {false, true}) {
            Units moved = new Units(units, keysPerUnit, timers);
            int measured = (rounds - rounds / 2) * units;
            long[] extracted = new long[measured];
            long[] installed = new long[measured];
            int n = 0;
            long bytes = 0;
            for (int round = 0; round < rounds; round++) {
                for (int i = 0; i < units; i++) {
                    long start = System.nanoTime();
                    moved.extract(i);
                    long middle = System.nanoTime();
                    moved.install(i);
                    long end = System.nanoTime();
                    if (round >= rounds / 2) {
                        extracted[n] = middle - start;
                        installed[n++] = end - middle;
                        bytes += moved.bytes(i);
                    }
                }
                for (int i = 0; i < units; i++) {
                    moved.takeBack(i);
                }
                moved.restoreDonor();
            }
            String what = timers ? "values and timers" : "values";
            row(out, "extract, " + what, extracted, keysPerUnit, bytes);
            row(out, "install, " + what, installed, keysPerUnit, bytes);
        }
        out.flush();
    }

    private static void row(
            PrintWriter out, String what, long[] nanos, int keysPerUnit, long bytes) {
        Arrays.sort(nanos);
        double total = Arrays.stream(nanos).sum();
        out.printf(
                "| %s | %.2f | %.2f | %.2f | %.3f | %.0f |%n",
                what,
                nanos[nanos.length / 2] / 1e6,
                nanos[nanos.length - 1 - nanos.length / 100] / 1e6,
                nanos[nanos.length - 1] / 1e6,
                total / 1e3 / nanos.length / keysPerUnit,
                bytes * 1e3 / total);
    }
}
