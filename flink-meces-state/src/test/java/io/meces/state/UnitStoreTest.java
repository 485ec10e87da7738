// SPDX-License-Identifier: Apache-2.0
package io.meces.state;

import static io.meces.state.Backends.KEY_GROUPS;
import static io.meces.state.Backends.SUB_GROUPS;
import static io.meces.state.Backends.TIMERS;
import static io.meces.state.Backends.extract;
import static io.meces.state.Backends.install;
import static io.meces.state.Backends.keyGroup;
import static io.meces.state.Backends.meces;
import static io.meces.state.Backends.move;
import static io.meces.state.Backends.neighbour;
import static io.meces.state.Backends.schema;
import static io.meces.state.Backends.sibling;
import static io.meces.state.Backends.state;
import static io.meces.state.Backends.subGroup;
import static io.meces.state.Backends.timer;
import static io.meces.state.Backends.timers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;
import org.apache.flink.streaming.api.operators.TimerHeapInternalTimer;
import org.apache.flink.util.StateMigrationException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class UnitStoreTest {

    private MecesKeyedStateBackend<String> donor;
    private MecesKeyedStateBackend<String> receiver;

    @BeforeEach
    void createBackends() throws Exception {
        donor = meces();
        receiver = meces();
    }

    @Test
    void carriesAllKindsOfStateInAllNamespaces() throws Exception {
        States.fill(donor, "a", "n1", 1);
        States.fill(donor, "a", "n2", 2);
        States.fill(donor, sibling("a"), "n1", 3);

        move(donor.units(), receiver.units(), "a");

        assertThat(States.read(receiver, "a", "n1")).isEqualTo(States.filled(1));
        assertThat(States.read(receiver, "a", "n2")).isEqualTo(States.filled(2));
        assertThat(States.read(receiver, sibling("a"), "n1")).isEqualTo(States.filled(3));
        assertThat(States.read(receiver, sibling("a"), "n2")).isEqualTo(States.none());
        assertThat(States.read(donor, "a", "n1")).isEqualTo(States.none());
        assertThat(donor.numKeyValueStateEntries()).isZero();
        assertThat(donor.units().isEmpty(keyGroup("a"), subGroup("a"))).isTrue();
    }

    @Test
    void countsWhatAKeyGroupHasAndHowOftenItWasUsed() throws Exception {
        String neighbour = neighbour("a");
        int other = (keyGroup("a") + 1) % KEY_GROUPS;
        States.fill(donor, "a", "n", 1);
        States.fill(donor, neighbour, "n", 1);
        timers(donor, TIMERS).add(timer(30, "a", "x"));
        assertThat(donor.units().entries(keyGroup("a")))
                .isEqualTo(
                        donor.units().entries(keyGroup("a"), subGroup("a"))
                                + donor.units().entries(keyGroup("a"), subGroup(neighbour)))
                .isPositive();
        assertThat(donor.units().entries(other)).isZero();

        long before = donor.units().selections(keyGroup("a"));
        long ofOther = donor.units().selections(other);
        donor.setCurrentKey("a");
        donor.setCurrentKey("a");
        assertThat(donor.units().selections(keyGroup("a"))).isEqualTo(before + 2);
        assertThat(donor.units().selections(other)).isEqualTo(ofOther);
    }

    @Test
    void installedStateCanBeUpdatedAndMovedOn() throws Exception {
        States.fill(donor, "a", "n", 1);
        move(donor.units(), receiver.units(), "a");
        States.fill(receiver, "a", "n", 5);
        String expected = States.read(receiver, "a", "n");

        move(receiver.units(), donor.units(), "a");

        assertThat(expected).isEqualTo("5 [l1, m1, l5, m5] {k1=1, k5=5} 6 max 5");
        assertThat(States.read(donor, "a", "n")).isEqualTo(expected);
        assertThat(receiver.numKeyValueStateEntries()).isZero();
    }

    @Test
    void carriesTimersOfAllQueuesInTheirOrder() throws Exception {
        String sibling = sibling("a");
        String neighbour = neighbour("a");
        KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<String, String>> queue =
                timers(donor, TIMERS);
        queue.add(timer(30, "a", "x"));
        queue.add(timer(10, sibling, "y"));
        queue.add(timer(20, "a", "y"));
        queue.add(timer(5, neighbour, "x"));
        timers(donor, "other").add(timer(7, "a", "z"));

        move(donor.units(), receiver.units(), "a");

        assertThat(poll(timers(receiver, TIMERS)))
                .containsExactly("10 " + sibling + " y", "20 a y", "30 a x");
        assertThat(poll(timers(receiver, "other"))).containsExactly("7 a z");
        assertThat(poll(queue)).containsExactly("5 " + neighbour + " x");
        assertThat(receiver.units().timerQueues()).containsExactly(TIMERS, "other");
    }

    @Test
    void tellsTheFirstTimerOfAQueue() throws Exception {
        KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<String, String>> queue =
                timers(donor, TIMERS);
        assertThat(donor.units().firstTimer(TIMERS)).isNull();
        TimerHeapInternalTimer<String, String> first = timer(10, neighbour("a"), "x");
        queue.add(timer(30, "a", "x"));
        queue.add(first);
        assertThat(donor.units().firstTimer(TIMERS)).isSameAs(first);
        assertThat(queue.size()).isEqualTo(2);
    }

    @Test
    void handsEachTimerToTheInstallerAfterTheEntries() throws Exception {
        States.fill(donor, "a", "n", 1);
        timers(donor, TIMERS).add(timer(30, "a", "x"));
        UnitSchema schema = schema(donor.units(), receiver.units());
        byte[] unit = extract(donor.units(), keyGroup("a"), subGroup("a"));
        List<String> seen = new ArrayList<>();

        receiver.units()
                .install(
                        keyGroup("a"),
                        subGroup("a"),
                        new DataInputDeserializer(unit),
                        schema,
                        (queue, timer) ->
                                seen.add(
                                        queue
                                                + " "
                                                + timer
                                                + " "
                                                + receiver.numKeyValueStateEntries()));

        assertThat(seen).containsExactly(TIMERS + " " + timer(30, "a", "x") + " 5");
    }

    @Test
    void leavesOtherUnitsAlone() throws Exception {
        String neighbour = neighbour("a");
        String elsewhere = "b";
        assertThat(keyGroup(elsewhere)).isNotEqualTo(keyGroup("a"));
        States.fill(donor, "a", "n", 1);
        States.fill(donor, neighbour, "n", 2);
        States.fill(donor, elsewhere, "n", 3);
        States.fill(receiver, neighbour, "n", 4);

        move(donor.units(), receiver.units(), "a");

        assertThat(States.read(donor, neighbour, "n")).isEqualTo(States.filled(2));
        assertThat(States.read(donor, elsewhere, "n")).isEqualTo(States.filled(3));
        assertThat(States.read(receiver, neighbour, "n")).isEqualTo(States.filled(4));
        assertThat(States.keys(donor, "n")).containsExactlyInAnyOrder(neighbour, elsewhere);
        assertThat(States.keys(receiver, "n")).containsExactlyInAnyOrder("a", neighbour);
    }

    @Test
    void carriesAnEmptyUnit() throws Exception {
        States.fill(donor, neighbour("a"), "n", 1);

        move(donor.units(), receiver.units(), "a");

        assertThat(receiver.numKeyValueStateEntries()).isZero();
        assertThat(receiver.units().isEmpty(keyGroup("a"), subGroup("a"))).isTrue();
    }

    @Test
    void countsEntriesAndTimers() throws Exception {
        States.fill(donor, "a", "n1", 1);
        States.fill(donor, "a", "n2", 1);
        timers(donor, TIMERS).add(timer(30, "a", "x"));

        assertThat(donor.units().entries(keyGroup("a"), subGroup("a"))).isEqualTo(11);
        assertThat(donor.units().entries(keyGroup("a"), subGroup(neighbour("a")))).isZero();
        assertThat(donor.units().isEmpty(keyGroup("a"), subGroup("a"))).isFalse();
    }

    @Test
    void isNotEmptyWithATimerOnly() throws Exception {
        timers(donor, TIMERS).add(timer(30, "a", "x"));

        assertThat(donor.units().isEmpty(keyGroup("a"), subGroup("a"))).isFalse();
    }

    @Test
    void stateThatTheReceiverRegistersLaterIsFound() throws Exception {
        state(donor, "a", "n", StringSerializer.INSTANCE, States.VALUE).update(7L);
        move(donor.units(), receiver.units(), "a");

        // The first access of the receiver is what registers the state.
        assertThat(state(receiver, "a", "n", StringSerializer.INSTANCE, States.VALUE).value())
                .isEqualTo(7L);
    }

    @Test
    void stateThatTheReceiverRegistersLaterIsCheckedAgainstTheDonors() throws Exception {
        state(donor, "a", "n", StringSerializer.INSTANCE, States.VALUE).update(7L);
        schema(donor.units(), receiver.units());
        ValueStateDescriptor<String> other =
                new ValueStateDescriptor<>("value", StringSerializer.INSTANCE);

        assertThatThrownBy(() -> state(receiver, "a", "n", StringSerializer.INSTANCE, other))
                .isInstanceOf(StateMigrationException.class);
    }

    @Test
    void refusesAnIncompatibleSerializerAndRegistersNothing() throws Exception {
        state(donor, "a", "n", StringSerializer.INSTANCE, States.LIST).add("x");
        state(donor, "a", "n", StringSerializer.INSTANCE, States.VALUE).update(7L);
        ValueStateDescriptor<String> other =
                new ValueStateDescriptor<>("value", StringSerializer.INSTANCE);
        state(receiver, "a", "n", StringSerializer.INSTANCE, other).update("x");
        int version = receiver.units().schemaVersion();

        assertThatThrownBy(() -> schema(donor.units(), receiver.units()))
                .isInstanceOf(StateMigrationException.class)
                .hasMessageContaining("'value'")
                .hasMessageContaining("MecesKeyedStateBackend(op)")
                .hasMessageContaining("StringSerializer")
                .hasMessageContaining("LongSerializer");
        assertThat(receiver.units().schemaVersion()).isEqualTo(version);
    }

    @Test
    void refusesAnotherNamespaceSerializer() throws Exception {
        state(donor, "a", "n", StringSerializer.INSTANCE, States.VALUE).update(7L);
        state(receiver, "a", VoidNamespace.INSTANCE, VoidNamespaceSerializer.INSTANCE, States.VALUE)
                .update(7L);

        assertThatThrownBy(() -> schema(donor.units(), receiver.units()))
                .isInstanceOf(StateMigrationException.class)
                .hasMessageContaining("namespace serializer");
    }

    @Test
    void refusesAnotherKindOfState() throws Exception {
        state(donor, "a", "n", StringSerializer.INSTANCE, States.VALUE).update(7L);
        ListStateDescriptor<Long> other =
                new ListStateDescriptor<>("value", LongSerializer.INSTANCE);
        state(receiver, "a", "n", StringSerializer.INSTANCE, other).add(7L);

        assertThatThrownBy(() -> schema(donor.units(), receiver.units()))
                .isInstanceOf(StateMigrationException.class)
                .hasMessageContaining("LIST")
                .hasMessageContaining("VALUE");
    }

    @Test
    void refusesAnotherKeySerializer() throws Exception {
        MecesKeyedStateBackend<Long> other =
                meces(LongSerializer.INSTANCE, TtlTimeProvider.DEFAULT);

        assertThatThrownBy(() -> schema(donor.units(), other.units()))
                .isInstanceOf(StateMigrationException.class)
                .hasMessageContaining("key serializer");
    }

    @Test
    void schemaVersionGrowsWithEachRegistration() throws Exception {
        int empty = donor.units().schemaVersion();
        state(donor, "a", "n", StringSerializer.INSTANCE, States.VALUE).update(1L);
        int one = donor.units().schemaVersion();
        state(donor, "b", "n", StringSerializer.INSTANCE, States.VALUE).update(1L);
        int stillOne = donor.units().schemaVersion();
        timers(donor, TIMERS);
        int two = donor.units().schemaVersion();
        schema(donor.units(), receiver.units());

        assertThat(one).isGreaterThan(empty);
        assertThat(stillOne).isEqualTo(one);
        assertThat(two).isGreaterThan(one);
        assertThat(receiver.units().schemaVersion()).isGreaterThan(empty);
    }

    @Test
    void refusesAUnitOfAnotherSchemaVersion() throws Exception {
        state(donor, "a", "n", StringSerializer.INSTANCE, States.VALUE).update(1L);
        UnitSchema schema = schema(donor.units(), receiver.units());
        state(donor, "a", "n", StringSerializer.INSTANCE, States.LIST).add("x");
        byte[] unit = extract(donor.units(), keyGroup("a"), subGroup("a"));

        assertThatThrownBy(
                        () -> install(receiver.units(), keyGroup("a"), subGroup("a"), unit, schema))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("schema version");
    }

    @Test
    void refusesTheSchemaOfAnotherReceiver() throws Exception {
        UnitSchema schema = schema(donor.units(), meces().units());
        byte[] unit = extract(donor.units(), keyGroup("a"), subGroup("a"));

        assertThatThrownBy(
                        () -> install(receiver.units(), keyGroup("a"), subGroup("a"), unit, schema))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("another backend");
    }

    @Test
    void refusesAUnitThatHasEntriesHereAlready() throws Exception {
        States.fill(donor, "a", "n", 1);
        timers(receiver, TIMERS).add(timer(1, sibling("a"), "x"));

        assertThatThrownBy(() -> move(donor.units(), receiver.units(), "a"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("key-group " + keyGroup("a"))
                .hasMessageContaining("sub-group " + subGroup("a"));
        assertThat(receiver.numKeyValueStateEntries()).isZero();
    }

    @Test
    void refusesAnotherUnitThanExpected() throws Exception {
        States.fill(donor, "a", "n", 1);
        UnitSchema schema = schema(donor.units(), receiver.units());
        byte[] unit = extract(donor.units(), keyGroup("a"), subGroup("a"));

        assertThatThrownBy(
                        () ->
                                install(
                                        receiver.units(),
                                        keyGroup("a"),
                                        subGroup(neighbour("a")),
                                        unit,
                                        schema))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Expected unit");
    }

    @Test
    void refusesUnitsOutOfRange() {
        assertThatThrownBy(() -> donor.units().isEmpty(KEY_GROUPS, 0))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> extract(donor.units(), 0, SUB_GROUPS))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> donor.units().entries(0, -1))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void refusesAUnitThatWasDividedOtherwise() throws Exception {
        MecesKeyedStateBackend<String> coarse =
                meces(1, StringSerializer.INSTANCE, TtlTimeProvider.DEFAULT);
        for (int i = 0; i < 100; i++) {
            States.fill(coarse, "k" + i, "n", i);
        }
        UnitSchema schema = schema(coarse.units(), receiver.units());
        byte[] unit = extract(coarse.units(), 0, 0);

        assertThatThrownBy(() -> install(receiver.units(), 0, 0, unit, schema))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("sub-groups");
        assertThat(receiver.numKeyValueStateEntries()).isZero();
    }

    @Test
    void aTruncatedUnitLeavesNothingBehind() throws Exception {
        States.fill(donor, "a", "n", 1);
        timers(donor, TIMERS).add(timer(1, "a", "x"));
        UnitSchema schema = schema(donor.units(), receiver.units());
        byte[] unit = extract(donor.units(), keyGroup("a"), subGroup("a"));

        for (int length = 0; length < unit.length; length++) {
            byte[] truncated = Arrays.copyOf(unit, length);
            assertThatThrownBy(
                            () ->
                                    install(
                                            receiver.units(),
                                            keyGroup("a"),
                                            subGroup("a"),
                                            truncated,
                                            schema))
                    .isInstanceOf(EOFException.class);
            assertThat(receiver.units().isEmpty(keyGroup("a"), subGroup("a"))).isTrue();
        }
        install(receiver.units(), keyGroup("a"), subGroup("a"), unit, schema);
        assertThat(States.read(receiver, "a", "n")).isEqualTo(States.filled(1));
    }

    @Test
    void aFailingInstallerLeavesNothingBehind() throws Exception {
        States.fill(donor, "a", "n", 1);
        KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<String, String>> queue =
                timers(donor, TIMERS);
        queue.add(timer(1, "a", "x"));
        queue.add(timer(2, "a", "x"));
        UnitSchema schema = schema(donor.units(), receiver.units());
        byte[] unit = extract(donor.units(), keyGroup("a"), subGroup("a"));
        TimerInstaller direct = receiver.units().direct();
        TimerInstaller failing =
                (name, timer) -> {
                    if (((TimerHeapInternalTimer<?, ?>) timer).getTimestamp() == 2) {
                        throw new IllegalStateException("on purpose");
                    }
                    direct.install(name, timer);
                };

        assertThatThrownBy(
                        () ->
                                receiver.units()
                                        .install(
                                                keyGroup("a"),
                                                subGroup("a"),
                                                new DataInputDeserializer(unit),
                                                schema,
                                                failing))
                .hasMessage("on purpose");
        assertThat(receiver.units().isEmpty(keyGroup("a"), subGroup("a"))).isTrue();
        assertThat(timers(receiver, TIMERS).isEmpty()).isTrue();
    }

    @Test
    void aFailedExtractionRemovesNothing() throws Exception {
        States.fill(donor, "a", "n", 1);
        KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<String, String>> queue =
                timers(donor, TIMERS);
        queue.add(timer(1, "a", "x"));
        DataOutputSerializer full =
                new DataOutputSerializer(64) {
                    @Override
                    public void writeLong(long v) throws IOException {
                        throw new IOException("full");
                    }
                };

        assertThatThrownBy(
                        () ->
                                donor.units()
                                        .extract(
                                                keyGroup("a"),
                                                subGroup("a"),
                                                full,
                                                new UnitCompression(Compression.NONE)))
                .hasMessage("full");
        assertThat(States.read(donor, "a", "n")).isEqualTo(States.filled(1));
        assertThat(queue.size()).isEqualTo(1);
    }

    @Test
    void directInstallerRefusesAnUnknownQueue() {
        assertThatThrownBy(() -> receiver.units().direct().install("nope", timer(1, "a", "x")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("nope");
    }

    private static List<String> poll(
            KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<String, String>> queue) {
        List<String> polled = new ArrayList<>();
        for (TimerHeapInternalTimer<String, String> timer = queue.poll();
                timer != null;
                timer = queue.poll()) {
            polled.add(timer.getTimestamp() + " " + timer.getKey() + " " + timer.getNamespace());
        }
        return polled;
    }
}
