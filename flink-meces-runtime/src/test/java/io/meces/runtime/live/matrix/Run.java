// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live.matrix;

import io.meces.runtime.live.Ledger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * One execution of a scenario's job, as its sources, functions and sink in this process share it
 * with the test: how far the sources may go, what came out, and a clock. Found by its name.
 *
 * <p>Safe for any thread.
 */
final class Run {

    private static final ConcurrentMap<String, Run> ALL = new ConcurrentHashMap<>();

    final String name;

    /** Sources emit records up to this position. */
    private volatile int limit;

    private volatile boolean paced;

    /** In milliseconds; the time of state that expires. */
    private volatile long clock = Scenario.CLOCK_AT_START;

    private final int linesToAwait;
    private volatile int sources;
    private final AtomicIntegerArray emitted = new AtomicIntegerArray(2 * Feed.SUBTASKS);
    private final List<String> lines = Collections.synchronizedList(new ArrayList<>());
    private final ConcurrentMap<Long, Integer> linesAtCheckpoints = new ConcurrentHashMap<>();

    /** A run whose sources go to their end once there are so many lines. */
    Run(String name, int linesToAwait) {
        this.name = name;
        this.linesToAwait = linesToAwait;
        if (ALL.putIfAbsent(name, this) != null) {
            throw new IllegalArgumentException("run twice: " + name);
        }
    }

    static Run named(String name) {
        return ALL.get(name);
    }

    /** Lets the sources go on to a position, at full speed or slowly. */
    void open(int position, boolean slowly) {
        paced = slowly;
        limit = position;
    }

    int limit() {
        return limit;
    }

    boolean isPaced() {
        return paced;
    }

    void emitted(int source, int position) {
        emitted.accumulateAndGet(source, position, Math::max);
    }

    /** A job has so many source subtasks. */
    void setSources(int number) {
        sources = number;
    }

    /** Waits until all sources have come to a position. */
    void awaitEmitted(int position, Check meanwhile) throws Exception {
        await("position " + position, () -> emittedByAll() >= position, meanwhile);
    }

    private int emittedByAll() {
        int least = Integer.MAX_VALUE;
        for (int i = 0; i < sources; i++) {
            least = Math.min(least, emitted.get(i));
        }
        return least;
    }

    private void await(String what, Ledger.Condition condition, Check meanwhile) throws Exception {
        Ledger.awaitOrFail(
                name + ": " + what,
                () -> {
                    if (condition.holds()) {
                        return true;
                    }
                    meanwhile.check();
                    return false;
                });
    }

    /** Throws if waiting is in vain. */
    interface Check {
        void check() throws Exception;
    }

    long clock() {
        return clock;
    }

    void setClock(long time) {
        clock = time;
    }

    boolean mayEnd() {
        return lines.size() >= linesToAwait;
    }

    void line(String line) {
        lines.add(line);
    }

    void checkpoint(long id) {
        linesAtCheckpoints.put(id, lines.size());
    }

    /** Waits until everything that was emitted before this call has been processed. */
    void awaitProcessed(Check meanwhile) throws Exception {
        // the barrier that comes next may have left the sources already
        int checkpoints = linesAtCheckpoints.size() + 2;
        await("checkpoints", () -> linesAtCheckpoints.size() >= checkpoints, meanwhile);
    }

    List<String> lines() {
        synchronized (lines) {
            return new ArrayList<>(lines);
        }
    }

    /** What came out before the barrier of a checkpoint. */
    List<String> linesUntil(long checkpoint) {
        return lines().subList(0, linesAtCheckpoints.get(checkpoint));
    }
}
