// SPDX-License-Identifier: Apache-2.0
package io.meces.state;

import static io.meces.state.Backends.ALL;
import static io.meces.state.Backends.meces;
import static io.meces.state.Backends.move;
import static io.meces.state.Backends.schema;
import static io.meces.state.Backends.snapshot;
import static io.meces.state.Backends.state;
import static io.meces.state.Backends.stock;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.meces.flink.state.Compatibility;
import io.meces.flink.state.TestBackends;
import java.io.IOException;
import java.lang.reflect.Field;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.EnumSerializer;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.state.KeyedBackendSerializationProxy;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.heap.HeapKeyedStateBackend;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;
import org.apache.flink.util.StateMigrationException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What donors and receivers have whose classes are newer than a part of their state. */
class SchemaCheckTest {

    private MecesKeyedStateBackend<String> donor;
    private MecesKeyedStateBackend<String> receiver;

    @BeforeEach
    void createBackends() throws Exception {
        donor = meces();
        receiver = meces();
    }

    @Test
    void goesOnWithASerializerThatTheDonorHasReconfigured() throws Exception {
        restored(donor, "colour", Colour.RED, Colour.BLUE);
        ValueStateDescriptor<Colour> colour =
                new ValueStateDescriptor<>("colour", new EnumSerializer<>(Colour.class));
        colours(donor, "a", colour).update(Colour.BLUE);
        colours(donor, "b", colour).update(Colour.GREEN);
        colours(receiver, "c", colour);
        int version = receiver.units().schemaVersion();

        move(donor.units(), receiver.units(), "a");

        assertThat(receiver.units().schemaVersion()).isGreaterThan(version);
        int changed = receiver.units().schemaVersion();
        schema(donor.units(), receiver.units());
        assertThat(receiver.units().schemaVersion()).as("nothing else").isEqualTo(changed);
        for (KeyedStateHandle[] order :
                new KeyedStateHandle[][] {
                    {snapshot(donor), snapshot(receiver)}, {snapshot(receiver), snapshot(donor)}
                }) {
            HeapKeyedStateBackend<String> both = stock(ALL, order);
            assertThat(colours(both, "a", colour).value()).isEqualTo(Colour.BLUE);
            assertThat(colours(both, "b", colour).value()).isEqualTo(Colour.GREEN);
        }
    }

    @Test
    void stateThatNobodyHasRegisteredYetKeepsWhatItsLastOwnerWrote() throws Exception {
        MecesKeyedStateBackend<String> third = meces();
        ValueStateDescriptor<Colour> colour =
                new ValueStateDescriptor<>("colour", new EnumSerializer<>(Colour.class));
        restored(donor, "colour", Colour.RED, Colour.BLUE);
        restored(receiver, "colour", Colour.RED, Colour.BLUE);
        restored(third, "colour", Colour.RED, Colour.BLUE);
        colours(donor, "a", colour).update(Colour.GREEN);

        move(donor.units(), receiver.units(), "a");
        schema(third.units(), receiver.units());

        HeapKeyedStateBackend<String> back = stock(ALL, snapshot(receiver));
        assertThat(colours(back, "a", colour).value()).isEqualTo(Colour.GREEN);
        assertThat(colours(receiver, "a", colour).value()).isEqualTo(Colour.GREEN);
    }

    @Test
    void takesStateOfANewerClassBeforeItIsRegistered() throws Exception {
        TypeSerializer<Evolved> now =
                TestBackends.serializer(TypeInformation.of(Evolved.class), new ExecutionConfig());
        restored(receiver, "pojo", Evolved.withoutAdded());
        restored(donor, "pojo", Evolved.withoutAdded());
        ValueStateDescriptor<Evolved> pojo = new ValueStateDescriptor<>("pojo", now);
        state(donor, "a", "n", StringSerializer.INSTANCE, pojo).update(new Evolved(1, 2));

        move(donor.units(), receiver.units(), "a");

        HeapKeyedStateBackend<String> back = stock(ALL, snapshot(receiver));
        Evolved value = state(back, "a", "n", StringSerializer.INSTANCE, pojo).value();
        assertThat(value.kept).isEqualTo(1);
        assertThat(value.added).isEqualTo(2);
    }

    @Test
    void refusesKeysThatTheDonorMayWriteOtherwise() throws Exception {
        TypeSerializerSnapshot<Colour> before = snapshotOf(Colour.RED, Colour.BLUE);
        TypeSerializer<Colour> reconfigured =
                Compatibility.of(before, new EnumSerializer<>(Colour.class))
                        .getReconfiguredSerializer();
        MecesKeyedStateBackend<Colour> restored = meces(reconfigured, TtlTimeProvider.DEFAULT);
        MecesKeyedStateBackend<Colour> fresh =
                meces(new EnumSerializer<>(Colour.class), TtlTimeProvider.DEFAULT);
        schema(restored.units(), restored.units());

        assertThatThrownBy(() -> schema(restored.units(), fresh.units()))
                .isInstanceOf(StateMigrationException.class)
                .hasMessageContaining("rescaled by a savepoint only");
    }

