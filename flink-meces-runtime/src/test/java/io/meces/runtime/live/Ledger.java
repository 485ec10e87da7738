// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import org.apache.flink.api.java.tuple.Tuple2;

/**
 * What a test and its job share; the job runs in the same JVM. Any thread.
 *
 * <p>Each source subtask gives each key the sequence numbers 0, 1, 2, …, so the result of every
 * record of a job that is never rescaled is known: {@link #expectedState}.
 */
public final class Ledger {

    private static final ConcurrentMap<String, Ledger> ALL = new ConcurrentHashMap<>();
    private static final AtomicInteger NAMES = new AtomicInteger();

    /** Without a result for so long a job is taken to stand still. */
    private static final long STALLED_MS = 120_000;

    private static final long LIMIT_MS = 300_000;

    final String name = "ledger-" + NAMES.incrementAndGet();

    /** Records per second and source subtask; may be changed while the job runs. */
    public volatile int rate = 5_000;

    /** How long the counter takes for a record. */
    volatile long workNanos;

    /** How long a consumer of the counter takes for a result. */
    volatile long consumerWorkNanos;

    volatile boolean failOnce;
    final AtomicBoolean failed = new AtomicBoolean();

    /** Sources emit nothing while set. */
    volatile boolean paused;

    final AtomicLongArray emitted = new AtomicLongArray(8);
    final AtomicLong results = new AtomicLong();
    final AtomicIntegerArray resultsBySubtask = new AtomicIntegerArray(256);
    final AtomicLong late = new AtomicLong();

    /** The highest that has come to a sink. */
    final AtomicLong watermark = new AtomicLong(Long.MIN_VALUE);

    final AtomicLong timersRegistered = new AtomicLong();
    final AtomicLong timersFired = new AtomicLong();
    final ConcurrentMap<Integer, Integer> parallelismSeen = new ConcurrentHashMap<>();

    /** The subtask of a consumer by key and source, as {@link BroadcastResults} has seen first. */
    final ConcurrentMap<Tuple2<Integer, Integer>, Integer> consumers = new ConcurrentHashMap<>();

    /** Per (source, key): how often each sequence number came out. */
    private final ConcurrentMap<Long, List<Integer>> seen = new ConcurrentHashMap<>();

    private final List<String> violations = Collections.synchronizedList(new ArrayList<>());

    public Ledger() {
        ALL.put(name, this);
    }

    static Ledger named(String name) {
        return ALL.get(name);
    }

    /** A state that depends on the order of the records 0..seq of a key and a source. */
    static long expectedState(long seq) {
        long state = 17;
        for (long i = 0; i <= seq; i++) {
            state = nextState(state, i);
        }
        return state;
    }

    static long nextState(long state, long seq) {
        return state * 31 + seq;
    }

    /** Keeps the thread busy for {@link #workNanos}. */
    void work() {
        work(workNanos);
    }

    /** Keeps the thread busy for {@link #consumerWorkNanos}. */
    void workAtConsumer() {
        work(consumerWorkNanos);
    }

    private static void work(long nanos) {
        if (nanos > 0) {
            long end = System.nanoTime() + nanos;
            while (System.nanoTime() < end) {
                Thread.yield();
            }
        }
    }

    void violation(String what) {
        if (violations.size() < 20) {
            violations.add(what);
        }
    }

    void result(int source, int key, long seq, long state, int subtask) {
        List<Integer> times =
                seen.computeIfAbsent(
                        (long) source << 32 | key,
                        k -> Collections.synchronizedList(new ArrayList<>()));
        synchronized (times) {
            while (times.size() <= seq) {
                times.add(0);
            }
            times.set((int) seq, times.get((int) seq) + 1);
        }
        results.incrementAndGet();
        resultsBySubtask.incrementAndGet(subtask);
    }

    /** What is wrong with the results so far, given what the sources have emitted. */
    Verdict verdict() {
        long distinct = 0;
        long duplicated = 0;
        long holes = 0;
        for (Map.Entry<Long, List<Integer>> e : seen.entrySet()) {
            synchronized (e.getValue()) {
                for (int times : e.getValue()) {
                    distinct += times > 0 ? 1 : 0;
                    duplicated += times > 1 ? 1 : 0;
                    holes += times == 0 ? 1 : 0;
                }
            }
        }
        long total = 0;
        for (int i = 0; i < emitted.length(); i++) {
            total += emitted.get(i);
        }
        return new Verdict(total, distinct, duplicated, holes, new ArrayList<>(violations));
    }

    /**
     * Stops the sources and waits until everything that they emitted has come out, as long as
     * something comes.
     */
    public Verdict settle() throws Exception {
        paused = true;
        Verdict now = verdict();
        boolean more = true;
        while (more && !now.isSettled()) {
            long before = now.distinct;
            more = await(() -> verdict().isSettled() || verdict().distinct > before, STALLED_MS);
            now = verdict();
        }
        return now;
    }

    /** After {@link #settle}: the sources go on. */
    public void resume() {
        paused = false;
    }

    /** Waits as long as something comes. */
    public void awaitResults(long more) throws Exception {
        long target = results.get() + more;
        while (results.get() < target && violations.isEmpty()) {
            long before = results.get();
            if (!await(() -> results.get() > before || !violations.isEmpty(), STALLED_MS)) {
                throw new TimeoutException(
                        "None within " + STALLED_MS + " ms of " + more + " more results");
            }
        }
    }

    /**
     * Waits for a condition, in vain or not, for no longer than a limit.
     *
     * @return whether it held
     */
    public static boolean await(Condition condition, long limitMs) throws Exception {
        long deadline = System.nanoTime() + limitMs * 1_000_000;
        while (!condition.holds()) {
            if (System.nanoTime() > deadline) {
                return false;
            }
            if (Thread.interrupted()) {
                // the limit of a whole test
                throw new InterruptedException();
            }
            java.util.concurrent.locks.LockSupport.parkNanos(2_000_000);
        }
        return true;
    }

    /** Waits for what must come, on a machine that is as busy as may be. */
    public static void awaitOrFail(String what, Condition condition) throws Exception {
        if (!await(condition, LIMIT_MS)) {
            throw new TimeoutException("Not within " + LIMIT_MS + " ms: " + what);
        }
    }

    /** Something to wait for. */
    public interface Condition {
        boolean holds() throws Exception;
    }

    /** The books at one moment. */
    public static final class Verdict {
        public final long emitted;
        public final long distinct;
        public final long duplicated;
        final long holes;
        public final List<String> violations;

        Verdict(long emitted, long distinct, long duplicated, long holes, List<String> violations) {
            this.emitted = emitted;
            this.distinct = distinct;
            this.duplicated = duplicated;
            this.holes = holes;
            this.violations = violations;
        }

        private boolean isSettled() {
            return distinct == emitted || !violations.isEmpty();
        }

        @Override
        public String toString() {
            return "emitted "
                    + emitted
                    + ", results "
                    + distinct
                    + ", duplicated "
                    + duplicated
                    + ", holes "
                    + holes
                    + ", violations "
                    + violations;
        }
    }
}
