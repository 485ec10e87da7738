// SPDX-License-Identifier: Apache-2.0
package io.meces.core.plan;

import java.io.Serializable;
import java.util.BitSet;
import java.util.Map;
import java.util.TreeMap;
import javax.annotation.Nullable;

/** How an elastic vertex stands at one moment. An immutable value. */
public final class VertexLayout implements Serializable {
    private static final long serialVersionUID = 1L;

    private final int parallelism;
    private final int connected;
    private final int subGroups;
    private final Assignment assignment;
    private final Map<Integer, String> activations;
    private final long lastCheckpoint;

    /**
     * @param parallelism what user code is told of a subtask that is deployed now
     * @param connected subtasks 0..connected-1 are connected with their upstreams
     * @param activations what {@link #activation} tells, by subtask
     * @param lastCheckpoint what {@link #lastCheckpoint} tells
     */
    public VertexLayout(
            int parallelism,
            int connected,
            int subGroups,
            Assignment assignment,
            Map<Integer, String> activations,
            long lastCheckpoint) {
        this.parallelism = parallelism;
        this.connected = connected;
        this.subGroups = subGroups;
        this.assignment = assignment;
        this.activations = new TreeMap<>(activations);
        this.lastCheckpoint = lastCheckpoint;
    }

    public int parallelism() {
        return parallelism;
    }

    public int connected() {
        return connected;
    }

    public int subGroups() {
        return subGroups;
    }

    public int keyGroups() {
        return assignment.keyGroups();
    }

    /**
     * What tells apart a subtask that was activated in the running job, and is in no completed
     * checkpoint yet, from all that had its index before; null of all others.
     */
    @Nullable
    public String activation(int subtask) {
        return activations.get(subtask);
    }

    /** Subtasks that are new now bring no barriers of checkpoints up to this one; -1: of none. */
    public long lastCheckpoint() {
        return lastCheckpoint;
    }

    /** The owner of each key-group; a copy. */
    public int[] owners() {
        return assignment.toArray();
    }

    /** The key-groups that a subtask owns; a copy. */
    public BitSet keyGroupsOf(int subtask) {
        BitSet keyGroups = new BitSet(assignment.keyGroups());
        assignment.keyGroupsOf(subtask).forEach(keyGroups::set);
        return keyGroups;
    }
}
