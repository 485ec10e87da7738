// SPDX-License-Identifier: Apache-2.0
package io.meces.core.simulation;

import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Compares each thing that happens in one execution of the job, from a start to the next restart,
 * with the {@link Oracle}, and throws a {@link Violation} if it may not happen.
 */
final class Ledger {

    private static final int NOWHERE = -1;

    private final Oracle oracle;
    private final int upstreams;

    /** By key and upstream. */
    private final int[][] emitted;

    private final int[][] processed;

    /** By key: how many results the elastic vertex has emitted. */
    private final int[] results;

    /** By key: how many of them a consumer has read. */
    private final int[] resultsRead;

    /** By key: how many of them the chained sink has written outside. */
    private final int[] resultsWritten;

    /** By upstream. */
    private final int[] broadcasts;

    /** The subtask that holds the unit, or {@link #NOWHERE}. */
    private final int[] holder;

    /** By unit: the last event time that was seen at its keys. */
    private final long[] times;

    private final Set<SimulatedUnit.Timer> pending = new HashSet<>();

    /** By the index of a record: the last watermark that its upstream had emitted before. */
    private final Map<Integer, Long> watermarksBefore = new HashMap<>();

    /**
     * @param start the checkpoint from which the job starts; null: from the beginning
     */
    Ledger(Oracle oracle, int units, Snapshot start) {
        this.oracle = oracle;
        this.upstreams = oracle.upstreams();
        this.holder = new int[units];
        Arrays.fill(holder, NOWHERE);
        this.times = new long[units];
        Arrays.fill(times, Long.MIN_VALUE);
        if (start == null) {
            processed = new int[oracle.keys()][upstreams];
            broadcasts = new int[upstreams];
        } else {
            processed = countByKey(oracle, start.positions);
            broadcasts = countBroadcasts(oracle, start.positions);
            start.units.values().forEach(copies -> pending.addAll(copies.get(0).timers));
        }
        results = new int[processed.length];
        resultsRead = new int[processed.length];
        resultsWritten = new int[processed.length];
        emitted = new int[processed.length][];
        for (int key = 0; key < processed.length; key++) {
            emitted[key] = processed[key].clone();
        }
    }

    private static int[][] countByKey(Oracle oracle, int[] positions) {
        int[][] counts = new int[oracle.keys()][positions.length];
        for (int u = 0; u < positions.length; u++) {
            for (SimulatedElement element : oracle.elementsOf(u).subList(0, positions[u])) {
                if (element.kind == SimulatedElement.Kind.RECORD) {
                    counts[element.key][u]++;
                }
            }
        }
        return counts;
    }

    private static int[] countBroadcasts(Oracle oracle, int[] positions) {
        int[] counts = new int[positions.length];
        for (int u = 0; u < positions.length; u++) {
            for (SimulatedElement element : oracle.elementsOf(u).subList(0, positions[u])) {
                if (element.kind == SimulatedElement.Kind.BROADCAST) {
                    counts[u]++;
                }
            }
        }
        return counts;
    }

    // ------------------------------------------------------------------------
    //  Checkpoints
    // ------------------------------------------------------------------------

    /** A checkpoint must be what the sequential model is at the positions of its sources. */
    static void onCheckpoint(
            Oracle oracle, int units, Snapshot snapshot, Results chained, Results consumed) {
        int[][] counts = countByKey(oracle, snapshot.positions);
        int[] all = countBroadcasts(oracle, snapshot.positions);
        byte[] outputs = expectedOutputs(oracle, snapshot.positions);
        long records = 0;
        for (int unit = 0; unit < units; unit++) {
            List<SimulatedUnit> copies = snapshot.units.get(unit);
            check(copies != null, "unit %d is missing in checkpoint %d", unit, snapshot.id);
            check(copies.size() == 1, "unit %d is twice in checkpoint %d", unit, snapshot.id);
            SimulatedUnit state = copies.get(0);
            checkFolds(oracle, unit, state, counts, "in checkpoint " + snapshot.id);
            for (int u = 0; u < all.length; u++) {
                check(
                        state.broadcasts.getOrDefault(u, 0) == all[u],
                        "%d of %d broadcast records of channel %d are applied to unit %d in"
                                + " checkpoint %d",
                        state.broadcasts.getOrDefault(u, 0),
                        all[u],
                        u,
                        unit,
                        snapshot.id);
            }
            for (SimulatedUnit.Timer timer : state.timers) {
                outputs[2 * timer.record.index + 1] = 0;
            }
        }
        for (int[] ofKey : counts) {
            records += Arrays.stream(ofKey).sum();
        }
        snapshot.broadcastStates.forEach(
                (subtask, state) ->
                        check(
                                Arrays.equals(state, all),
                                "the broadcast state of subtask %d is %s instead of %s in"
                                        + " checkpoint %d",
                                subtask,
                                Arrays.toString(state),
                                Arrays.toString(all),
                                snapshot.id));
        check(
                snapshot.listState() == records,
                "the list state is %d instead of %d in checkpoint %d",
                snapshot.listState(),
                records,
                snapshot.id);
        check(
                new HashSet<>(snapshot.listFormats.values()).size() <= 1,
                "the list state is written in different formats in checkpoint %d: %s",
                snapshot.id,
                snapshot.listFormats);
        String when = "with checkpoint " + snapshot.id;
        chained.check(outputs, snapshot.transactions, when);
        consumed.check(outputs, snapshot.transactions, when);
    }

