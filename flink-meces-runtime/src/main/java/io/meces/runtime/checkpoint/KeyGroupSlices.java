// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.checkpoint;

import io.meces.flink.runtime.KeyGroupsHandles;
import java.util.Arrays;
import java.util.stream.LongStream;
import javax.annotation.Nullable;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeOffsets;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;

/**
 * Cuts a handle of keyed state into ranges of key-groups. Looks at the key-groups of the handle
 * once for all ranges, and once more at those of each range: all slices of a handle take linear
 * time, and share its bytes. Not thread-safe.
 */
final class KeyGroupSlices {

    /** A full snapshot of RocksDB has 0 for a key-group without entries. */
    private static final long LEAST_MANAGED = 1;

    private final KeyedStateHandle handle;

    /** The least offset that a key-group can have in the stream. */
    private final long leastOffset;

    /** Where the key-groups begin in the stream of the handle, in order; null: not known yet. */
    @Nullable private long[] starts;

    private KeyGroupSlices(KeyedStateHandle handle, long leastOffset) {
        this.handle = handle;
        this.leastOffset = leastOffset;
    }

    /** Of keyed state of a backend: begins with what is common to all key-groups. */
    static KeyGroupSlices ofManaged(KeyedStateHandle handle) {
        return new KeyGroupSlices(handle, LEAST_MANAGED);
    }

    /** Of a raw stream: begins with a key-group, and has -1 for what was not written. */
    static KeyGroupSlices ofRaw(KeyedStateHandle handle) {
        return new KeyGroupSlices(handle, 0);
    }

    /**
     * What the handle has of a range; the handle itself if it has no more than that, null if it has
     * nothing of it.
     */
    @Nullable
    KeyedStateHandle slice(KeyGroupRange range) {
        KeyGroupRange own = handle.getKeyGroupRange();
        if (range.getIntersection(own).equals(own)) {
            return handle;
        }
        if (handle instanceof IncrementalRemoteKeyedStateHandle) {
            return FileSets.whole((IncrementalRemoteKeyedStateHandle) handle, range);
        }
        KeyedStateHandle slice = handle.getIntersection(range);
        if (slice instanceof KeyGroupsStateHandle) {
            StreamStateHandle stream = ((KeyGroupsStateHandle) slice).getDelegateStateHandle();
            if (stream instanceof ByteStreamStateHandle) {
                return cut((KeyGroupsStateHandle) slice, (ByteStreamStateHandle) stream);
            }
        }
        return slice;
    }

    /**
     * Small state is in the handle itself, and would be written to the metadata as a whole with
     * each slice. Such a stream has a head, which every reader needs, and then the key-groups; each
     * ends where the next one begins.
     */
    private KeyedStateHandle cut(KeyGroupsStateHandle whole, ByteStreamStateHandle stream) {
        if (starts == null) {
            starts = starts((KeyGroupsStateHandle) handle, leastOffset);
        }
        byte[] bytes = stream.getData();
        KeyGroupRange range = whole.getKeyGroupRange();
        KeyGroupRangeOffsets offsets = new KeyGroupRangeOffsets(range);
        SharedBytes.Builder slice = new SharedBytes.Builder(bytes);
        slice.add(0, starts.length == 0 ? bytes.length : (int) starts[0]);
        for (int keyGroup : range) {
            long start = whole.getOffsetForKeyGroup(keyGroup);
            if (start < leastOffset) {
                offsets.setKeyGroupOffset(keyGroup, start);
            } else {
                offsets.setKeyGroupOffset(keyGroup, slice.length());
                int next = Arrays.binarySearch(starts, start) + 1;
                slice.add((int) start, (int) (next < starts.length ? starts[next] : bytes.length));
            }
        }
        return KeyGroupsHandles.alike(
                whole, offsets, slice.build(stream.getHandleName() + " " + range));
    }

    /** Where the key-groups of keyed state of a backend begin in its stream, in order. */
    static long[] starts(KeyGroupsStateHandle managed) {
        return starts(managed, LEAST_MANAGED);
    }

    private static long[] starts(KeyGroupsStateHandle handle, long leastOffset) {
        KeyGroupRange range = handle.getKeyGroupRange();
        return LongStream.range(range.getStartKeyGroup(), range.getEndKeyGroup() + 1L)
                .map(keyGroup -> handle.getOffsetForKeyGroup((int) keyGroup))
                .filter(start -> start >= leastOffset)
                .sorted()
                .distinct()
                .toArray();
    }
}
