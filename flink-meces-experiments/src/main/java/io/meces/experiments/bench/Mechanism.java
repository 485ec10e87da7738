// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.bench;

import static java.util.stream.Collectors.joining;

import io.meces.experiments.cluster.FlinkCluster;
import io.meces.experiments.cluster.FlinkLine;
import io.meces.experiments.run.RunOptions;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import javax.annotation.Nullable;

/** A way to rescale a job. A value. */
public final class Mechanism {
    private static final String NETTY = "netty";
    private static final String SUB_GROUPS = "meces.state.sub-groups";
    private static final String ORDER = "meces.migration.order";
    private static final String BATCH_BYTES = "meces.migration.batch-bytes";
    private static final String STEP_DURATION = "meces.migration.step-duration";
    private static final String SHUFFLE = "shuffle-service-factory.class";
    private static final String ELASTIC_SHUFFLE =
            "io.meces.runtime.shuffle.ElasticShuffleServiceFactory";
    private static final String DEMAND = "DEMAND";
    private static final String SEQUENTIAL = "SEQUENTIAL";
    private static final String UNLIMITED_BYTES = Long.MAX_VALUE + "b";
    private static final String UNLIMITED_TIME = "1 d";
    private static final String SCHEDULER = "jobmanager.scheduler";
    private static final String ADAPTIVE_SCHEDULER = "adaptive";

    /**
     * What has the adaptive scheduler begin at once, and read local copies of state. A line of
     * Flink passes over those that it does not know; 2.3 knows the first two by their old names.
     */
    private static final Map<String, String> TUNED = new LinkedHashMap<>();

    static {
        String prefix = "jobmanager.adaptive-scheduler.";
        TUNED.put(prefix + "scaling-interval.min", "0 s");
        TUNED.put(prefix + "resource-stabilization-timeout", "0 s");
        TUNED.put(prefix + "executing.resource-stabilization-timeout", "0 s");
        TUNED.put("state.backend.local-recovery", "true");
    }

    /** With {@link #TUNED}: a restart goes back to the last checkpoint. */
    private static final long TUNED_CHECKPOINT_INTERVAL_MILLIS = 1_000;

    /** Those of flink-meces; clusters of an experiment have no jar with a class of the user's. */
    static final List<String> STRATEGIES =
            Arrays.asList("minimal-move", "uniform", "consistent-hashing", "load-aware");

    /** What is done. */
    enum Kind {
        /** Live, what records wait for first. */
        MECES,
        /** Live, whole key-groups in a fixed order, a block of them in each step. */
        ORDER_UNAWARE,
        /** As {@link #ORDER_UNAWARE}, in steps as small as those of {@link #MECES}. */
        ORDER_UNAWARE_GRADUAL,
        /** Stop with savepoint and start anew, on stock Flink. */
        NATIVE,
        /** The adaptive scheduler of a stock Flink (FLIP-160, FLIP-291), options as by default. */
        ADAPTIVE,
        /** The same with {@link #TUNED} options. */
        ADAPTIVE_TUNED
    }

    final Kind kind;

    /** Where key-groups go to; null: as by default. */
    @Nullable final String strategy;

    /** How state travels; of no meaning for a stock Flink. */
    final String service;

    private Mechanism(Kind kind, @Nullable String strategy, String service) {
        this.kind = kind;
        this.strategy = strategy;
        this.service = service;
    }

    /**
     * Reads the name of a kind, such as {@code meces} or {@code native}; behind a slash there may
     * be a repartition strategy, and behind a colon a transition service, if it is live.
     *
     * @param defaultService the service if there is none in the text
     * @throws IllegalArgumentException with a message for the user
     */
    static Mechanism parse(String text, String defaultService) {
        int colon = text.indexOf(':');
        String nameAndStrategy = colon < 0 ? text : text.substring(0, colon);
        int slash = nameAndStrategy.indexOf('/');
        String name = slash < 0 ? nameAndStrategy : nameAndStrategy.substring(0, slash);
        String strategy = slash < 0 ? null : nameAndStrategy.substring(slash + 1);
        String service = colon < 0 ? defaultService : text.substring(colon + 1);
        Kind kind =
                Arrays.stream(Kind.values())
                        .filter(k -> nameOf(k).equals(name))
                        .findFirst()
                        .orElseThrow(
                                () ->
                                        new IllegalArgumentException(
                                                "There is no mechanism "
                                                        + text
                                                        + "; there are "
                                                        + Arrays.stream(Kind.values())
                                                                .map(Mechanism::nameOf)
                                                                .collect(joining(", "))
                                                        + "."));
        if (!isLive(kind)) {
            if (colon >= 0) {
                throw new IllegalArgumentException(name + " has no transition service.");
            }
            if (strategy != null) {
                throw new IllegalArgumentException(name + " has no repartition strategy.");
            }
            return new Mechanism(kind, null, NETTY);
        }
        if (strategy != null && !STRATEGIES.contains(strategy)) {
            throw new IllegalArgumentException(
                    "A repartition strategy of an experiment is one of "
                            + String.join(", ", STRATEGIES)
                            + ", not "
                            + strategy
                            + ".");
        }
        if (!service.equals(NETTY) && !service.equals(FlinkCluster.KAFKA_REDIS)) {
            throw new IllegalArgumentException(
                    "A transition service is netty or kafka-redis, not " + service + ".");
        }
        return new Mechanism(kind, strategy, service);
    }

