// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import org.apache.flink.runtime.state.KeyGroupRangeOffsets;
import org.apache.flink.runtime.state.KeyGroupsSavepointStateHandle;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.StreamStateHandle;

/** Handles of keyed state that is in one stream. Pure. */
public final class KeyGroupsHandles {

    private KeyGroupsHandles() {}

    /** What another stream has, written in the format of a handle. */
    public static KeyGroupsStateHandle alike(
            KeyGroupsStateHandle handle, KeyGroupRangeOffsets offsets, StreamStateHandle stream) {
        return handle instanceof KeyGroupsSavepointStateHandle
                ? new KeyGroupsSavepointStateHandle(offsets, stream)
                : new KeyGroupsStateHandle(offsets, stream);
    }
}
