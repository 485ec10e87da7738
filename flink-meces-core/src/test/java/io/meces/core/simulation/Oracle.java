// SPDX-License-Identifier: Apache-2.0
package io.meces.core.simulation;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * The sequential model: what the job computes if nothing ever goes wrong, record by record. All
 * state is per key and upstream, so the order between upstreams does not matter. Immutable.
 *
 * <p>Each record has a number, over all upstreams. Output {@code 2 * number} is that of the record,
 * output {@code 2 * number + 1} that of its timer.
 */
final class Oracle {

    private static final int KEYS_PER_UNIT = 2;
    private static final long NO_TIMER = Long.MIN_VALUE;

    private final int upstreams;

    /** By upstream and position: the element, its sequence number filled in. */
    private final List<List<SimulatedElement>> elements = new ArrayList<>();

    /** By key and upstream: the folds after each of its records. */
    private final long[][][] folds;

    /** By number of an output: what it says; timers: their time, if there is one. */
    private final long[] values;

    /** The numbers of records that are late at their source. */
    private final BitSet late = new BitSet();

    private final int records;

    Oracle(Scenario scenario) {
        upstreams = scenario.inputs().size();
        int keys = scenario.settings().keyGroups * scenario.settings().subGroups * KEYS_PER_UNIT;
        List<List<List<Long>>> byKey = new ArrayList<>();
        for (int key = 0; key < keys; key++) {
            List<List<Long>> ofKey = new ArrayList<>();
            for (int u = 0; u < upstreams; u++) {
                ofKey.add(new ArrayList<>());
            }
            byKey.add(ofKey);
        }
        List<Long> valuesSoFar = new ArrayList<>();
        int number = 0;
        for (int u = 0; u < upstreams; u++) {
            List<SimulatedElement> ofUpstream = new ArrayList<>();
            int broadcasts = 0;
            long watermark = Long.MIN_VALUE;
            for (Scenario.Item item : scenario.inputs().get(u)) {
                switch (item.kind) {
                    case RECORD:
                        late.set(number, item.time <= watermark);
                        List<Long> before = byKey.get(item.key).get(u);
                        SimulatedElement record =
                                SimulatedElement.record(
                                        u,
                                        item.key / KEYS_PER_UNIT,
                                        item.key,
                                        before.size(),
                                        number++,
                                        item.time);
                        long last = before.isEmpty() ? 0 : before.get(before.size() - 1);
                        before.add(SimulatedUnit.fold(last, record.sequence, record.time));
                        ofUpstream.add(record);
                        valuesSoFar.add(before.get(before.size() - 1));
                        SimulatedUnit.Timer timer = SimulatedUnit.Timer.of(record);
                        valuesSoFar.add(timer == null ? NO_TIMER : timer.time);
                        break;
                    case BROADCAST:
                        ofUpstream.add(SimulatedElement.broadcast(u, broadcasts++, item.time));
                        break;
                    default:
                        watermark = item.time;
                        ofUpstream.add(SimulatedElement.watermark(u, item.time));
                }
            }
            elements.add(ofUpstream);
        }
        records = number;
        values = valuesSoFar.stream().mapToLong(v -> v).toArray();
        folds = new long[keys][upstreams][];
        for (int key = 0; key < keys; key++) {
            for (int u = 0; u < upstreams; u++) {
                folds[key][u] = byKey.get(key).get(u).stream().mapToLong(f -> f).toArray();
            }
        }
    }

    List<SimulatedElement> elementsOf(int upstream) {
        return elements.get(upstream);
    }

    int upstreams() {
        return upstreams;
    }

    int keys() {
        return folds.length;
    }

    static int unitOf(int key) {
        return key / KEYS_PER_UNIT;
    }

    static int firstKeyOf(int unit) {
        return unit * KEYS_PER_UNIT;
    }

    /** The state of a key after so many of its records of an upstream. */
    long fold(int key, int upstream, int count) {
        return count == 0 ? 0 : folds[key][upstream][count - 1];
    }

    int outputs() {
        return 2 * records;
    }

    /** Whether a record, by its number, is late at its source. */
    boolean isLate(int record) {
        return late.get(record);
    }

    /** Whether the record of a timer's output has a timer. */
    boolean hasTimer(int output) {
        return values[output] != NO_TIMER;
    }

    long valueOf(int output) {
        return values[output];
    }
}