    @Test
    void keysOfASubclassThatIsNotRegisteredAreTakenAgainAndAgain() throws Exception {
        assumeTrue(TestBackends.takeKeysOfUnregisteredSubclasses());
        TypeSerializer<Base> keys =
                TestBackends.serializer(TypeInformation.of(Base.class), new ExecutionConfig());
        MecesKeyedStateBackend<Base> from = meces(keys.duplicate(), TtlTimeProvider.DEFAULT);
        MecesKeyedStateBackend<Base> to = meces(keys.duplicate(), TtlTimeProvider.DEFAULT);
        Base first = new Sub(1);
        Base second = new Sub(2);
        for (Base key : new Base[] {first, second}) {
            state(from, key, "n", StringSerializer.INSTANCE, States.VALUE).update(7L);
        }

        move(from.units(), to.units(), first);
        move(from.units(), to.units(), second);

        for (Base key : new Base[] {first, second}) {
            assertThat(state(to, key, "n", StringSerializer.INSTANCE, States.VALUE).value())
                    .isEqualTo(7L);
        }
    }

    private static ValueState<Colour> colours(
            KeyedStateBackend<String> backend, String key, ValueStateDescriptor<Colour> colour)
            throws Exception {
        return state(backend, key, "n", StringSerializer.INSTANCE, colour);
    }

    /** As an enum was before it got its constant in the middle. */
    private static TypeSerializerSnapshot<Colour> snapshotOf(Colour... constants)
            throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(64);
        out.writeUTF(Colour.class.getName());
        out.writeInt(constants.length);
        for (Colour constant : constants) {
            out.writeUTF(constant.name());
        }
        EnumSerializer.EnumSerializerSnapshot<Colour> snapshot =
                new EnumSerializer.EnumSerializerSnapshot<>();
        snapshot.readSnapshot(
                snapshot.getCurrentVersion(),
                new DataInputDeserializer(out.getCopyOfBuffer()),
                Colour.class.getClassLoader());
        return snapshot;
    }

    private static void restored(
            MecesKeyedStateBackend<String> backend, String state, Colour... constants)
            throws Exception {
        restored(backend, state, snapshotOf(constants));
    }

    /** Has a backend know a state as one that was restored. */
    private static void restored(
            MecesKeyedStateBackend<String> backend, String state, TypeSerializerSnapshot<?> value)
            throws Exception {
        Map<String, TypeSerializerSnapshot<?>> snapshots = new HashMap<>();
        snapshots.put(
                StateMetaInfoSnapshot.CommonSerializerKeys.NAMESPACE_SERIALIZER.toString(),
                StringSerializer.INSTANCE.snapshotConfiguration());
        snapshots.put(
                StateMetaInfoSnapshot.CommonSerializerKeys.VALUE_SERIALIZER.toString(), value);
        Map<String, TypeSerializer<?>> serializers = new HashMap<>();
        snapshots.forEach((key, snapshot) -> serializers.put(key, snapshot.restoreSerializer()));
        StateMetaInfoSnapshot metaInfo =
                new StateMetaInfoSnapshot(
                        state,
                        StateMetaInfoSnapshot.BackendStateType.KEY_VALUE,
                        Collections.singletonMap(
                                StateMetaInfoSnapshot.CommonOptionsKeys.KEYED_STATE_TYPE.toString(),
                                StateDescriptor.Type.VALUE.toString()),
                        snapshots,
                        serializers);
        DataOutputSerializer out = new DataOutputSerializer(256);
        out.writeInt(1);
        new KeyedBackendSerializationProxy<>(
                        StringSerializer.INSTANCE, Collections.singletonList(metaInfo), false)
                .write(out);
        backend.units().readSchema(new DataInputDeserializer(out.getCopyOfBuffer()));
    }

    /** Once without GREEN. */
    private enum Colour {
        RED,
        GREEN,
        BLUE
    }

    /** A key of which there are subclasses. */
    public static class Base {
        public int number;

        public Base() {}

        Base(int number) {
            this.number = number;
        }

        @Override
        public final boolean equals(Object other) {
            return other instanceof Base && ((Base) other).number == number;
        }

        @Override
        public final int hashCode() {
            return number;
        }
    }

    /** One of them. */
    public static final class Sub extends Base {
        public Sub() {}

        Sub(int number) {
            super(number);
        }
    }

    /** Once without {@code added}. */
    public static final class Evolved {
        public int kept;
        public int added;

        public Evolved() {}

        Evolved(int kept, int added) {
            this.kept = kept;
            this.added = added;
        }

        static TypeSerializerSnapshot<Evolved> withoutAdded() throws Exception {
            Field field = Evolved.class.getField("kept");
            return TestBackends.pojoSerializer(
                            Evolved.class,
                            new TypeSerializer<?>[] {IntSerializer.INSTANCE},
                            new Field[] {field})
                    .snapshotConfiguration();
        }
    }
}
