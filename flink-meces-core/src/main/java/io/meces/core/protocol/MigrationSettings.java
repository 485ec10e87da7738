// SPDX-License-Identifier: Apache-2.0
package io.meces.core.protocol;

import io.meces.core.exchange.FlowControl;
import io.meces.core.waiting.ReadAheadMemory;

/** What does not change in the life of an elastic subtask. An immutable value. */
public final class MigrationSettings {

    final int subtask;
    final int keyGroups;
    final int subGroups;
    final MigrationOrder order;
    final FlowControl flowControl;
    final Pace pace;
    final ReadAheadMemory.Share memory;

    /**
     * @param subtask the index of the subtask
     * @param keyGroups the number of key-groups (max parallelism)
     * @param subGroups the number of sub-groups per key-group
     * @param order in which order units leave
     * @param memory for what it reads ahead
     */
    public MigrationSettings(
            int subtask,
            int keyGroups,
            int subGroups,
            MigrationOrder order,
            FlowControl flowControl,
            Pace pace,
            ReadAheadMemory.Share memory) {
        this.subtask = subtask;
        this.keyGroups = keyGroups;
        this.subGroups = subGroups;
        this.order = order;
        this.flowControl = flowControl;
        this.pace = pace;
        this.memory = memory;
    }

    /** How many units there are. */
    int units() {
        return Math.multiplyExact(keyGroups, subGroups);
    }

    /** How much is done at a time. An immutable value. */
    public static final class Pace {

        /**
         * That of tasks. While they read ahead, others wait for that, and processing may be slow;
         * otherwise it balances records and units in the background.
         */
        public static final Pace OF_TASKS =
                new Pace(10_000_000, 250_000, 20_000_000, new Turn(256, 1), new Turn(16, 16));

        final int maxBacklog;
        public final long mailNanos;
        final long turnNanos;
        final Turn ahead;
        final Turn usual;

        /**
         * @param maxBacklog how many elements that have been read and wait end reading ahead
         * @param mailNanos how long a mail pushes units or works on the backlog before records get
         *     their turn
         * @param turnNanos for how long a turn reads ahead at most when mails have taken long
         * @param ahead a turn while it reads ahead
         * @param usual any other turn
         */
        public Pace(int maxBacklog, long mailNanos, long turnNanos, Turn ahead, Turn usual) {
            this.maxBacklog = maxBacklog;
            this.mailNanos = mailNanos;
            this.turnNanos = turnNanos;
            this.ahead = ahead;
            this.usual = usual;
        }
    }

    /** What is done at most before mails get their turn. An immutable value. */
    public static final class Turn {
        final int reads;
        final int processes;

        /**
         * @param reads elements that are read
         * @param processes elements of the backlog that are processed after that
         */
        public Turn(int reads, int processes) {
            this.reads = reads;
            this.processes = processes;
        }
    }
}
