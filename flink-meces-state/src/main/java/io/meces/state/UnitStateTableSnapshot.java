// SPDX-License-Identifier: Apache-2.0
package io.meces.state;

import io.meces.flink.state.TableSnapshot;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import javax.annotation.Nonnull;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.runtime.state.StateEntry;
import org.apache.flink.runtime.state.StateSnapshot;
import org.apache.flink.runtime.state.StateSnapshotTransformer;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot;

/**
 * Snapshot of one state, in the format of Flink's heap backend.
 *
 * <p>Made by the task thread, then owned by the thread that writes or discards the checkpoint; that
 * is why it has serializers of its own.
 */
final class UnitStateTableSnapshot<K, N, S>
        implements TableSnapshot<K, N, S>, StateSnapshot.StateKeyGroupWriter {

    private final UnitStateTable<K, N, S> table;
    private final int keyGroupOffset;
    private final TypeSerializer<K> keySerializer;
    private final TypeSerializer<N> namespaceSerializer;
    private final TypeSerializer<S> stateSerializer;
    @Nullable private final StateSnapshotTransformer<S> transformer;
    private final List<UnitStateMapSnapshot<K, N, S>> keyGroups = new ArrayList<>();

    /** Only a snapshot that is being written has one. */
    @Nullable private BlockOutput block;

    UnitStateTableSnapshot(UnitStateTable<K, N, S> table) {
        this.table = table;
        this.keyGroupOffset = table.getKeyGroupOffset();
        this.keySerializer = table.getKeySerializer().duplicate();
        this.namespaceSerializer = table.getNamespaceSerializer().duplicate();
        this.stateSerializer = table.getStateSerializer().duplicate();
        this.transformer =
                table.getMetaInfo()
                        .getStateSnapshotTransformFactory()
                        .createForDeserializedState()
                        .orElse(null);
        table.forEachKeyGroup(map -> keyGroups.add(map.stateSnapshot()));
    }

    @Override
    @Nonnull
    public StateKeyGroupWriter getKeyGroupWriter() {
        return this;
    }

    // Called while the task thread still takes the snapshot, so the table may be read.
    @Override
    @Nonnull
    public StateMetaInfoSnapshot getMetaInfoSnapshot() {
        return table.getMetaInfo().snapshot();
    }

    @Override
    public void writeStateInKeyGroup(@Nonnull DataOutputView out, int keyGroup) throws IOException {
        UnitStateMapSnapshot<K, N, S> snapshot = keyGroups.get(keyGroup - keyGroupOffset);
        if (block == null) {
            block = new BlockOutput();
        }
        block.to(out);
        snapshot.writeState(
                keySerializer, namespaceSerializer, stateSerializer, block, transformer);
        block.flush();
        snapshot.release();
    }

    @Override
    public Iterator<StateEntry<K, N, S>> getIterator(int keyGroup) {
        return keyGroups
                .get(keyGroup - keyGroupOffset)
                .getIterator(keySerializer, namespaceSerializer, stateSerializer, transformer);
    }

    @Override
    public void release() {
        block = null;
        for (UnitStateMapSnapshot<K, N, S> keyGroup : keyGroups) {
            keyGroup.release();
        }
    }
}
