// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.task;

import io.meces.core.eventtime.KeyTimes;
import io.meces.core.exchange.Priority;
import io.meces.core.exchange.TaskThread;
import io.meces.core.store.DeferredData;
import io.meces.core.store.DeferredStore;
import io.meces.core.store.UnitState;
import io.meces.runtime.operator.OperatorAdapters;
import io.meces.runtime.transition.TransitionMetrics;
import io.meces.state.Compression;
import io.meces.state.ElasticKeyedStateBackend;
import io.meces.state.ForgetsKeys;
import io.meces.state.TimerInstaller;
import io.meces.state.UnitCompression;
import io.meces.state.UnitSchema;
import io.meces.state.UnitStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.runtime.tasks.OperatorChain;
import org.apache.flink.streaming.runtime.tasks.StreamOperatorWrapper;
import org.apache.flink.util.StateMigrationException;

/**
 * The keyed state of all operators in a task, as units. Owned by the task thread; made anew for
 * each rescale.
 */
final class UnitTransfer implements UnitState {

    /** Instead of the id of a checkpoint; Flink's begin at 1. */
    private static final long NO_CHECKPOINT = 0;

    private final List<UnitStore> stores = new ArrayList<>();
    private final List<UnitCompression> compressions = new ArrayList<>();
    private final List<TimerInstaller> timers = new ArrayList<>();
    private final List<KeyTimes> times = new ArrayList<>();

    /** By donor and priority: the schemas of its stores. */
    private final Map<Integer, UnitSchema[]> schemas = new HashMap<>();

    /** The operators in front of keyed state: all up to the last that has some. */
    private final List<StreamOperator<?>> feeding = new ArrayList<>();

    /** The store whose data comes apart from its units; null: there is none. */
    @Nullable private final DeferredStore<TimerInstaller> deferring;

    @Nullable private final DeferredData deferred;
    private final List<ForgetsKeys> forgetting = new ArrayList<>();
    private final OperatorChain<?, ?> chain;
    private final int subGroups;
    private final ClassLoader userCode;
    private final TransitionMetrics metrics;
    private final DataOutputSerializer buffer = new DataOutputSerializer(4096);
    private int[] versions = {};
    @Nullable private byte[] schema;
    private long longestStopNanos;

    UnitTransfer(
            OperatorChain<?, ?> chain,
            KeyClocks clocks,
            int subGroups,
            ClassLoader userCode,
            Compression compression,
            TransitionMetrics metrics,
            TaskThread thread) {
        this.chain = chain;
        this.subGroups = subGroups;
        this.userCode = userCode;
        this.metrics = metrics;
        OperatorAdapters adapters = OperatorAdapters.of(userCode);
        List<StreamOperator<?>> operators = new ArrayList<>();
        for (StreamOperatorWrapper<?, ?> wrapper : chain.getAllOperators()) {
            StreamOperator<?> operator = wrapper.getStreamOperator();
            operators.add(operator);
            for (Object code : UserCode.of(operator)) {
                if (code instanceof ForgetsKeys) {
                    forgetting.add((ForgetsKeys) code);
                }
            }
            ForgetsKeys adapted = adapters.adapt(operator);
            if (adapted != null) {
                forgetting.add(adapted);
            }
            KeyedStateBackend<?> backend = ElasticTimers.keyedStateBackend(operator);
            if (backend instanceof ElasticKeyedStateBackend) {
                UnitStore store = ((ElasticKeyedStateBackend) backend).units();
                stores.add(store);
                compressions.add(new UnitCompression(compression));
                timers.add(installer(store, ElasticTimers.of(operator)));
                times.add(clocks.of(store));
                feeding.addAll(operators);
                operators.clear();
            } else if (backend != null) {
                throw new IllegalStateException(
                        "Operator "
                                + operator.getOperatorID()
                                + " has the keyed state backend "
                                + backend
                                + ", which cannot be rescaled live");
            }
        }
        this.deferring = deferring(stores);
        this.deferred = deferring == null ? null : deferring.defer(thread, timers.get(0));
    }

