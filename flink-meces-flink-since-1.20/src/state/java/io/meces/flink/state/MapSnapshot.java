// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.state;

import org.apache.flink.runtime.state.heap.StateMap;
import org.apache.flink.runtime.state.heap.StateMapSnapshot;

/** Snapshot of the states of a key-group. */
public abstract class MapSnapshot<K, N, S, T extends StateMap<K, N, S>>
        extends StateMapSnapshot<K, N, S, T> {

    protected MapSnapshot(T map) {
        super(map);
    }
}
