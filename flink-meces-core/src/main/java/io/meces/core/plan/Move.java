// SPDX-License-Identifier: Apache-2.0
package io.meces.core.plan;

import java.io.Serializable;

/** A key-group goes from one subtask to another. Immutable, for any thread. */
public final class Move implements Serializable {
    private static final long serialVersionUID = 1L;

    private final int keyGroup;
    private final int from;
    private final int to;

    public Move(int keyGroup, int from, int to) {
        if (keyGroup < 0 || from < 0 || to < 0) {
            throw new IllegalArgumentException(
                    "Key-groups and subtasks are numbered from 0: key-group "
                            + keyGroup
                            + " from subtask "
                            + from
                            + " to subtask "
                            + to
                            + ".");
        }
        if (from == to) {
            throw new IllegalArgumentException(
                    "Key-group " + keyGroup + " cannot move from subtask " + from + " to itself.");
        }
        this.keyGroup = keyGroup;
        this.from = from;
        this.to = to;
    }

    public int keyGroup() {
        return keyGroup;
    }

    /** The subtask that gives the key-group. */
    public int from() {
        return from;
    }

    /** The subtask that takes the key-group. */
    public int to() {
        return to;
    }

    @Override
    public boolean equals(Object other) {
        if (!(other instanceof Move)) {
            return false;
        }
        Move that = (Move) other;
        return keyGroup == that.keyGroup && from == that.from && to == that.to;
    }

    @Override
    public int hashCode() {
        return (31 * keyGroup + from) * 31 + to;
    }

    @Override
    public String toString() {
        return keyGroup + ": " + from + " -> " + to;
    }
}