    /** A record's key tells of one store only: where there are several, units bring all data. */
    @Nullable
    @SuppressWarnings("unchecked")
    private static DeferredStore<TimerInstaller> deferring(List<?> stores) {
        return stores.size() == 1 && stores.get(0) instanceof DeferredStore
                ? (DeferredStore<TimerInstaller>) stores.get(0)
                : null;
    }

    @Override
    public boolean isRegistered() {
        return stores.stream().anyMatch(store -> store.schemaVersion() > 0);
    }

    @Nullable
    @Override
    public DeferredData deferred() {
        return deferred;
    }

    /** What knows the keys of {@link #deferred}; null if there is none. */
    @Nullable
    DeferredStore<?> keys() {
        return deferring;
    }

    private static TimerInstaller installer(UnitStore store, ElasticTimers services) {
        TimerInstaller direct = store.direct();
        return (queue, timer) -> {
            if (!services.schedule(queue, timer)) {
                direct.install(queue, timer);
            }
        };
    }

    /** As before a barrier. Users' code and the Table API forget what they keep of keys, too. */
    @Override
    public void flush() throws Exception {
        for (StreamOperator<?> operator : feeding) {
            operator.prepareSnapshotPreBarrier(NO_CHECKPOINT);
        }
        for (ForgetsKeys code : forgetting) {
            code.forgetKeys();
        }
    }

    @Override
    public byte[] schema() throws IOException {
        int[] now = stores.stream().mapToInt(UnitStore::schemaVersion).toArray();
        if (schema == null || !Arrays.equals(now, versions)) {
            buffer.clear();
            for (UnitStore store : stores) {
                store.writeSchema(buffer);
            }
            versions = now;
            schema = buffer.getCopyOfBuffer();
        }
        return schema;
    }

    @Override
    public void readSchema(int donor, Priority priority, byte[] bytes)
            throws IOException, StateMigrationException {
        DataInputDeserializer in = new DataInputDeserializer(bytes);
        UnitSchema[] read = new UnitSchema[stores.size()];
        for (int i = 0; i < read.length; i++) {
            read[i] = stores.get(i).readSchema(in);
        }
        schemas.put(path(donor, priority), read);
    }

    private static int path(int donor, Priority priority) {
        return donor * Priority.COUNT + priority.ordinal();
    }

    /** Per store the time of its keys, and what it has of the unit, compressed or not. */
    @Override
    public byte[] extract(int unit) throws IOException {
        long start = System.nanoTime();
        buffer.clear();
        long saved = 0;
        for (int i = 0; i < stores.size(); i++) {
            UnitCompression compression = compressions.get(i);
            long before = compression.bytesSaved();
            buffer.writeLong(times.get(i).of(unit));
            stores.get(i).extract(unit / subGroups, unit % subGroups, buffer, compression);
            saved += compression.bytesSaved() - before;
        }
        byte[] state = buffer.getCopyOfBuffer();
        metrics.extracted(state.length, saved);
        stopped(start);
        return state;
    }

    @Override
    public void install(int donor, Priority priority, int unit, ByteBuffer state)
            throws IOException {
        long start = System.nanoTime();
        DataInputDeserializer in = new DataInputDeserializer(state);
        UnitSchema[] donorSchemas = schemas.get(path(donor, priority));
        for (int i = 0; i < stores.size(); i++) {
            long time = in.readLong();
            stores.get(i)
                    .install(
                            unit / subGroups, unit % subGroups, in, donorSchemas[i], timers.get(i));
            times.get(i).come(unit, time);
        }
        stopped(start);
    }

    @Override
    public byte[] broadcastState() throws Exception {
        return BroadcastTransfer.write(chain);
    }

    @Override
    public void installBroadcastState(byte[] state) throws Exception {
        BroadcastTransfer.install(chain, state, userCode);
    }

    @Override
    public long nextEventTime() {
        long next = Long.MAX_VALUE;
        for (UnitStore store : stores) {
            next = Math.min(next, ElasticTimers.nextEventTime(store));
        }
        return next;
    }

    private void stopped(long startNanos) {
        longestStopNanos = Math.max(longestStopNanos, System.nanoTime() - startNanos);
    }

    @Override
    public long longestStopNanos() {
        return longestStopNanos;
    }
}
