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

package io.meces.runtime.migration;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Knows all that was ever emitted, and with that what has to happen: the oracle. It is told each
 * thing that happens at a subtask and throws a {@link Violation} if it may not.
 */
final class Ledger {

    private static final int NOWHERE = -1;

    private final int keysPerUnit;
    private final int upstreams;

    /** Event times of what was emitted per key and upstream; the index is the sequence number. */
    private final List<List<List<Long>>> emitted = new ArrayList<>();

    private final int[][] processed;

    /** Event times of the broadcast records per upstream; the index is the sequence number. */
    private final List<List<Long>> broadcasts = new ArrayList<>();

    /** The subtask that holds the unit, or {@link #NOWHERE}. */
    private final int[] holder;

    private final Set<SimulatedUnit.Timer> pending = new HashSet<>();
    private int timersFired;

    Ledger(int units, int keysPerUnit, int upstreams) {
        this.keysPerUnit = keysPerUnit;
        this.upstreams = upstreams;
        this.holder = new int[units];
        this.processed = new int[units * keysPerUnit][upstreams];
        for (int key = 0; key < units * keysPerUnit; key++) {
            List<List<Long>> ofKey = new ArrayList<>();
            for (int u = 0; u < upstreams; u++) {
                ofKey.add(new ArrayList<>());
            }
            emitted.add(ofKey);
        }
        for (int u = 0; u < upstreams; u++) {
            broadcasts.add(new ArrayList<>());
        }
        Arrays.fill(holder, NOWHERE);
    }

    SimulatedElement emit(int upstream, int key, long time) {
        List<Long> times = emitted.get(key).get(upstream);
        times.add(time);
        return SimulatedElement.record(upstream, key / keysPerUnit, key, times.size() - 1, time);
    }

    SimulatedElement broadcast(int upstream, long time) {
        List<Long> times = broadcasts.get(upstream);
        times.add(time);
        return SimulatedElement.broadcast(upstream, times.size() - 1, time);
    }

    int broadcasts() {
        return broadcasts.stream().mapToInt(List::size).sum();
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
        check(
                record.time > watermark,
                "%s is late at subtask %d, whose watermark is %d",
                record,
                subtask,
                watermark);
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

    /** All that was broadcast must have come to a subtask and its units. */
    void onQuiet(int subtask, Map<Integer, SimulatedUnit> units, int[] state) {
        for (int u = 0; u < upstreams; u++) {
            int channel = u;
            int all = broadcasts.get(u).size();
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

    void onProcessed(int subtask, SimulatedElement record, long watermark) {
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
        check(
                record.time > watermark,
                "%s is late at subtask %d, whose watermark is %d",
                record,
                subtask,
                watermark);
        next[record.channel]++;
        SimulatedUnit.Timer timer = SimulatedUnit.Timer.of(record);
        if (timer != null) {
            pending.add(timer);
        }
    }

    void onTimer(int subtask, SimulatedUnit.Timer timer) {
        check(pending.remove(timer), "%s fires again at subtask %d", timer, subtask);
        timersFired++;
        for (int u = 0; u < upstreams; u++) {
            List<Long> times = emitted.get(timer.record.key).get(u);
            for (int i = processed[timer.record.key][u]; i < times.size(); i++) {
                check(
                        times.get(i) > timer.time,
                        "%s fires at subtask %d before record %d of channel %d at %d",
                        timer,
                        subtask,
                        i,
                        u,
                        times.get(i));
            }
        }
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
        check(
                state.timers.isEmpty() || state.timers.first().time > watermark,
                "unit %d comes to subtask %d at watermark %d with a timer that is overdue: %s",
                unit,
                subtask,
                watermark,
                state.timers.isEmpty() ? null : state.timers.first());
    }

    int holder(int unit) {
        return holder[unit];
    }

    /** Nothing is left to happen; the watermark is the lowest that upstreams have come to. */
    void onQuiet(long watermark) {
        for (int unit = 0; unit < holder.length; unit++) {
            check(holder[unit] != NOWHERE, "unit %d is lost", unit);
        }
        for (int key = 0; key < processed.length; key++) {
            for (int u = 0; u < upstreams; u++) {
                check(
                        processed[key][u] == emitted.get(key).get(u).size(),
                        "%d of %d records of key %d and channel %d are processed",
                        processed[key][u],
                        emitted.get(key).get(u).size(),
                        key,
                        u);
            }
        }
        for (SimulatedUnit.Timer timer : pending) {
            check(timer.time > watermark, "%s has not fired at watermark %d", timer, watermark);
        }
    }

    void onState(int unit, SimulatedUnit state) {
        SimulatedUnit expected = new SimulatedUnit();
        for (int key = unit * keysPerUnit; key < (unit + 1) * keysPerUnit; key++) {
            for (int u = 0; u < upstreams; u++) {
                List<Long> times = emitted.get(key).get(u);
                for (int i = 0; i < times.size(); i++) {
                    expected.fold(
                            SimulatedElement.record(u, unit, key, i, times.get(i)), upstreams);
                }
            }
        }
        check(state.hasSameFolds(expected), "the state of unit %d is wrong", unit);
        for (SimulatedUnit.Timer timer : state.timers) {
            check(pending.contains(timer), "%s is pending although it has fired", timer);
        }
        long own = pending.stream().filter(t -> t.record.unit == unit).count();
        check(own == state.timers.size(), "unit %d has lost timers", unit);
    }

    int timersFired() {
        return timersFired;
    }

    static void check(boolean condition, String violation, Object... arguments) {
        if (!condition) {
            throw new Violation(String.format(violation, arguments));
        }
    }
}
