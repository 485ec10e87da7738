// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.state;

import org.apache.flink.runtime.state.InternalKeyContextImpl;
import org.apache.flink.runtime.state.KeyGroupRange;

/**
 * Flink's key context, whose package is not the same in all lines. Task thread.
 *
 * <p>A negative index of the current key-group says that its key has no state here; Flink's own
 * refuses that.
 */
public abstract class KeyContext<K> extends InternalKeyContextImpl<K> {

    private boolean nowhere;

    protected KeyContext(KeyGroupRange keyGroupRange, int numberOfKeyGroups) {
        super(keyGroupRange, numberOfKeyGroups);
    }

    @Override
    public void setCurrentKeyGroupIndex(int keyGroup) {
        nowhere = keyGroup < 0;
        if (!nowhere) {
            super.setCurrentKeyGroupIndex(keyGroup);
        }
    }

    @Override
    public int getCurrentKeyGroupIndex() {
        return nowhere ? -1 : super.getCurrentKeyGroupIndex();
    }
}
