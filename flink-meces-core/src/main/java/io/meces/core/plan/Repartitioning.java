// SPDX-License-Identifier: Apache-2.0
package io.meces.core.plan;

import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/** A {@link RepartitionStrategy} by its name, whose results are checked. For any thread. */
public final class Repartitioning {

    /** The name of the default. */
    public static final String MINIMAL_MOVE = "minimal-move";

    private static final Map<String, Supplier<RepartitionStrategy>> OURS = new LinkedHashMap<>();

    static {
        OURS.put(MINIMAL_MOVE, MinimalMoveStrategy::new);
        OURS.put("uniform", UniformStrategy::new);
        OURS.put("consistent-hashing", ConsistentHashingStrategy::new);
        OURS.put("load-aware", LoadAwareStrategy::new);
    }

    private final String name;
    private final RepartitionStrategy strategy;

    public Repartitioning(String name, RepartitionStrategy strategy) {
        this.name = name;
        this.strategy = strategy;
    }

    /** What our own strategies are called. */
    public static Collection<String> names() {
        return Collections.unmodifiableSet(OURS.keySet());
    }

    /**
     * One of ours, or a class of the user's, which is loaded by the class loader of this one.
     *
     * @throws IllegalArgumentException if there is no such strategy, with the remedy
     */
    public static Repartitioning named(String name) {
        Supplier<RepartitionStrategy> ours = OURS.get(name);
        return new Repartitioning(name, ours == null ? instantiate(name) : ours.get());
    }

    private static RepartitionStrategy instantiate(String name) {
        try {
            // not initialised, and no code of it is run, before it is known to be a strategy
            return Class.forName(name, false, Repartitioning.class.getClassLoader())
                    .asSubclass(RepartitionStrategy.class)
                    .getConstructor()
                    .newInstance();
        } catch (ReflectiveOperationException | ClassCastException | LinkageError e) {
            throw new IllegalArgumentException(
                    "There is no strategy '"
                            + name
                            + "': it can be one of "
                            + OURS.keySet()
                            + ", or the name of a class in a jar in lib/ of the JobManager that"
                            + " implements "
                            + RepartitionStrategy.class.getName()
                            + " and has a public constructor without parameters ("
                            + e
                            + ").",
                    e);
        }
    }

    public String name() {
        return name;
    }

    public boolean usesLoad() {
        return strategy.usesLoad();
    }

    /**
     * Where the strategy wants the key-groups.
     *
     * @throws IllegalArgumentException if it fails, or gives what cannot be
     */
    public Assignment target(Assignment current, int parallelism, VertexLoad load) {
        Assignment target;
        try {
            target = strategy.target(current, parallelism, load);
        } catch (RuntimeException | LinkageError e) {
            throw new IllegalArgumentException("Strategy " + name + " has failed: " + e, e);
        }
        String flaw = flaw(target, current.keyGroups(), parallelism);
        if (flaw != null) {
            throw new IllegalArgumentException(
                    "Strategy " + name + " gives an impossible assignment: " + flaw);
        }
        return target;
    }

    private static String flaw(Assignment target, int keyGroups, int parallelism) {
        if (target == null) {
            return "null.";
        }
        if (target.keyGroups() != keyGroups) {
            return target.keyGroups() + " key-groups instead of " + keyGroups + ".";
        }
        if (target.parallelism() != parallelism) {
            return target.parallelism() + " subtasks instead of " + parallelism + ".";
        }
        int without = target.counts().indexOf(0);
        return without < 0 ? null : "subtask " + without + " has no key-group.";
    }

    @Override
    public String toString() {
        return name;
    }
}
