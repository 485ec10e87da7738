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

package org.apache.flink.runtime.state.heap;

import java.util.Iterator;
import javax.annotation.Nullable;
import org.apache.flink.runtime.state.StateEntry;
import org.apache.flink.runtime.state.StateSnapshotTransformer;

/**
 * Bridge to the snapshot of one {@link CopyOnWriteStateMap}, split into counting and iterating.
 *
 * <p>Flink's own {@link CopyOnWriteStateMapSnapshot} writes a count and the entries of its map in
 * one go. A key-group that consists of several maps needs one count for all of them first, and with
 * a transformer (TTL) a count is known only after the entries have been filtered.
 *
 * <p>Created by the task thread; afterwards used by one thread at a time, the one that writes or
 * discards the checkpoint.
 */
public final class SubMapSnapshot<K, N, S> {

    private final CopyOnWriteStateMap<K, N, S> owner;
    private final int version;
    private final int size;
    private CopyOnWriteStateMap.StateMapEntry<K, N, S>[] entries;
    private boolean released;

    /** Takes the snapshot: from now on the map copies what it changes. Task thread. */
    public SubMapSnapshot(CopyOnWriteStateMap<K, N, S> owner) {
        this.owner = owner;
        this.entries = owner.snapshotMapArrays();
        this.version = owner.getStateMapVersion();
        this.size = owner.size();
    }

    /**
     * The entries that are to be written. To be called once; filters all entries with the
     * transformer, if there is one.
     */
    public Entries<K, N, S> entries(@Nullable StateSnapshotTransformer<S> transformer) {
        if (entries == null) {
            throw new IllegalStateException("The snapshot was already written or released");
        }
        CopyOnWriteStateMapSnapshot.SnapshotIterator<K, N, S> iterator =
                transformer == null
                        ? new CopyOnWriteStateMapSnapshot.NonTransformSnapshotIterator<>(
                                size, entries)
                        : new CopyOnWriteStateMapSnapshot.TransformedSnapshotIterator<>(
                                size, entries, transformer);
        entries = null;
        return new Entries<>(iterator);
    }

    /** Lets the map stop copying for this snapshot. May be called repeatedly. */
    public void release() {
        if (!released) {
            released = true;
            entries = null;
            owner.releaseSnapshot(version);
        }
    }

    /** What is left of a snapshot after filtering; iterates once. */
    public static final class Entries<K, N, S> implements Iterator<StateEntry<K, N, S>> {

        private final CopyOnWriteStateMapSnapshot.SnapshotIterator<K, N, S> iterator;

        private Entries(CopyOnWriteStateMapSnapshot.SnapshotIterator<K, N, S> iterator) {
            this.iterator = iterator;
        }

        /** Number of entries in total, however many were iterated. */
        public int size() {
            return iterator.size();
        }

        @Override
        public boolean hasNext() {
            return iterator.hasNext();
        }

        @Override
        public StateEntry<K, N, S> next() {
            return iterator.next();
        }
    }
}
