// SPDX-License-Identifier: Apache-2.0
package io.meces.core.plan;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * How busy each key-group of a vertex is, as its subtasks have measured it. Immutable, for any
 * thread.
 */
public final class VertexLoad {

    private static final VertexLoad UNKNOWN = new VertexLoad(new double[0], new long[0]);

    private final double[] recordsPerSecond;
    private final long[] entries;

    private VertexLoad(double[] recordsPerSecond, long[] entries) {
        this.recordsPerSecond = recordsPerSecond;
        this.entries = entries;
    }

    /** Nothing has been measured: all key-groups count as equal. */
    public static VertexLoad unknown() {
        return UNKNOWN;
    }

    /**
     * What has been measured; the index is the key-group, the arrays are copied.
     *
     * @throws IllegalArgumentException if the arrays are of different length, or empty, or
     *     something in them is negative or no number
     */
    public static VertexLoad of(double[] recordsPerSecond, long[] entries) {
        if (recordsPerSecond.length != entries.length || entries.length == 0) {
            throw new IllegalArgumentException(
                    "The rates of "
                            + recordsPerSecond.length
                            + " and the entries of "
                            + entries.length
                            + " key-groups are no load.");
        }
        for (int keyGroup = 0; keyGroup < entries.length; keyGroup++) {
            boolean possible =
                    recordsPerSecond[keyGroup] >= 0
                            && recordsPerSecond[keyGroup] < Double.POSITIVE_INFINITY
                            && entries[keyGroup] >= 0;
            if (!possible) {
                throw new IllegalArgumentException(
                        "Key-group "
                                + keyGroup
                                + " cannot have "
                                + recordsPerSecond[keyGroup]
                                + " records per second and "
                                + entries[keyGroup]
                                + " entries.");
            }
        }
        return new VertexLoad(recordsPerSecond.clone(), entries.clone());
    }

    /** Whether it has been measured. */
    public boolean isKnown() {
        return entries.length > 0;
    }

    /** Records and timers of the key-group that were processed per second; 0 if unknown. */
    public double recordsPerSecond(int keyGroup) {
        return isKnown() ? recordsPerSecond[keyGroup] : 0;
    }

    /** Entries of keyed state and timers that the key-group has; 0 if unknown. */
    public long entries(int keyGroup) {
        return isKnown() ? entries[keyGroup] : 0;
    }

    /** Records and timers per second of each subtask under an assignment. */
    public List<Double> perSubtask(Assignment assignment) {
        double[] sums = new double[assignment.parallelism()];
        for (int keyGroup = 0; keyGroup < assignment.keyGroups(); keyGroup++) {
            sums[assignment.owner(keyGroup)] += recordsPerSecond(keyGroup);
        }
        return IntStream.range(0, sums.length).mapToObj(i -> sums[i]).collect(Collectors.toList());
    }
}
