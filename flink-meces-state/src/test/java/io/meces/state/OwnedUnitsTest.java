// SPDX-License-Identifier: Apache-2.0
package io.meces.state;

import static io.meces.state.Backends.SUB_GROUPS;
import static io.meces.state.Backends.TIMERS;
import static io.meces.state.Backends.keyGroup;
import static io.meces.state.Backends.move;
import static io.meces.state.Backends.snapshot;
import static io.meces.state.Backends.state;
import static io.meces.state.Backends.timer;
import static io.meces.state.Backends.timers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.meces.flink.state.TestBackends;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.BitSet;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** State of a key whose unit is not at a subtask would be in no checkpoint. */
class OwnedUnitsTest {

    private static final String REMEDY =
            "must be the same in all processes. That of an enum or an array is not, nor that of a"
                    + " class that contains one and calls its hashCode(). Key by the name() of the"
                    + " enum, or use it and Arrays.hashCode() in hashCode().";

    private static MecesKeyedStateBackend<String> owning(int... keyGroups) throws Exception {
        BitSet owned = new BitSet();
        for (int keyGroup : keyGroups) {
            owned.set(keyGroup);
        }
        return Backends.elastic(
                owned, SUB_GROUPS, StringSerializer.INSTANCE, TtlTimeProvider.DEFAULT);
    }

    private static ValueState<Long> value(MecesKeyedStateBackend<String> backend, String key)
            throws Exception {
        return state(backend, key, "n", StringSerializer.INSTANCE, States.VALUE);
    }

    private static void assertRefused(Class<?> key, ThrowingCallable access) {
        assertThatThrownBy(access)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith("State or a timer is used for a key in key-group ")
                .hasMessageEndingWith(
                        ", which is not at this subtask. Use them only for the key of the record or"
                                + " timer that is being processed. The hashCode() of "
                                + key.getName()
                                + " "
                                + REMEDY);
    }

    @Test
    void aKeyOfAnotherSubtaskCanBeSetButHasNoState() throws Exception {
        MecesKeyedStateBackend<String> backend = owning(keyGroup("a") ^ 1);

        ValueState<Long> value = value(backend, "a");

        assertRefused(String.class, value::value);
        assertRefused(String.class, () -> value.update(1L));
        assertRefused(String.class, value::clear);
        assertRefused(
                String.class,
                () ->
                        state(backend, "a", "n", StringSerializer.INSTANCE, States.LIST)
                                .add("element"));
        assertThat(backend.numKeyValueStateEntries()).isZero();
    }

    @Test
    void aKeyOfAnotherSubtaskHasNoTimers() throws Exception {
        MecesKeyedStateBackend<String> backend = owning(keyGroup("a") ^ 1);

        assertRefused(String.class, () -> timers(backend, TIMERS).add(timer(1, "a", "n")));
    }

    @Test
    void aUnitThatHasLeftIsNotUsedAnyMoreAndOneThatHasComeIs() throws Exception {
        MecesKeyedStateBackend<String> donor = owning(0, 1, 2, 3, 4, 5, 6, 7);
        MecesKeyedStateBackend<String> receiver = owning();
        ValueState<Long> value = value(donor, "a");
        value.update(1L);
        timers(donor, TIMERS).add(timer(1, "a", "n"));

        move(donor.units(), receiver.units(), "a");

        // the current key is still that one
        assertRefused(String.class, () -> value.update(2L));
        assertRefused(String.class, value(donor, "a")::value);
        assertThat(value(donor, Backends.neighbour("a")).value()).isNull();
        assertThat(value(receiver, "a").value()).isEqualTo(1L);
        assertRefused(String.class, value(receiver, Backends.neighbour("a"))::value);
        assertThat(timers(receiver, TIMERS).poll().getKey()).isEqualTo("a");

        move(receiver.units(), donor.units(), "a");
        assertThat(value(donor, "a").value()).isEqualTo(1L);
        assertRefused(String.class, value(receiver, "a")::value);
    }

    @Test
    void aKeyWhoseHashCodeHasChangedIsNotRestored() throws Exception {
        InProcess.process = 0;
        BitSet all = new BitSet();
        all.set(0, Backends.KEY_GROUPS);
        MecesKeyedStateBackend<InProcess> before = elastic(all);
        InProcess key = new InProcess();
        state(before, key, "n", StringSerializer.INSTANCE, States.VALUE).update(1L);
        KeyedStateHandle handle = snapshot(before);
        elastic(all, handle);
        int keyGroup = keyGroup(key);
        while (keyGroup(key) == keyGroup) {
            InProcess.process++;
        }

        assertThatThrownBy(() -> elastic(all, handle))
                .hasRootCauseInstanceOf(IllegalStateException.class)
                .hasRootCauseMessage(
                        "State of a key that was in key-group "
                                + keyGroup
                                + " cannot be restored, as the key is in another one by now. The"
                                + " hashCode() of "
                                + InProcess.class.getName()
                                + " "
                                + REMEDY);
        // a task that is not elastic does as on a stock Flink
        Backends.meces(InProcess.serializer(), TtlTimeProvider.DEFAULT, handle);
    }

    @Test
    void theDocumentHasTheTexts() throws Exception {
        String document =
                new String(
                        Files.readAllBytes(Paths.get("..", "docs", "refusals.md")),
                        StandardCharsets.UTF_8);

        assertThat(document)
                .contains(
                        "State or a timer is used for a key in key-group …, which is not at this"
                                + " subtask. Use them only for the key of the record or timer that"
                                + " is being processed. The hashCode() of … "
                                + REMEDY)
                .contains(
                        "State of a key that was in key-group … cannot be restored, as the key is"
                                + " in another one by now. The hashCode() of … must be");
    }

    private static MecesKeyedStateBackend<InProcess> elastic(
            BitSet keyGroups, KeyedStateHandle... handles) throws Exception {
        return Backends.elastic(
                keyGroups, SUB_GROUPS, InProcess.serializer(), TtlTimeProvider.DEFAULT, handles);
    }

    /** A key like an enum: its hash code differs between processes. */
    private static final class InProcess {

        private static int process;

        static TypeSerializer<InProcess> serializer() {
            return TestBackends.kryo(InProcess.class, new ExecutionConfig());
        }

        @Override
        public int hashCode() {
            return process;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof InProcess;
        }
    }
}
