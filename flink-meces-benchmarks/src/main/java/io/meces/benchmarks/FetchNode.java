// SPDX-License-Identifier: Apache-2.0
package io.meces.benchmarks;

import io.meces.core.command.TaskCommand;
import java.util.Map;

/** A TaskManager as far as units travel between them: a transition service and tasks. */
interface FetchNode {

    /**
     * Starts a transition service and its tasks, in the place of those before.
     *
     * @param configuration of the TaskManager
     * @param subtasks of the tasks: 0 gives, 1 receives
     * @param fetchedBytes size of a unit that is fetched
     * @param backgroundBytes size of a unit that goes in the background
     */
    void open(
            Map<String, String> configuration,
            int[] subtasks,
            int fetchedBytes,
            int backgroundBytes)
            throws Exception;

    /** How a task is reached. */
    TaskCommand.Peer peer(int subtask) throws Exception;

    /** Tells a task who its peer is. */
    void meet(int subtask, TaskCommand.Peer peer) throws Exception;

    /** Fetches units by the task; see {@link ExchangeTask#fetch}. */
    ExchangeTask.Times fetch(int subtask, int times, long intervalNanos) throws Exception;

    /** Begins to push units, or stops, by the task; see {@link ExchangeTask#push}. */
    void push(int subtask, long units, long nanosPerUnit) throws Exception;

    /** Waits until all units that are pushed are confirmed, two minutes at most. */
    void awaitPushed() throws Exception;

    /** What has been counted. */
    Counts counts() throws Exception;

    /** Collects the garbage, so that what one turn has left does not stop the next. */
    void collectGarbage() throws Exception;

    /** Stops the service. */
    void close() throws Exception;

    /** Counters of a node. */
    final class Counts implements java.io.Serializable {
        private static final long serialVersionUID = 1L;

        /** Messages that left for another node. */
        final long messages;

        /** Flushes of a channel. */
        final long flushes;

        /** Messages that were sent again. */
        final long repeated;

        /** Calls of {@code write} and the like by the process, wake-ups of threads included. */
        final long writeCalls;

        /** Bytes of units that came in the background and were installed. */
        final long bytesInstalled;

        /** How long the garbage collector has stopped the process, in milliseconds. */
        final long pauseMillis;

        /** How long the JIT compilers have worked, in milliseconds. */
        final long compilerMillis;

        Counts(
                long messages,
                long flushes,
                long repeated,
                long writeCalls,
                long bytesInstalled,
                long pauseMillis,
                long compilerMillis) {
            this.messages = messages;
            this.flushes = flushes;
            this.repeated = repeated;
            this.writeCalls = writeCalls;
            this.bytesInstalled = bytesInstalled;
            this.pauseMillis = pauseMillis;
            this.compilerMillis = compilerMillis;
        }

        Counts minus(Counts before) {
            return new Counts(
                    messages - before.messages,
                    flushes - before.flushes,
                    repeated - before.repeated,
                    writeCalls - before.writeCalls,
                    bytesInstalled - before.bytesInstalled,
                    pauseMillis - before.pauseMillis,
                    compilerMillis - before.compilerMillis);
        }
    }
}
