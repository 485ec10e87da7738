// SPDX-License-Identifier: Apache-2.0
package io.meces.core.job;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;

/**
 * How many key-groups a subtask may give or take in the next step, so that the step takes about as
 * long as wanted: watermarks wait for its end, and so do the results of windows.
 *
 * <p>Part of a step's time is the same for each one (commands, markers, answers), the rest grows
 * with its size. Both are learned from the last steps, by medians, as one in a few is disturbed by
 * something else (Theil and Sen's estimator). Where the former alone takes more than half of what
 * is wanted, as with a slow transition service or under back pressure, smaller steps would only
 * make a rescale longer: then a step takes twice that. Sizes change gently, at most by a factor of
 * 2.
 *
 * <p>Pure; owned by the JobMaster's main thread.
 */
public final class StepTimes {

    /** The size of a first step, of which nothing is known. */
    public static final int FIRST = 4;

    private static final int GENTLY = 2;

    /** So many steps are remembered. */
    private static final int MEMORY = 7;

    private final double wanted;
    private final Deque<Observed> steps = new ArrayDeque<>();

    /** As far as it could be told. */
    private double lastFixed;

    /**
     * @param wantedNanos how long a step should take
     */
    public StepTimes(long wantedNanos) {
        this.wanted = wantedNanos;
    }

    /**
     * A step has ended.
     *
     * @param size how many key-groups the busiest subtask has given or taken, at least 1
     * @param nanos how long it took, from the first command to the last answer
     */
    public void add(int size, long nanos) {
        if (steps.size() == MEMORY) {
            steps.removeFirst();
        }
        steps.addLast(new Observed(size, nanos));
    }

    /** How many key-groups; at least 1, and {@link #FIRST} if no step has ended yet. */
    public int next() {
        if (steps.isEmpty()) {
            return FIRST;
        }
        double fixed = fixed();
        double fitting = (Math.max(wanted, 2 * fixed) - fixed) / perKeyGroup(fixed);
        int last = steps.getLast().size;
        double gentle = Math.max((double) last / GENTLY, Math.min(fitting, (double) last * GENTLY));
        int next = (int) Math.max(1, Math.min(Math.round(gentle), Integer.MAX_VALUE - 1));
        // as long as all are of one size, the two parts cannot be told apart
        return next == last && steps.size() == MEMORY && areOfOneSize() ? last + 1 : next;
    }

    private boolean areOfOneSize() {
        return steps.stream().mapToInt(step -> step.size).distinct().count() == 1;
    }

    /** How long a step should take, in ns. */
    public long wanted() {
        return (long) wanted;
    }

    /** How long a step of that size is going to take, in ns. */
    public long expected(int size) {
        if (steps.isEmpty()) {
            return (long) wanted;
        }
        double fixed = fixed();
        return (long) (fixed + size * perKeyGroup(fixed));
    }

    private double perKeyGroup(double fixed) {
        List<Double> each = new ArrayList<>();
        steps.forEach(step -> each.add((step.nanos - fixed) / step.size));
        return Math.max(1, median(each));
    }

    /** What a step takes however small it is; 0 until two were of different sizes. */
    private double fixed() {
        List<Double> slopes = new ArrayList<>();
        double shortest = Double.MAX_VALUE;
        for (Observed one : steps) {
            shortest = Math.min(shortest, one.nanos);
            for (Observed other : steps) {
                if (one.size < other.size) {
                    slopes.add((other.nanos - one.nanos) / (other.size - one.size));
                }
            }
        }
        if (slopes.isEmpty()) {
            return Math.min(lastFixed, shortest);
        }
        double slope = median(slopes);
        List<Double> intercepts = new ArrayList<>();
        steps.forEach(step -> intercepts.add(step.nanos - slope * step.size));
        lastFixed = Math.max(0, Math.min(median(intercepts), shortest));
        return lastFixed;
    }

    /** Sorts what is given. */
    private static double median(List<Double> numbers) {
        Collections.sort(numbers);
        int half = numbers.size() / 2;
        return numbers.size() % 2 == 1
                ? numbers.get(half)
                : (numbers.get(half - 1) + numbers.get(half)) / 2;
    }

    /** One step. */
    private static final class Observed {
        final int size;
        final double nanos;

        Observed(int size, double nanos) {
            this.size = size;
            this.nanos = nanos;
        }
    }
}
