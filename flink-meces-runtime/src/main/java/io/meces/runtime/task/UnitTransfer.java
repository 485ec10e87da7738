/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

package io.meces.runtime.task;

import io.meces.runtime.courier.Lane;
import io.meces.runtime.transition.TransitionMetrics;
import io.meces.state.Compression;
import io.meces.state.ForgetsKeys;
import io.meces.state.MecesKeyedStateBackend;
import io.meces.state.TimerInstaller;
import io.meces.state.UnitCompression;
import io.meces.state.UnitSchema;
import io.meces.state.UnitStore;
import java.io.IOException;
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
final class UnitTransfer {

    /** Instead of the id of a checkpoint; Flink's begin at 1. */
    private static final long NO_CHECKPOINT = 0;

    private final List<UnitStore<?>> stores = new ArrayList<>();
    private final List<UnitCompression> compressions = new ArrayList<>();
    private final List<TimerInstaller> timers = new ArrayList<>();

    /** Per receiver and lane: the schema that it has been sent last. */
    private final Map<Path, Schema> sent = new HashMap<>();

    /** Per donor and lane: the schemas of its stores. */
    private final Map<Path, UnitSchema[]> schemas = new HashMap<>();

    /** The operators in front of keyed state: all up to the last that has some. */
    private final List<StreamOperator<?>> feeding = new ArrayList<>();

    private final List<ForgetsKeys> forgetting = new ArrayList<>();
    private final TransitionMetrics metrics;
    private final DataOutputSerializer buffer = new DataOutputSerializer(4096);
    @Nullable private Schema current;
    private long longestStopNanos;

    UnitTransfer(OperatorChain<?, ?> chain, Compression compression, TransitionMetrics metrics) {
        this.metrics = metrics;
        List<StreamOperator<?>> operators = new ArrayList<>();
        for (StreamOperatorWrapper<?, ?> wrapper : chain.getAllOperators()) {
            StreamOperator<?> operator = wrapper.getStreamOperator();
            operators.add(operator);
            for (Object code : UserCode.of(operator)) {
                if (code instanceof ForgetsKeys) {
                    forgetting.add((ForgetsKeys) code);
                }
            }
            KeyedStateBackend<?> backend = ElasticTimers.keyedStateBackend(operator);
            if (backend instanceof MecesKeyedStateBackend) {
                UnitStore<?> store = ((MecesKeyedStateBackend<?>) backend).units();
                stores.add(store);
                compressions.add(new UnitCompression(compression));
                timers.add(installer(store, ElasticTimers.of(operator)));
                feeding.addAll(operators);
                operators.clear();
            } else if (backend != null) {
                throw new IllegalStateException(
                        "Operator "
                                + operator.getOperatorID()
                                + " has the keyed state backend "
                                + backend
                                + ", which cannot be rescaled live; set state.backend:"
                                + " io.meces.state.MecesStateBackendFactory");
            }
        }
    }

    private static TimerInstaller installer(UnitStore<?> store, ElasticTimers services) {
        TimerInstaller direct = store.direct();
        return (queue, timer) -> {
            if (!services.schedule(queue, timer)) {
                direct.install(queue, timer);
            }
        };
    }

    /**
     * Has operators that keep records in memory work them off, as before a barrier: what they hold
     * may be of a unit that is about to leave. And has users' code forget what it keeps of keys. To
     * be called at a record boundary.
     */
    void flush() throws Exception {
        for (StreamOperator<?> operator : feeding) {
            operator.prepareSnapshotPreBarrier(NO_CHECKPOINT);
        }
        for (ForgetsKeys code : forgetting) {
            code.forgetKeys();
        }
    }

    /** What is needed to read the units that are extracted until something changes. */
    Schema schema() throws IOException {
        int[] versions = stores.stream().mapToInt(UnitStore::schemaVersion).toArray();
        if (current == null || !Arrays.equals(versions, current.versions)) {
            buffer.clear();
            for (UnitStore<?> store : stores) {
                store.writeSchema(buffer);
            }
            current = new Schema(versions, buffer.getCopyOfBuffer());
        }
        return current;
    }

    /** Whether a schema is not the one that a receiver has been sent last in that lane. */
    boolean isNew(Schema schema, int receiver, Lane lane) {
        return sent.get(new Path(receiver, lane)) != schema;
    }

    /** A receiver is sent a schema. */
    void onSent(Schema schema, int receiver, Lane lane) {
        sent.put(new Path(receiver, lane), schema);
    }

    void readSchema(int donor, Lane lane, byte[] bytes)
            throws IOException, StateMigrationException {
        DataInputDeserializer in = new DataInputDeserializer(bytes);
        UnitSchema[] read = new UnitSchema[stores.size()];
        for (int i = 0; i < read.length; i++) {
            read[i] = stores.get(i).readSchema(in);
        }
        schemas.put(new Path(donor, lane), read);
    }

    /** Serialises a unit, compressed or not, and removes it from the state. */
    byte[] extract(int unit, int subGroups) throws IOException {
        long start = System.nanoTime();
        buffer.clear();
        long saved = 0;
        for (int i = 0; i < stores.size(); i++) {
            UnitCompression compression = compressions.get(i);
            long before = compression.bytesSaved();
            stores.get(i).extract(unit / subGroups, unit % subGroups, buffer, compression);
            saved += compression.bytesSaved() - before;
        }
        byte[] state = buffer.getCopyOfBuffer();
        metrics.extracted(state.length, saved);
        stopped(start);
        return state;
    }

    /** Puts a unit into the state, from its serialised form. */
    void install(int donor, Lane lane, int unit, int subGroups, DataInputDeserializer in)
            throws IOException {
        long start = System.nanoTime();
        UnitSchema[] donorSchemas = schemas.get(new Path(donor, lane));
        for (int i = 0; i < stores.size(); i++) {
            stores.get(i)
                    .install(
                            unit / subGroups, unit % subGroups, in, donorSchemas[i], timers.get(i));
        }
        stopped(start);
    }

    /** When the first event-time timer is to fire; {@link Long#MAX_VALUE} if there is none. */
    long nextEventTime() {
        long next = Long.MAX_VALUE;
        for (UnitStore<?> store : stores) {
            next = Math.min(next, ElasticTimers.nextEventTime(store));
        }
        return next;
    }

    private void stopped(long startNanos) {
        longestStopNanos = Math.max(longestStopNanos, System.nanoTime() - startNanos);
    }

    /** The longest that a single unit has kept the task. */
    long longestStopNanos() {
        return longestStopNanos;
    }

    /** How units of one time are to be read. There is one object for each. */
    static final class Schema {
        private final int[] versions;
        private final byte[] bytes;

        private Schema(int[] versions, byte[] bytes) {
            this.versions = versions;
            this.bytes = bytes;
        }

        byte[] bytes() {
            return bytes;
        }
    }

    /** A peer and a lane; what goes in different lanes may overtake each other. */
    private static final class Path {
        private final int peer;
        private final Lane lane;

        private Path(int peer, Lane lane) {
            this.peer = peer;
            this.lane = lane;
        }

        @Override
        public boolean equals(Object o) {
            return o instanceof Path && ((Path) o).peer == peer && ((Path) o).lane == lane;
        }

        @Override
        public int hashCode() {
            return peer * Lane.COUNT + lane.ordinal();
        }
    }
}
