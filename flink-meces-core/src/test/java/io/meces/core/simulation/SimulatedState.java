// SPDX-License-Identifier: Apache-2.0
package io.meces.core.simulation;

import io.meces.core.exchange.Priority;
import io.meces.core.store.UnitState;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import javax.annotation.Nullable;

/** The units of an elastic subtask in binary form. Its schema is a number, which grows at times. */
final class SimulatedState implements UnitState {

    /** The schema changes after so many records. */
    private static final int RECORDS_PER_SCHEMA = 16;

    private final SimulatedElastic subtask;
    private final Map<String, Integer> schemas = new HashMap<>();
    @Nullable private final SimulatedData data;
    private int version = -1;
    private byte[] schema;

    /**
     * @param data null: all data travels with the units
     */
    SimulatedState(SimulatedElastic subtask, @Nullable SimulatedData data) {
        this.subtask = subtask;
        this.data = data;
    }

    @Nullable
    @Override
    public SimulatedData deferred() {
        return data;
    }

    @Override
    public void flush() {
        // its operator keeps nothing in memory
    }

    @Override
    public byte[] schema() throws IOException {
        int now = (int) (subtask.processed() / RECORDS_PER_SCHEMA);
        if (now != version) {
            version = now;
            schema = Bytes.write(out -> out.writeInt(now));
        }
        return schema;
    }

    @Override
    public byte[] extract(int unit) throws IOException {
        long time = subtask.times().of(unit);
        SimulatedUnit taken = subtask.take(unit);
        if (data != null) {
            data.freeze(unit, taken);
        }
        SimulatedUnit state = data == null ? taken : taken.withoutData();
        return Bytes.write(
                out -> {
                    out.writeInt(version);
                    out.writeLong(time);
                    state.write(out);
                });
    }

    @Override
    public void readSchema(int donor, Priority priority, byte[] bytes) throws IOException {
        schemas.put(donor + " " + priority, Bytes.read(bytes).readInt());
    }

    @Override
    public void install(int donor, Priority priority, int unit, ByteBuffer state)
            throws IOException {
        DataInputStream in = Bytes.read(state);
        int written = in.readInt();
        Integer known = schemas.get(donor + " " + priority);
        Ledger.check(
                known != null && known == written,
                "%s reads unit %d of schema %d with schema %s",
                subtask,
                unit,
                written,
                known);
        subtask.times().come(unit, in.readLong());
        SimulatedUnit read = SimulatedUnit.read(in);
        subtask.give(unit, read);
        if (data != null) {
            data.onInstalled(unit, read);
        }
    }

    @Override
    public byte[] broadcastState() throws IOException {
        int[] counts = subtask.broadcastState();
        return Bytes.write(
                out -> {
                    out.writeInt(counts.length);
                    for (int count : counts) {
                        out.writeInt(count);
                    }
                });
    }

    @Override
    public void installBroadcastState(byte[] state) throws IOException {
        DataInputStream in = Bytes.read(state);
        int[] counts = new int[in.readInt()];
        for (int i = 0; i < counts.length; i++) {
            counts[i] = in.readInt();
        }
        subtask.setBroadcastState(counts);
    }

    @Override
    public long nextEventTime() {
        long next = Long.MAX_VALUE;
        for (SimulatedUnit unit : subtask.units().values()) {
            if (!unit.timers.isEmpty()) {
                next = Math.min(next, unit.timers.first().time);
            }
            if (!unit.asleep.isEmpty()) {
                next = Math.min(next, unit.asleep.first().time);
            }
        }
        return next;
    }

    @Override
    public long longestStopNanos() {
        return 0;
    }
}
