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

package io.meces.state;

import javax.annotation.Nonnull;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.heap.InternalKeyContextImpl;

/**
 * Flink's key context plus the sub-group of the current key.
 *
 * <p>Computing the sub-group when the key is set, instead of at each access to a state, takes the
 * hash off the path to the state map: the processor mixes while it divides for the key-group.
 *
 * <p>Task thread. A query thread may ask for the sub-group of another key at the same time; if its
 * key happens to be the very object that is just being replaced as current key it may miss the
 * entry, like it may miss one that Flink's map is moving while it grows.
 *
 * @param <K> type of key
 */
final class UnitKeyContext<K> extends InternalKeyContextImpl<K> {

    private final int subGroups;
    private K currentKey;
    private int currentSubGroup;

    UnitKeyContext(KeyGroupRange keyGroupRange, int numberOfKeyGroups, int subGroups) {
        super(keyGroupRange, numberOfKeyGroups);
        this.subGroups = subGroups;
    }

    @Override
    public void setCurrentKey(@Nonnull K key) {
        super.setCurrentKey(key);
        currentKey = key;
        // Flink refuses a null key, with a message, right after this call.
        currentSubGroup = key == null ? 0 : SubGroups.of(key, subGroups);
    }

    /** Number of sub-groups per key-group, 1..{@link SubGroups#MAX}. */
    int subGroups() {
        return subGroups;
    }

    /** The sub-group of any key. */
    int subGroupOf(K key) {
        return key == currentKey ? currentSubGroup : SubGroups.of(key, subGroups);
    }
}
