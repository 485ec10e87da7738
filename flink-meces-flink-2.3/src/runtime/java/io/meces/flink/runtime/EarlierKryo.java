// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import io.meces.state.KryoParts;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputViewStreamWrapper;
import org.apache.flink.runtime.checkpoint.CompletedCheckpoint;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.metadata.MetadataV4Serializer;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedBackendSerializationProxy;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.OperatorBackendSerializationProxy;
import org.apache.flink.runtime.state.OperatorStateHandle;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot;

/**
 * What Kryo of an earlier line of Flink has written, which this one may read as other values. Flink
 * 2 has Kryo 5, whose format differs, and takes what Kryo 2 of Flink 1 has written for compatible
 * as it is. What a value becomes depends on its class: the same, another one, or an exception.
 */
public final class EarlierKryo {

    private EarlierKryo() {}

    /**
     * Parts of state, such as "state 'time' (java.time.Year)", in order; empty unless Flink 1 has
     * written the checkpoint. Reads the head of each state.
     *
     * @throws IOException if that cannot be read
     */
    public static List<String> wrote(CompletedCheckpoint checkpoint, ClassLoader userCode)
            throws IOException {
        Set<String> parts = new TreeSet<>();
        if (formatOf(checkpoint.getMetadataHandle()) <= MetadataV4Serializer.VERSION) {
            for (OperatorState operator : checkpoint.getOperatorStates().values()) {
                for (OperatorSubtaskState subtask : operator.getStates()) {
                    addKeyed(subtask.getManagedKeyedState(), userCode, parts);
                    addOperator(subtask.getManagedOperatorState(), userCode, parts);
                }
            }
        }
        return new ArrayList<>(parts);
    }

    /** Flink 1.20 writes the fourth, Flink 2.0 the fifth. */
    private static int formatOf(StreamStateHandle metadata) throws IOException {
        try (DataInputStream in = new DataInputStream(metadata.openInputStream())) {
            in.readInt(); // the magic number
            return in.readInt();
        }
    }

    private static void addKeyed(
            Iterable<KeyedStateHandle> handles, ClassLoader userCode, Set<String> parts)
            throws IOException {
        for (KeyedStateHandle handle : handles) {
            StreamStateHandle head =
                    handle instanceof IncrementalRemoteKeyedStateHandle
                            ? ((IncrementalRemoteKeyedStateHandle) handle).getMetaDataStateHandle()
                            : handle instanceof KeyGroupsStateHandle
                                    ? (KeyGroupsStateHandle) handle
                                    : null;
            if (head == null) {
                continue;
            }
            KeyedBackendSerializationProxy<?> states =
                    new KeyedBackendSerializationProxy<>(userCode);
            try (DataInputViewStreamWrapper in =
                    new DataInputViewStreamWrapper(head.openInputStream())) {
                states.read(in);
            }
            add("the keys", states.getKeySerializerSnapshot(), parts);
            add(states.getStateMetaInfoSnapshots(), parts);
        }
    }

    private static void addOperator(
            Iterable<OperatorStateHandle> handles, ClassLoader userCode, Set<String> parts)
            throws IOException {
        for (OperatorStateHandle handle : handles) {
            OperatorBackendSerializationProxy states =
                    new OperatorBackendSerializationProxy(userCode);
            try (DataInputViewStreamWrapper in =
                    new DataInputViewStreamWrapper(handle.openInputStream())) {
                states.read(in);
            }
            add(states.getOperatorStateMetaInfoSnapshots(), parts);
            add(states.getBroadcastStateMetaInfoSnapshots(), parts);
        }
    }

    private static void add(List<StateMetaInfoSnapshot> states, Set<String> parts) {
        for (StateMetaInfoSnapshot state : states) {
            for (TypeSerializerSnapshot<?> part :
                    state.getSerializerSnapshotsImmutable().values()) {
                add("state '" + state.getName() + "'", part, parts);
            }
        }
    }

    private static void add(String owner, TypeSerializerSnapshot<?> of, Set<String> parts) {
        KryoParts.forEach(
                of.restoreSerializer(),
                (path, kryo) ->
                        parts.add(
                                owner
                                        + (path.isEmpty() ? "" : ", field '" + path + "'")
                                        + " ("
                                        + KryoParts.typeOf(kryo).getName()
                                        + ")"));
    }
}