    private static String nameOf(Kind kind) {
        return kind.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static boolean isLive(Kind kind) {
        return kind == Kind.MECES
                || kind == Kind.ORDER_UNAWARE
                || kind == Kind.ORDER_UNAWARE_GRADUAL;
    }

    /** Whether the job runs on while it is rescaled, by our runtime. */
    boolean isLive() {
        return isLive(kind);
    }

    /**
     * Whether Flink rescales the job by restarting it from its last checkpoint: results since then
     * come again, and the restart is none that went wrong.
     */
    boolean isAdaptive() {
        return kind == Kind.ADAPTIVE || kind == Kind.ADAPTIVE_TUNED;
    }

    /** Whether it can rescale a job there and back during the warm-up. */
    boolean canPractise() {
        return kind != Kind.NATIVE;
    }

    /** Time between checkpoints, in ms. */
    long checkpointIntervalMillis(BenchOptions options) {
        return kind == Kind.ADAPTIVE_TUNED
                ? TUNED_CHECKPOINT_INTERVAL_MILLIS
                : options.checkpointIntervalMillis;
    }

    /**
     * Refuses a line of Flink that has nothing of the kind.
     *
     * @throws IllegalArgumentException with a message for the user
     */
    void requireLine(FlinkLine line) {
        RunOptions.require(
                !isAdaptive() || line != FlinkLine.V1_12,
                nameOf(kind) + " needs --flink 1.20 or 2.3: Flink 1.12 has no such scheduler.");
    }

    /** Sets up the cluster for it. What is not set here is the same for all. */
    void applyTo(FlinkCluster.Spec spec, BenchOptions options) {
        switch (kind) {
            case MECES:
                applyTo(spec, options, DEMAND);
                limitSteps(spec, options.batchMegabytes + "mb", options.stepMillis + " ms");
                break;
            case ORDER_UNAWARE:
                applyTo(spec, options, SEQUENTIAL);
                limitSteps(spec, UNLIMITED_BYTES, UNLIMITED_TIME);
                break;
            case ORDER_UNAWARE_GRADUAL:
                applyTo(spec, options, SEQUENTIAL);
                limitSteps(spec, options.batchMegabytes + "mb", options.stepMillis + " ms");
                break;
            case ADAPTIVE_TUNED:
                TUNED.forEach(spec::configByDefault);
                spec.stock(true).configByDefault(SCHEDULER, ADAPTIVE_SCHEDULER);
                break;
            case ADAPTIVE:
                spec.stock(true).configByDefault(SCHEDULER, ADAPTIVE_SCHEDULER);
                break;
            default:
                spec.stock(true);
        }
    }

    private static void limitSteps(FlinkCluster.Spec spec, String bytes, String duration) {
        spec.configByDefault(BATCH_BYTES, bytes);
        spec.configByDefault(STEP_DURATION, duration);
    }

    private void applyTo(FlinkCluster.Spec spec, BenchOptions options, String order) {
        spec.configByDefault(ORDER, order);
        spec.configByDefault(SUB_GROUPS, String.valueOf(subGroups(options)));
    }

    /**
     * Why a cluster that runs already is none for it.
     *
     * @param configuration of its JobManager
     * @return null if it is one, as far as the configuration tells; how large units and steps are
     *     is its own affair
     */
    @Nullable
    String misfit(Map<String, String> configuration) {
        boolean elastic = ELASTIC_SHUFFLE.equals(configuration.get(SHUFFLE));
        if (!isLive()) {
            if (elastic) {
                return nameOf(kind)
                        + " is for a stock Flink, and there "
                        + SHUFFLE
                        + " is that of flink-meces.";
            }
            return !isAdaptive()
                            || ADAPTIVE_SCHEDULER.equalsIgnoreCase(configuration.get(SCHEDULER))
                    ? null
                    : SCHEDULER + " has to be " + ADAPTIVE_SCHEDULER + ".";
        }
        if (!elastic) {
            return SHUFFLE + " has to be " + ELASTIC_SHUFFLE + ".";
        }
        String order = configuration.getOrDefault(ORDER, DEMAND).trim();
        String ownOrder = kind == Kind.MECES ? DEMAND : SEQUENTIAL;
        if (!order.equalsIgnoreCase(ownOrder)) {
            return ORDER + " has to be " + ownOrder + ", and is " + order + ".";
        }
        String unset = configuration.containsKey(BATCH_BYTES) ? STEP_DURATION : BATCH_BYTES;
        if (kind == Kind.ORDER_UNAWARE && !configuration.containsKey(unset)) {
            return unset
                    + " has to be set: with its default the steps are those of "
                    + nameOf(Kind.ORDER_UNAWARE_GRADUAL)
                    + ".";
        }
        String there = configuration.getOrDefault(FlinkCluster.TRANSITION_SERVICE, NETTY).trim();
        return there.equals(service)
                ? null
                : FlinkCluster.TRANSITION_SERVICE
                        + " has to be "
                        + service
                        + ", and is "
                        + there
                        + ".";
    }

    /** The same without a repartition strategy. */
    Mechanism withoutStrategy() {
        return new Mechanism(kind, null, service);
    }

    /** Units per key-group on a cluster of {@link #applyTo}. */
    private int subGroups(BenchOptions options) {
        String configured = options.flinkConfig.get(SUB_GROUPS);
        if (configured != null) {
            return Integer.parseInt(configured);
        }
        return kind == Kind.MECES ? options.subGroups : options.blockSubGroups;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Mechanism
                && ((Mechanism) other).kind == kind
                && Objects.equals(((Mechanism) other).strategy, strategy)
                && ((Mechanism) other).service.equals(service);
    }

    @Override
    public int hashCode() {
        return Objects.hash(kind, strategy, service);
    }

    @Override
    public String toString() {
        return nameOf(kind)
                + (strategy == null ? "" : "/" + strategy)
                + (service.equals(NETTY) ? "" : ":" + service);
    }
}
