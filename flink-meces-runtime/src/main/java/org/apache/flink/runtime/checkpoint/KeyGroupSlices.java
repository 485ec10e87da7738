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

package org.apache.flink.runtime.checkpoint;

import java.io.ByteArrayOutputStream;
import java.util.TreeSet;
import javax.annotation.Nullable;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeOffsets;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;

/** Cuts handles of keyed state by key-groups. Stateless, for any thread. */
final class KeyGroupSlices {

    private KeyGroupSlices() {}

    /**
     * What a handle has of a range; the handle itself if it has no more than that, null if it has
     * nothing of it.
     */
    @Nullable
    static KeyedStateHandle slice(KeyedStateHandle handle, KeyGroupRange range) {
        KeyGroupRange own = handle.getKeyGroupRange();
        if (range.getIntersection(own).equals(own)) {
            return handle;
        }
        KeyedStateHandle slice = handle.getIntersection(range);
        if (slice instanceof KeyGroupsStateHandle) {
            StreamStateHandle stream = ((KeyGroupsStateHandle) slice).getDelegateStateHandle();
            if (stream instanceof ByteStreamStateHandle) {
                return copy(
                        (KeyGroupsStateHandle) handle,
                        slice.getKeyGroupRange(),
                        (ByteStreamStateHandle) stream);
            }
        }
        return slice;
    }

    /**
     * Small state is in the handle itself, and would be written to the metadata as a whole with
     * each slice. Such a stream has a head, which every reader needs, and then the key-groups; each
     * ends where the next one begins.
     */
    private static KeyedStateHandle copy(
            KeyGroupsStateHandle handle, KeyGroupRange range, ByteStreamStateHandle stream) {
        byte[] bytes = stream.getData();
        TreeSet<Long> starts = new TreeSet<>();
        for (int keyGroup : handle.getKeyGroupRange()) {
            // a raw stream has no offset for what was not written
            if (handle.getOffsetForKeyGroup(keyGroup) >= 0) {
                starts.add(handle.getOffsetForKeyGroup(keyGroup));
            }
        }
        starts.add((long) bytes.length);
        ByteArrayOutputStream slice = new ByteArrayOutputStream();
        slice.write(bytes, 0, starts.first().intValue());
        KeyGroupRangeOffsets offsets = new KeyGroupRangeOffsets(range);
        for (int keyGroup : range) {
            long start = handle.getOffsetForKeyGroup(keyGroup);
            if (start < 0) {
                offsets.setKeyGroupOffset(keyGroup, start);
            } else {
                offsets.setKeyGroupOffset(keyGroup, slice.size());
                Long end = starts.higher(start);
                slice.write(bytes, (int) start, end == null ? 0 : (int) (end - start));
            }
        }
        return new KeyGroupsStateHandle(
                offsets,
                new ByteStreamStateHandle(
                        stream.getHandleName() + " " + range, slice.toByteArray()));
    }
}
