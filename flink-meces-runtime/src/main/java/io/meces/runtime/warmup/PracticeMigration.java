// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.warmup;

import io.meces.core.command.StepMoves;
import io.meces.core.command.StepStatistics;
import io.meces.core.exchange.FlowControl;
import io.meces.core.protocol.MigratingElement;
import io.meces.core.protocol.MigrationOrder;
import io.meces.core.protocol.MigrationPort;
import io.meces.core.protocol.MigrationSettings;
import io.meces.core.protocol.MigrationStart;
import io.meces.core.protocol.SubtaskMigration;
import io.meces.core.waiting.ReadAheadMemory;
import io.meces.core.waiting.Waiting;
import io.meces.flink.runtime.LocalRecovery;
import io.meces.flink.state.AccessMetrics;
import io.meces.flink.state.BackendEnvironment;
import io.meces.state.Compression;
import io.meces.state.MecesKeyedStateBackend;
import io.meces.state.SubGroups;
import io.meces.state.UnitCompression;
import io.meces.state.UnitKeyContext;
import io.meces.state.UnitSchema;
import java.util.BitSet;
import java.util.Collections;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.state.InternalPriorityQueue;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.UncompressedStreamCompressionDecorator;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;
import org.apache.flink.streaming.api.operators.TimerHeapInternalTimer;
import org.apache.flink.streaming.api.operators.TimerSerializer;

/**
 * Moves units of a small state, timers too, between two backends by the migration protocol, back
 * and forth, until the code is compiled. Used by one thread.
 */
final class PracticeMigration {

    private static final int KEY_GROUPS = 8;
    private static final int SUB_GROUPS = 8;
    private static final int KEYS = 4_000;
    private static final long DURATION_NANOS = 600_000_000L;

    private final MecesKeyedStateBackend<Long>[] backends;
    private final InternalPriorityQueue<TimerHeapInternalTimer<Long, VoidNamespace>>[] timers;
    private final SubtaskMigration<Element>[] subtasks;
    private final UnitSchema[] schemas = new UnitSchema[2];
    private final UnitCompression[] compressions = new UnitCompression[2];
    private final DataOutputSerializer buffer = new DataOutputSerializer(1024);
    private long records;

    @SuppressWarnings("unchecked")
    private PracticeMigration(Compression compression) throws Exception {
        backends = new MecesKeyedStateBackend[] {backend(), backend()};
        timers = new InternalPriorityQueue[] {timers(backends[0]), timers(backends[1])};
        subtasks = new SubtaskMigration[2];
        for (long key = 0; key < KEYS; key++) {
            count(0, key);
        }
        for (int i = 0; i < 2; i++) {
            state(i, 0);
            subtasks[i] = subtask(i);
            compressions[i] = new UnitCompression(compression);
        }
        for (int i = 0; i < 2; i++) {
            buffer.clear();
            backends[1 - i].units().writeSchema(buffer);
            schemas[i] =
                    backends[i]
                            .units()
                            .readSchema(new DataInputDeserializer(buffer.getCopyOfBuffer()));
        }
    }

    /** Takes a bit more than half a second. */
    static void run(Compression compression) throws Exception {
        PracticeMigration practice = new PracticeMigration(compression);
        long end = System.nanoTime() + DURATION_NANOS;
        for (int step = 1; System.nanoTime() - end < 0; step++) {
            practice.move(step, (step + 1) % 2, step % 2);
        }
        for (MecesKeyedStateBackend<Long> backend : practice.backends) {
            backend.dispose();
        }
    }

    private void move(int step, int from, int to) throws Exception {
        int[] keyGroups = new int[KEY_GROUPS];
        int[] froms = new int[KEY_GROUPS];
        int[] tos = new int[KEY_GROUPS];
        for (int g = 0; g < KEY_GROUPS; g++) {
            keyGroups[g] = g;
            froms[g] = from;
            tos[g] = to;
        }
        StepMoves moves = new StepMoves(step, keyGroups, froms, tos, 0);
        subtasks[to].startStep(moves, 0);
        subtasks[from].startStep(moves, 0);
        for (long key = 0; key < KEYS; key += 7) {
            subtasks[from].onRecord(new Element(key));
        }
        subtasks[to].onMarker(step, 0);
        for (long key = 0; key < KEYS; key += 5) {
            subtasks[to].onRecord(new Element(key));
        }
        subtasks[from].onMarker(step, 0);
        while (subtasks[from].canPush()) {
            subtasks[from].push(to);
        }
        while (subtasks[to].processBacklog()) {
            records++;
        }
    }

