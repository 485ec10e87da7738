// SPDX-License-Identifier: Apache-2.0
package io.meces.benchmarks;

import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.runtime.state.heap.HeapKeyedStateBackend;
import org.apache.flink.streaming.api.operators.TimerHeapInternalTimer;

/**
 * The heap that an entry of a value state, and a timer, takes: with its key and value (a {@code
 * Long} each) and its share of whatever a backend has.
 *
 * <p>Measured as the used heap after a collection, over at least a million entries in as many
 * backends as that takes.
 */
final class HeapPerEntry {

    private static final String[] BACKENDS = {
        Backends.FLINK, "1", "16", "16" + Backends.MOVED, "128", "1024"
    };
    private static final int ENTRIES = 1_000_000;

    private HeapPerEntry() {}

    /**
     * Prints a table of bytes per entry and per timer.
     *
     * @param entries how many to measure at least
     * @param keyCounts keys per backend
     */
    static void print(PrintWriter out, int entries, int... keyCounts) throws Exception {
        for (boolean timers : new boolean[] {false, true}) {
            out.printf("%nHeap per %s, bytes%n%n", timers ? "timer" : "entry");
            out.println("| Keys | " + String.join(" | ", BACKENDS) + " |");
            out.println("|---|---|---|---|---|---|---|");
            for (int keys : keyCounts) {
                out.printf("| %,d |", keys);
                double flink = 0;
                for (String backend : BACKENDS) {
                    double bytes = measure(backend, keys, Math.max(1, entries / keys), timers);
                    if (backend.equals(Backends.FLINK)) {
                        flink = bytes;
                        out.printf(" %.1f |", bytes);
                    } else {
                        out.printf(" %.1f (%+.1f %%) |", bytes, (bytes / flink - 1) * 100);
                    }
                }
                out.println();
            }
        }
        out.flush();
    }

    static void print(PrintWriter out) throws Exception {
        print(out, ENTRIES, 10_000, 100_000, 1_000_000);
    }

    private static double measure(String name, int keys, int backends, boolean timers)
            throws Exception {
        List<Object> kept = new ArrayList<>(backends);
        load(name, timers);
        long before = usedHeap();
        for (int i = 0; i < backends; i++) {
            HeapKeyedStateBackend<Long> backend = Backends.create(name);
            fill(backend, keys, timers);
            kept.add(Backends.moveIfNamedSo(name, backend));
        }
        double bytes = (double) (usedHeap() - before) / backends / keys;
        Reference.reachabilityFence(kept);
        return bytes;
    }

    /** Loads all classes before the first reading. */
    private static void load(String name, boolean timers) throws Exception {
        HeapKeyedStateBackend<Long> backend = Backends.create(name);
        fill(backend, 1_000, timers);
        Backends.moveIfNamedSo(name, backend);
    }

    private static void fill(HeapKeyedStateBackend<Long> backend, int keys, boolean timers)
            throws Exception {
        if (timers) {
            KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<Long, VoidNamespace>> queue =
                    Backends.timers(backend);
            for (int i = 0; i < keys; i++) {
                queue.add(new TimerHeapInternalTimer<>(i, Backends.key(i), VoidNamespace.INSTANCE));
            }
        } else {
            ValueState<Long> value =
                    backend.getPartitionedState(
                            VoidNamespace.INSTANCE,
                            VoidNamespaceSerializer.INSTANCE,
                            new ValueStateDescriptor<>("value", LongSerializer.INSTANCE));
            for (int i = 0; i < keys; i++) {
                backend.setCurrentKey(Backends.key(i));
                value.update(Long.MIN_VALUE + i);
            }
        }
    }

    private static long usedHeap() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
