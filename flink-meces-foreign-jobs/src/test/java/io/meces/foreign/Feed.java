// SPDX-License-Identifier: Apache-2.0
package io.meces.foreign;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeoutException;

/**
 * Says how far the sources of one run of a job may go. The records of each source subtask are
 * divided into portions; a portion may begin when it has been opened. So a rescale that begins and
 * ends while a portion is the last open one is amid the records, however long it takes.
 *
 * <p>Found by its name, as the sources are serialised into tasks of this process. Safe for any
 * thread.
 */
final class Feed implements AutoCloseable {

    private static final ConcurrentMap<String, Feed> FEEDS = new ConcurrentHashMap<>();

    final String name = UUID.randomUUID().toString();
    final int portions;
    private final Results results;
    private final Map<String, Integer> reached = new HashMap<>();

    /** By portion. */
    private final TreeMap<Integer, List<CompletableFuture<Void>>> waiting = new TreeMap<>();

    private int expected;
    private int open;

    /**
     * A feed.
     *
     * @param portions at least 1; of them the first is open
     * @param results for which sources wait at the end, if it asks for that
     */
    Feed(int portions, Results results) {
        this.portions = portions;
        this.results = results;
        FEEDS.put(name, this);
    }

    static Feed named(String name) {
        return FEEDS.get(name);
    }

    /** Adds so many source subtasks to those that have to reach a portion. */
    synchronized void expect(int subtasks) {
        expected += subtasks;
    }

    /** Called by a source subtask before the first record of a portion; waits until it is open. */
    synchronized void enter(String subtask, int portion) throws InterruptedException {
        reached.put(subtask, portion);
        notifyAll();
        while (portion > open) {
            wait();
        }
    }

    /**
     * Called by a source subtask that must not wait.
     *
     * @return completes when the portion is open
     */
    synchronized CompletableFuture<Void> whenOpen(String subtask, int portion) {
        reached.merge(subtask, portion, Math::max);
        notifyAll();
        CompletableFuture<Void> opened = new CompletableFuture<>();
        waiting.computeIfAbsent(portion, p -> new ArrayList<>()).add(opened);
        completeOpened();
        return opened;
    }

    private void completeOpened() {
        for (List<CompletableFuture<Void>> opened : waiting.headMap(open, true).values()) {
            opened.forEach(future -> future.complete(null));
            opened.clear();
        }
    }

    /** Called by a source subtask that has emitted all; waits until it may end. */
    void end() throws InterruptedException {
        results.awaitLastOnes();
    }

    /** Whether sources are to leave time between records. */
    synchronized boolean isPaced() {
        return open < portions - 1;
    }

    synchronized void open(int portion) {
        open = Math.max(open, portion);
        completeOpened();
        notifyAll();
    }

    void openAll() {
        open(portions - 1);
    }

    /** Waits until all source subtasks have come to this portion. */
    synchronized void awaitAllIn(int portion, Duration limit)
            throws InterruptedException, TimeoutException {
        long end = System.nanoTime() + limit.toNanos();
        while (reached.size() < expected
                || reached.values().stream().anyMatch(there -> there < portion)) {
            long left = (end - System.nanoTime()) / 1_000_000;
            if (left <= 0) {
                throw new TimeoutException(
                        "Sources have not come to portion " + portion + ": " + reached);
            }
            wait(left);
        }
    }

    /** How many source subtasks have records left that they may not emit yet. */
    synchronized long withRecordsLeft() {
        return open < portions - 1 ? expected : 0;
    }

    @Override
    public void close() {
        openAll();
        FEEDS.remove(name);
    }
}