    private ValueState<Long> state(int subtask, long key) throws Exception {
        backends[subtask].setCurrentKey(key);
        return backends[subtask].getPartitionedState(
                VoidNamespace.INSTANCE,
                VoidNamespaceSerializer.INSTANCE,
                new ValueStateDescriptor<>("count", LongSerializer.INSTANCE));
    }

    private void count(int subtask, long key) throws Exception {
        ValueState<Long> state = state(subtask, key);
        Long count = state.value();
        state.update(count == null ? 1 : count + 1);
        if (count == null) {
            timers[subtask].add(new TimerHeapInternalTimer<>(-key, key, VoidNamespace.INSTANCE));
        }
    }

    private static InternalPriorityQueue<TimerHeapInternalTimer<Long, VoidNamespace>> timers(
            MecesKeyedStateBackend<Long> backend) {
        return backend.create(
                "timers",
                new TimerSerializer<>(LongSerializer.INSTANCE, VoidNamespaceSerializer.INSTANCE));
    }

    private SubtaskMigration<Element> subtask(int index) {
        BitSet channels = new BitSet();
        channels.set(0);
        return new SubtaskMigration<>(
                new MigrationSettings(
                        index,
                        KEY_GROUPS,
                        SUB_GROUPS,
                        MigrationOrder.DEMAND,
                        new FlowControl(0, 0, 0, 0),
                        MigrationSettings.Pace.OF_TASKS,
                        ReadAheadMemory.unlimited().share()),
                new MigrationStart(true, channels, new BitSet(), false, 0, false),
                new Port(index),
                record -> count(index, record.key),
                new Waiting<>(System::nanoTime, nanos -> {}));
    }

    private static MecesKeyedStateBackend<Long> backend() throws Exception {
        return MecesKeyedStateBackend.restore(
                new BackendEnvironment(
                        "practice",
                        null,
                        PracticeMigration.class.getClassLoader(),
                        new ExecutionConfig(),
                        TtlTimeProvider.DEFAULT,
                        UncompressedStreamCompressionDecorator.INSTANCE,
                        AccessMetrics.none()),
                LongSerializer.INSTANCE,
                new UnitKeyContext<>(
                        KeyGroupRange.of(0, KEY_GROUPS - 1), KEY_GROUPS, SUB_GROUPS, null),
                LocalRecovery.none(),
                Collections.emptyList(),
                new CloseableRegistry());
    }

    /** A record. */
    private static final class Element implements MigratingElement {
        final long key;

        Element(long key) {
            this.key = key;
        }

        @Override
        public boolean isForAllKeys() {
            return false;
        }

        @Override
        public int channel() {
            return 0;
        }

        @Override
        public int unit() {
            return KeyGroupRangeAssignment.assignToKeyGroup(key, KEY_GROUPS) * SUB_GROUPS
                    + SubGroups.of(key, SUB_GROUPS);
        }
    }

    /** Connects the two subtasks by direct calls. */
    private final class Port implements MigrationPort<Element> {
        private final int self;

        Port(int self) {
            this.self = self;
        }

        @Override
        public long nanoTime() {
            return System.nanoTime();
        }

        @Override
        public long sendUnit(int receiver, int unit, boolean onDemand) throws Exception {
            buffer.clear();
            backends[self]
                    .units()
                    .extract(unit / SUB_GROUPS, unit % SUB_GROUPS, buffer, compressions[self]);
            byte[] bytes = buffer.getCopyOfBuffer();
            backends[receiver]
                    .units()
                    .install(
                            unit / SUB_GROUPS,
                            unit % SUB_GROUPS,
                            new DataInputDeserializer(bytes),
                            schemas[receiver],
                            backends[receiver].units().direct());
            subtasks[receiver].onUnitInstalled(self, unit);
            return bytes.length;
        }

        @Override
        public void forward(int receiver, int unit, Element record) {
            subtasks[receiver].onForwarded(self, unit, record);
        }

        @Override
        public void forwardAhead(int receiver, int unit, Element record) {
            subtasks[receiver].onForwardedAhead(self, unit, record);
        }

        @Override
        public void sendPassed(int receiver, int channel) throws Exception {
            subtasks[receiver].onPassed(self, channel);
        }

        @Override
        public void sendAligned(int receiver) throws Exception {
            subtasks[receiver].onAligned(self);
        }

        @Override
        public void sendRequest(int donor, int unit) throws Exception {
            subtasks[donor].onRequest(self, unit);
        }

        @Override
        public void sendBroadcastState(BitSet receivers) {
            throw new UnsupportedOperationException("There are no broadcast inputs.");
        }

        @Override
        public void stepCompleted(long step, StepStatistics statistics) {
            records += statistics.recordsForwarded;
        }
    }
}
