// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.state;

import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.heap.InternalKeyContextImpl;

/** Flink's key context, whose package is not the same in all lines. Task thread. */
public abstract class KeyContext<K> extends InternalKeyContextImpl<K> {

    protected KeyContext(KeyGroupRange keyGroupRange, int numberOfKeyGroups) {
        super(keyGroupRange, numberOfKeyGroups);
    }
}
