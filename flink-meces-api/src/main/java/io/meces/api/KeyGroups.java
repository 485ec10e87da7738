// SPDX-License-Identifier: Apache-2.0
package io.meces.api;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import javax.annotation.Nullable;

/**
 * The key-groups of an elastic vertex: who owns them, how busy they are and how much state they
 * have. The index of a list is the key-group, as far as it is not said otherwise. Immutable.
 */
public final class KeyGroups implements Serializable {
    private static final long serialVersionUID = 1L;

    private String id;
    private String name;
    private List<Integer> owners = new ArrayList<>();
    @Nullable private List<Double> recordsPerSecond;
    @Nullable private List<Long> entries;
    @Nullable private List<Long> stateBytes;
    private List<Subtask> subtasks = new ArrayList<>();

    private KeyGroups() {}

    /**
     * @param recordsPerSecond null: not known; as the next ones
     * @param subtasks all that are active, with or without key-groups
     */
    public KeyGroups(
            String id,
            String name,
            List<Integer> owners,
            @Nullable List<Double> recordsPerSecond,
            @Nullable List<Long> entries,
            @Nullable List<Long> stateBytes,
            int subtasks) {
        this.id = id;
        this.name = name;
        this.owners = new ArrayList<>(owners);
        this.recordsPerSecond = recordsPerSecond == null ? null : new ArrayList<>(recordsPerSecond);
        this.entries = entries == null ? null : new ArrayList<>(entries);
        this.stateBytes = stateBytes == null ? null : new ArrayList<>(stateBytes);
        for (int subtask = 0; subtask < subtasks; subtask++) {
            this.subtasks.add(sum(subtask));
        }
    }

    private Subtask sum(int subtask) {
        Subtask sum = new Subtask();
        sum.recordsPerSecond = recordsPerSecond == null ? null : 0.0;
        sum.entries = entries == null ? null : 0L;
        sum.stateBytes = stateBytes == null ? null : 0L;
        for (int keyGroup = 0; keyGroup < owners.size(); keyGroup++) {
            if (owners.get(keyGroup) == subtask) {
                sum.keyGroups++;
                if (recordsPerSecond != null) {
                    sum.recordsPerSecond += recordsPerSecond.get(keyGroup);
                }
                if (entries != null) {
                    sum.entries += entries.get(keyGroup);
                }
                if (stateBytes != null) {
                    sum.stateBytes += stateBytes.get(keyGroup);
                }
            }
        }
        return sum;
    }

    /**
     * The same, with the times that subtasks are busy and under back pressure.
     *
     * @param busy ms per second, by subtask; null in it: not known
     * @param backPressured likewise
     */
    public KeyGroups withTimes(List<Double> busy, List<Double> backPressured) {
        KeyGroups copy =
                new KeyGroups(
                        id, name, owners, recordsPerSecond, entries, stateBytes, subtasks.size());
        for (int subtask = 0; subtask < subtasks.size(); subtask++) {
            copy.subtasks.get(subtask).busyMsPerSecond = busy.get(subtask);
            copy.subtasks.get(subtask).backPressuredMsPerSecond = backPressured.get(subtask);
        }
        return copy;
    }

    /** The id of the job vertex, in hex. */
    public String id() {
        return id;
    }

    public String name() {
        return name;
    }

    /** The subtask that each key-group belongs to. While a step moves it, that is the new one. */
    public List<Integer> owners() {
        return Collections.unmodifiableList(owners);
    }

    /** Records and timers of each key-group per second, in the recent past; null: not known. */
    @Nullable
    public List<Double> recordsPerSecond() {
        return unmodifiable(recordsPerSecond);
    }

    /** Entries of keyed state, and timers, of each key-group; null: not known. */
    @Nullable
    public List<Long> entries() {
        return unmodifiable(entries);
    }

    /** Bytes of each key-group in the last checkpoint; null: there is none, or it does not tell. */
    @Nullable
    public List<Long> stateBytes() {
        return unmodifiable(stateBytes);
    }

    @Nullable
    private static <T> List<T> unmodifiable(@Nullable List<T> list) {
        return list == null ? null : Collections.unmodifiableList(list);
    }

    /** The active subtasks; the index is that of the subtask. */
    public List<Subtask> subtasks() {
        return Collections.unmodifiableList(subtasks);
    }

    /** What the key-groups of a subtask come to, and how it is occupied. Immutable. */
    public static final class Subtask implements Serializable {
        private static final long serialVersionUID = 1L;

        int keyGroups;
        @Nullable Double recordsPerSecond;
        @Nullable Long entries;
        @Nullable Long stateBytes;
        @Nullable Double busyMsPerSecond;
        @Nullable Double backPressuredMsPerSecond;

        Subtask() {}

        /** How many it owns. */
        public int keyGroups() {
            return keyGroups;
        }

        /** The sum over its key-groups; null: not known. */
        @Nullable
        public Double recordsPerSecond() {
            return recordsPerSecond;
        }

        /** The sum over its key-groups; null: not known. */
        @Nullable
        public Long entries() {
            return entries;
        }

        /** The sum over its key-groups; null: not known. */
        @Nullable
        public Long stateBytes() {
            return stateBytes;
        }

        /** How long of a second it works, in ms; null: not measured. */
        @Nullable
        public Double busyMsPerSecond() {
            return busyMsPerSecond;
        }

        /** How long of a second it waits for its consumers, in ms; null: not measured. */
        @Nullable
        public Double backPressuredMsPerSecond() {
            return backPressuredMsPerSecond;
        }
    }
}
