// SPDX-License-Identifier: Apache-2.0
package io.meces.core.simulation;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;

/** The keyed state of one unit: per key what it has seen of each upstream, and pending timers. */
final class SimulatedUnit {

    /** Folded sequence numbers; the outer key is that of the records, the index the upstream. */
    final Map<Integer, long[]> folds = new HashMap<>();

    /** Per broadcast upstream: how many of its records have been applied to this unit. */
    final Map<Integer, Integer> broadcasts = new HashMap<>();

    final TreeSet<Timer> timers = new TreeSet<>();

    /** Timers of keys whose data is not here, where it comes apart from the unit. */
    final TreeSet<Timer> asleep = new TreeSet<>();

    /** Keys whose data is not here. */
    final TreeSet<Integer> missing = new TreeSet<>();

    SimulatedUnit copy() {
        SimulatedUnit copy = new SimulatedUnit();
        folds.forEach((key, fold) -> copy.folds.put(key, fold.clone()));
        copy.broadcasts.putAll(broadcasts);
        copy.timers.addAll(timers);
        return copy;
    }

    /** What there is without the data of its keys. */
    SimulatedUnit withoutData() {
        SimulatedUnit copy = new SimulatedUnit();
        copy.timers.addAll(timers);
        return copy;
    }

    void write(DataOutputStream out) throws IOException {
        out.writeInt(folds.size());
        for (Map.Entry<Integer, long[]> fold : folds.entrySet()) {
            out.writeInt(fold.getKey());
            out.writeInt(fold.getValue().length);
            for (long ofUpstream : fold.getValue()) {
                out.writeLong(ofUpstream);
            }
        }
        out.writeInt(broadcasts.size());
        for (Map.Entry<Integer, Integer> count : broadcasts.entrySet()) {
            out.writeInt(count.getKey());
            out.writeInt(count.getValue());
        }
        out.writeInt(timers.size());
        for (Timer timer : timers) {
            out.writeLong(timer.time);
            timer.record.write(out);
        }
    }

    /** The counterpart of {@link #write}. */
    static SimulatedUnit read(DataInputStream in) throws IOException {
        SimulatedUnit unit = new SimulatedUnit();
        for (int n = in.readInt(); n > 0; n--) {
            int key = in.readInt();
            long[] fold = new long[in.readInt()];
            for (int u = 0; u < fold.length; u++) {
                fold[u] = in.readLong();
            }
            unit.folds.put(key, fold);
        }
        for (int n = in.readInt(); n > 0; n--) {
            unit.broadcasts.put(in.readInt(), in.readInt());
        }
        for (int n = in.readInt(); n > 0; n--) {
            unit.timers.add(new Timer(in.readLong(), SimulatedElement.read(in)));
        }
        return unit;
    }

    /** Returns what it has become. */
    long fold(SimulatedElement record, int upstreams) {
        long[] fold = folds.computeIfAbsent(record.key, k -> new long[upstreams]);
        fold[record.channel] = fold(fold[record.channel], record.sequence, record.time);
        return fold[record.channel];
    }

    static long fold(long before, int sequence, long time) {
        return (before * 31 + sequence + 1) * 31 + time;
    }

    /** An event-time timer that a record has registered for its key. */
    static final class Timer implements Comparable<Timer> {
        private static final Comparator<Timer> ORDER =
                Comparator.<Timer>comparingLong(t -> t.time)
                        .thenComparingInt(t -> t.record.key)
                        .thenComparingInt(t -> t.record.channel)
                        .thenComparingInt(t -> t.record.sequence);

        final long time;
        final SimulatedElement record;

        private Timer(long time, SimulatedElement record) {
            this.time = time;
            this.record = record;
        }

        /** The timer that a record registers; null for most. */
        static Timer of(SimulatedElement record) {
            if (record.sequence % 2 != 0) {
                return null;
            }
            int delay = Math.floorMod(record.key * 7 + record.sequence * 5 + record.channel, 40);
            return new Timer(record.time + delay, record);
        }

        @Override
        public int compareTo(Timer other) {
            return ORDER.compare(this, other);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Timer && compareTo((Timer) other) == 0;
        }

        @Override
        public int hashCode() {
            return Long.hashCode(time) * 31 + record.sequence;
        }

        @Override
        public String toString() {
            return "timer at " + time + " of " + record;
        }
    }
}