    /** Outputs of the records before some positions, and of their timers. */
    private static byte[] expectedOutputs(Oracle oracle, int[] positions) {
        byte[] outputs = new byte[oracle.outputs()];
        for (int u = 0; u < positions.length; u++) {
            for (SimulatedElement element : oracle.elementsOf(u).subList(0, positions[u])) {
                if (element.kind == SimulatedElement.Kind.RECORD) {
                    outputs[2 * element.index] = 1;
                    if (SimulatedUnit.Timer.of(element) != null) {
                        outputs[2 * element.index + 1] = 1;
                    }
                }
            }
        }
        return outputs;
    }

    private static void checkFolds(
            Oracle oracle, int unit, SimulatedUnit state, int[][] counts, String when) {
        for (int key = Oracle.firstKeyOf(unit); key < Oracle.firstKeyOf(unit + 1); key++) {
            long[] folds = state.folds.get(key);
            for (int u = 0; u < counts[key].length; u++) {
                check(
                        (folds == null ? 0 : folds[u]) == oracle.fold(key, u, counts[key][u]),
                        "the state of key %d (unit %d) is not that of %d records of channel %d %s",
                        key,
                        unit,
                        counts[key][u],
                        u,
                        when);
            }
        }
    }

    // ------------------------------------------------------------------------
    //  Events
    // ------------------------------------------------------------------------

    /**
     * @param watermark the one before it; {@link Long#MIN_VALUE} if there is none
     */
    void onEmitted(SimulatedElement record, long watermark) {
        emitted[record.key][record.channel]++;
        if (upstreams == 1) {
            watermarksBefore.put(record.index, watermark);
        }
    }

    void onBroadcastEmitted(SimulatedElement record) {
        broadcasts[record.channel]++;
    }

    /**
     * @param units those that the subtask holds
     * @param state how many of each channel are in the broadcast state of the subtask
     */
    void onBroadcast(
            int subtask,
            SimulatedElement record,
            long watermark,
            Map<Integer, SimulatedUnit> units,
            int[] state) {
        int c = record.channel;
        check(
                state[c] == record.sequence,
                "subtask %d processes %s of channel %d instead of number %d",
                subtask,
                record,
                c,
                state[c]);
        checkNotLate(subtask, record, watermark);
        units.forEach(
                (unit, held) ->
                        check(
                                held.broadcasts.getOrDefault(c, 0) == record.sequence,
                                "subtask %d applies %s of channel %d to unit %d instead of number"
                                        + " %d",
                                subtask,
                                record,
                                c,
                                unit,
                                held.broadcasts.getOrDefault(c, 0)));
    }

    private static void checkNotLate(int subtask, SimulatedElement record, long time) {
        check(
                record.time > time,
                "%s is late at subtask %d, where it is %d",
                record,
                subtask,
                time);
    }

    /** The keys of a unit are at an event time, whatever is decided by that. */
    void onTime(int subtask, int unit, long time) {
        check(
                time >= times[unit],
                "event time of unit %d goes back from %d to %d at subtask %d",
                unit,
                times[unit],
                time,
                subtask);
        times[unit] = time;
    }

    /**
     * @param time the event time of the key
     */
    void onProcessed(int subtask, SimulatedElement record, long time) {
        check(
                holder[record.unit] == subtask,
                "subtask %d processes %s, but the unit is at %d",
                subtask,
                record,
                holder[record.unit]);
        int[] next = processed[record.key];
        check(
                next[record.channel] == record.sequence,
                "subtask %d processes %s of channel %d instead of number %d",
                subtask,
                record,
                record.channel,
                next[record.channel]);
        onTime(subtask, record.unit, time);
        if (!oracle.isLate(record.index)) {
            checkNotLate(subtask, record, time);
        }
        if (upstreams == 1) {
            check(
                    time == watermarksBefore.get(record.index),
                    "%s is processed at time %d at subtask %d instead of %d",
                    record,
                    time,
                    subtask,
                    watermarksBefore.get(record.index));
        }
        next[record.channel]++;
        SimulatedUnit.Timer timer = SimulatedUnit.Timer.of(record);
        if (timer != null) {
            pending.add(timer);
        }
    }

    /**
     * @param time the event time of the key
     */
    void onTimer(int subtask, SimulatedUnit.Timer timer, long time) {
        onTime(subtask, timer.record.unit, time);
        check(timer.time <= time, "%s fires at subtask %d, where it is %d", timer, subtask, time);
        check(pending.remove(timer), "%s fires again at subtask %d", timer, subtask);
        int key = timer.record.key;
        for (int u = 0; u < upstreams; u++) {
            int behind = emitted[key][u] - processed[key][u];
            List<SimulatedElement> elements = behind == 0 ? null : oracle.elementsOf(u);
            for (int i = 0; behind > 0; i++) {
                SimulatedElement element = elements.get(i);
                if (element.key == key && element.sequence >= processed[key][u]) {
                    behind--;
                    check(
                            element.time > timer.time || oracle.isLate(element.index),
                            "%s fires at subtask %d before %s of channel %d",
                            timer,
                            subtask,
                            element,
                            u);
                }
            }
        }
    }

