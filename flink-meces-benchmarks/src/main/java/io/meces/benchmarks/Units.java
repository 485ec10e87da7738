// SPDX-License-Identifier: Apache-2.0
package io.meces.benchmarks;

import io.meces.state.Compression;
import io.meces.state.HeapUnitStore;
import io.meces.state.MecesKeyedStateBackend;
import io.meces.state.SubGroups;
import io.meces.state.UnitCompression;
import io.meces.state.UnitSchema;
import java.io.IOException;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.streaming.api.operators.TimerHeapInternalTimer;

/** Units of equal size that go from one backend to another. */
final class Units {

    private static final int KEY_GROUPS = 256;
    private static final int SUB_GROUPS = 16;

    private final int keyGroups;
    private final int[] units;
    private final byte[][] bytes;
    private final DataOutputSerializer buffer = new DataOutputSerializer(1 << 20);
    private final UnitCompression uncompressed = new UnitCompression(Compression.NONE);
    private final DataInputDeserializer input = new DataInputDeserializer();
    private final HeapUnitStore<Long> donor;
    private final byte[] schemaBytes;
    private HeapUnitStore<Long> receiver;
    private UnitSchema schema;

    /**
     * Fills so many units with so many keys each. With timers, every key has a value and a timer.
     */
    Units(int count, int keysPerUnit, boolean timers) throws Exception {
        this(KEY_GROUPS, count, keysPerUnit, timers);
    }

    private Units(int keyGroups, int count, int keysPerUnit, boolean timers) throws Exception {
        this.keyGroups = keyGroups;
        units = new int[count];
        bytes = new byte[count][];
        MecesKeyedStateBackend<Long> from = Backends.meces(keyGroups, SUB_GROUPS);
        donor = from.units();
        ValueState<Long> value =
                from.getPartitionedState(
                        VoidNamespace.INSTANCE,
                        VoidNamespaceSerializer.INSTANCE,
                        new ValueStateDescriptor<>("value", LongSerializer.INSTANCE));
        KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<Long, VoidNamespace>> queue =
                Backends.timers(from);
        int[] missing = new int[keyGroups * SUB_GROUPS];
        int step = missing.length / count;
        for (int i = 0; i < count; i++) {
            units[i] = i * step;
            missing[units[i]] = keysPerUnit;
        }
        int full = 0;
        for (long number = 0; full < count; number++) {
            long key = Backends.key(number);
            int unit = unit(key);
            if (missing[unit] > 0) {
                from.setCurrentKey(key);
                value.update(number);
                if (timers) {
                    queue.add(new TimerHeapInternalTimer<>(key, key, VoidNamespace.INSTANCE));
                }
                if (--missing[unit] == 0) {
                    full++;
                }
            }
        }
        donor.writeSchema(buffer);
        schemaBytes = buffer.getCopyOfBuffer();
        replaceReceiver();
    }

    /** Units of values of about so many bytes that have been taken out of their donor. */
    static Units extracted(int count, int bytesPerUnit) throws Exception {
        Units sample = new Units(1, 1, 1_000, false);
        sample.extract(0);
        int keys = Math.max(1, (int) (1_000L * bytesPerUnit / sample.bytes(0)));
        Units result = new Units((count + SUB_GROUPS - 1) / SUB_GROUPS, count, keys, false);
        for (int i = 0; i < count; i++) {
            result.extract(i);
        }
        return result;
    }

    /** Goes on with a receiver that has no unit. */
    void replaceReceiver() throws Exception {
        receiver = Backends.meces(keyGroups, SUB_GROUPS).units();
        schema = receiver.readSchema(new DataInputDeserializer(schemaBytes));
    }

    private int unit(Long key) {
        return KeyGroupRangeAssignment.assignToKeyGroup(key, keyGroups) * SUB_GROUPS
                + SubGroups.of(key, SUB_GROUPS);
    }

    int count() {
        return units.length;
    }

    /** Takes a unit out of the donor. */
    void extract(int i) throws IOException {
        buffer.clear();
        donor.extract(units[i] / SUB_GROUPS, units[i] % SUB_GROUPS, buffer, uncompressed);
        bytes[i] = buffer.getCopyOfBuffer();
    }

    /** Puts a unit that was taken out into the receiver. */
    void install(int i) throws IOException {
        input.setBuffer(bytes[i]);
        install(i, input);
    }

    /** Puts a unit that has come from elsewhere into the receiver. */
    void install(int i, DataInputDeserializer state) throws IOException {
        install(i, state, receiver, schema);
    }

    private void install(
            int i, DataInputDeserializer state, HeapUnitStore<Long> store, UnitSchema from)
            throws IOException {
        store.install(units[i] / SUB_GROUPS, units[i] % SUB_GROUPS, state, from, store.direct());
    }

    /** Takes a unit out of the receiver again. */
    void takeBack(int i) throws IOException {
        buffer.clear();
        receiver.extract(units[i] / SUB_GROUPS, units[i] % SUB_GROUPS, buffer, uncompressed);
    }

    /** Puts all units that were taken out back into the donor. */
    void restoreDonor() throws Exception {
        DataOutputSerializer out = new DataOutputSerializer(1024);
        donor.writeSchema(out);
        UnitSchema own = donor.readSchema(new DataInputDeserializer(out.getCopyOfBuffer()));
        for (int i = 0; i < units.length; i++) {
            install(i, new DataInputDeserializer(bytes[i]), donor, own);
        }
    }

    /** A copy of a unit that was taken out. */
    byte[] copy(int i) {
        return bytes[i].clone();
    }

    /** Size of a serialised unit. */
    int bytes(int i) {
        return bytes[i].length;
    }
}
