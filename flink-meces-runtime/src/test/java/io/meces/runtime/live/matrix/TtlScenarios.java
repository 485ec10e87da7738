// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live.matrix;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.state.AggregatingStateDescriptor;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ReducingStateDescriptor;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.time.Time;
import org.apache.flink.api.common.typeinfo.Types;

/**
 * State that expires, by the clock of the run: some of it while its unit travels.
 *
 * <p>Written at {@link Scenario#CLOCK_AT_START}, it has expired at {@link Scenario#CLOCK_AT_B2},
 * unless it was written or, with some options, read at {@link Scenario#CLOCK_AT_B} again.
 */
final class TtlScenarios {

    private static final long TTL_MILLIS = 500;

    private TtlScenarios() {}

    static List<Scenario> all() {
        return Arrays.asList(
                ttl("TTL, written", value(), true, TtlScenarios::onWrite),
                ttl("TTL, written or read", value(), true, TtlScenarios::onRead),
                ttl(
                        "TTL, expired values returned",
                        value(),
                        true,
                        c -> {
                            onWrite(c);
                            c.returnExpiredIfNotCleanedUp();
                        }),
                ttl(
                        "TTL, written or read, expired values returned",
                        value(),
                        true,
                        c -> {
                            onRead(c);
                            c.returnExpiredIfNotCleanedUp();
                        }),
                ttl(
                        "TTL, cleanup in full snapshots",
                        value(),
                        true,
                        c -> {
                            onWrite(c);
                            c.cleanupFullSnapshot();
                        }),
                ttl(
                        "TTL, incremental cleanup with accesses",
                        value(),
                        false,
                        c -> c.cleanupIncrementally(5, false)),
                ttl(
                        "TTL, incremental cleanup with records",
                        value(),
                        false,
                        c ->
                                c.updateTtlOnReadAndWrite()
                                        .cleanupIncrementally(3, true)
                                        .cleanupFullSnapshot()),
                ttl("TTL of list elements", list(), false, c -> c.cleanupIncrementally(5, true)),
                ttl(
                        "TTL of map entries",
                        map(),
                        false,
                        c -> c.updateTtlOnReadAndWrite().cleanupIncrementally(5, true)),
                ttl("TTL of reducing state", reducing(), false, TtlScenarios::onRead),
                ttl("TTL of aggregating state", aggregating(), false, TtlScenarios::onWrite));
    }

    private static void onWrite(StateTtlConfig.Builder config) {
        config.updateTtlOnCreateAndWrite().disableCleanupInBackground();
    }

    private static void onRead(StateTtlConfig.Builder config) {
        config.updateTtlOnReadAndWrite().disableCleanupInBackground();
    }

    private static Scenario ttl(
            String name,
            Expiring expiring,
            boolean sameBytes,
            Consumer<StateTtlConfig.Builder> options) {
        StateTtlConfig.Builder config = StateTtlConfig.newBuilder(Time.milliseconds(TTL_MILLIS));
        options.accept(config);
        expiring.descriptor.enableTimeToLive(config.build());
        Scenario scenario =
                Scenario.of(
                        name,
                        (feeds, run) ->
                                feeds.next()
                                        .keyBy(e -> e.key, Types.INT)
                                        .process(new Fold<>(body(expiring), expiring.descriptor))
                                        .returns(Types.STRING)
                                        .name("keyed")
                                        .uid("keyed"));
        // what has expired is cleaned up at different times
        return sameBytes ? scenario : scenario.withSavepointsOfAnySize();
    }

    /**
     * Keys with odd numbers are traffic. The others are left alone when the clock moves, so that
     * what is read does not depend on whether it has moved yet.
     */
    private static Fold.Body body(Expiring expiring) {
        return (e, states, out) -> {
            if (e.key % 2 == 1) {
                expiring.read.of(states, expiring.descriptor);
                expiring.write.to(states, expiring.descriptor, e);
            } else if (e.seq < Feed.ROUND_B) {
                expiring.write.to(states, expiring.descriptor, e);
                out.emit(expiring.read.of(states, expiring.descriptor));
            } else if (e.seq < Feed.ROUND_B2) {
                if (e.key % 8 == 2) {
                    expiring.write.to(states, expiring.descriptor, e);
                } else if (e.key % 8 == 6) {
                    out.emit(expiring.read.of(states, expiring.descriptor));
                }
            } else if (e.seq >= Feed.ROUND_C) {
                out.emit(expiring.read.of(states, expiring.descriptor));
                if (e.seq == Feed.ROUND_D) {
                    expiring.write.to(states, expiring.descriptor, e);
                }
            }
        };
    }

    private static Expiring value() {
        return new Expiring(
                new ValueStateDescriptor<>("value", Types.LONG),
                (s, d) -> s.getState((ValueStateDescriptor<?>) d).value(),
                (s, d, e) -> s.getState((ValueStateDescriptor<Long>) d).update((long) e.seq));
    }

    private static Expiring list() {
        return new Expiring(
                new ListStateDescriptor<>("list", Types.INT),
                (s, d) -> {
                    List<Object> all = new ArrayList<>();
                    s.getListState((ListStateDescriptor<?>) d).get().forEach(all::add);
                    return all;
                },
                (s, d, e) -> s.getListState((ListStateDescriptor<Integer>) d).add(e.seq));
    }

    private static Expiring map() {
        return new Expiring(
                new MapStateDescriptor<>("map", Types.INT, Types.STRING),
                (s, d) -> {
                    TreeMap<Integer, String> all = new TreeMap<>();
                    s.getMapState((MapStateDescriptor<Integer, String>) d)
                            .entries()
                            .forEach(entry -> all.put(entry.getKey(), entry.getValue()));
                    return all;
                },
                (s, d, e) ->
                        s.getMapState((MapStateDescriptor<Integer, String>) d)
                                .put(e.seq % 5, e.seq % 3 == 0 ? null : "v" + e.seq));
    }

    private static Expiring reducing() {
        return new Expiring(
                new ReducingStateDescriptor<Long>("reducing", (a, b) -> a * 31 + b, Types.LONG),
                (s, d) -> s.getReducingState((ReducingStateDescriptor<?>) d).get(),
                (s, d, e) ->
                        s.getReducingState((ReducingStateDescriptor<Long>) d).add((long) e.seq));
    }

    private static Expiring aggregating() {
        return new Expiring(
                new AggregatingStateDescriptor<>(
                        "aggregating",
                        new StateScenarios.CountAndFold(),
                        Types.TUPLE(Types.LONG, Types.LONG)),
                (s, d) -> s.getAggregatingState((AggregatingStateDescriptor<?, ?, ?>) d).get(),
                (s, d, e) ->
                        s.getAggregatingState((AggregatingStateDescriptor<Event, ?, ?>) d).add(e));
    }

    /** A state, and how it is read and written. */
    private static final class Expiring implements Serializable {
        private static final long serialVersionUID = 1L;
        private final StateDescriptor<?, ?> descriptor;
        private final Read read;
        private final Write write;

        Expiring(StateDescriptor<?, ?> descriptor, Read read, Write write) {
            this.descriptor = descriptor;
            this.read = read;
            this.write = write;
        }
    }

    /** Reads a state. */
    private interface Read extends Serializable {
        Object of(RuntimeContext states, StateDescriptor<?, ?> descriptor) throws Exception;
    }

    /** Writes a state. */
    private interface Write extends Serializable {
        void to(RuntimeContext states, StateDescriptor<?, ?> descriptor, Event event)
                throws Exception;
    }
}