    /** The elastic vertex emits a result; returns which one of its key it is. */
    int onResult(int key) {
        return results[key]++;
    }

    /** A consumer reads a result: those of a key as they were emitted, whoever has emitted them. */
    void onResultRead(String consumer, SimulatedElement output) {
        check(
                resultsRead[output.key] == output.sequence,
                "%s reads %s, number %d of its key, instead of number %d",
                consumer,
                output,
                output.sequence,
                resultsRead[output.key]);
        resultsRead[output.key]++;
    }

    /** A chained sink writes a result outside: those of a key as they were emitted, too. */
    void onWritten(String sink, SimulatedElement output) {
        check(
                resultsWritten[output.key] == output.sequence,
                "%s writes %s outside, number %d of its key, instead of number %d",
                sink,
                output,
                output.sequence,
                resultsWritten[output.key]);
        resultsWritten[output.key]++;
    }

    void onExtracted(int subtask, int unit) {
        check(
                holder[unit] == subtask,
                "subtask %d gives unit %d, which is at %d",
                subtask,
                unit,
                holder[unit]);
        holder[unit] = NOWHERE;
    }

    void onInstalled(int subtask, int unit, SimulatedUnit state, long watermark) {
        check(
                holder[unit] == NOWHERE,
                "subtask %d gets unit %d, which is at %d",
                subtask,
                unit,
                holder[unit]);
        holder[unit] = subtask;
        for (SimulatedUnit.Timer timer : state.timers) {
            check(
                    timer.time > watermark || isOfLateRecord(timer),
                    "unit %d comes to subtask %d at watermark %d with a timer that is overdue: %s",
                    unit,
                    subtask,
                    watermark,
                    timer);
        }
    }

    /** Whether it may have been due when it was registered. It fires with the next watermark. */
    boolean isOfLateRecord(SimulatedUnit.Timer timer) {
        return oracle.isLate(timer.record.index);
    }

    // ------------------------------------------------------------------------
    //  Rest
    // ------------------------------------------------------------------------

    /**
     * Nothing is left to happen.
     *
     * @param watermark the lowest that upstreams have come to
     * @param units all units, by number
     */
    void onQuiet(long watermark, Map<Integer, SimulatedUnit> units) {
        for (int unit = 0; unit < holder.length; unit++) {
            check(holder[unit] != NOWHERE, "unit %d is lost", unit);
        }
        for (int key = 0; key < processed.length; key++) {
            for (int u = 0; u < upstreams; u++) {
                check(
                        processed[key][u] == emitted[key][u],
                        "%d of %d records of key %d and channel %d are processed",
                        processed[key][u],
                        emitted[key][u],
                        key,
                        u);
            }
        }
        for (int key = 0; key < results.length; key++) {
            check(
                    resultsRead[key] == results[key],
                    "%d of %d results of key %d have been read",
                    resultsRead[key],
                    results[key],
                    key);
            check(
                    resultsWritten[key] == results[key],
                    "%d of %d results of key %d have been written outside",
                    resultsWritten[key],
                    results[key],
                    key);
        }
        for (SimulatedUnit.Timer timer : pending) {
            check(
                    timer.time > watermark || isOfLateRecord(timer),
                    "%s has not fired at watermark %d",
                    timer,
                    watermark);
        }
        int timers = 0;
        for (int unit = 0; unit < holder.length; unit++) {
            SimulatedUnit state = units.get(unit);
            checkFolds(oracle, unit, state, processed, "at rest");
            timers += state.timers.size();
            for (SimulatedUnit.Timer timer : state.timers) {
                check(pending.contains(timer), "%s is pending although it has fired", timer);
            }
        }
        check(timers == pending.size(), "timers are lost");
    }

    /** Nothing is left to happen: all that was broadcast has come to a subtask and its units. */
    void onQuiet(int subtask, Map<Integer, SimulatedUnit> units, int[] state) {
        for (int u = 0; u < upstreams; u++) {
            int channel = u;
            int all = broadcasts[u];
            check(
                    state[u] == all,
                    "%d of %d broadcast records of channel %d are in the state of subtask %d",
                    state[u],
                    all,
                    u,
                    subtask);
            units.forEach(
                    (unit, held) ->
                            check(
                                    held.broadcasts.getOrDefault(channel, 0) == all,
                                    "%d of %d broadcast records of channel %d are applied to unit"
                                            + " %d",
                                    held.broadcasts.getOrDefault(channel, 0),
                                    all,
                                    channel,
                                    unit));
        }
    }

    static void check(boolean condition, String violation, Object... arguments) {
        if (!condition) {
            throw new Violation(String.format(violation, arguments));
        }
    }
}
