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
 * Flink's key context plus the sub-group of the current key and its place in it.
 *
 * <p>Computing them when the key is set, instead of at each access to a state, takes them off the
 * path to the entry: the processor mixes while it divides for the key-group. Task thread.
 *
 * @param <K> type of key
 */
final class UnitKeyContext<K> extends InternalKeyContextImpl<K> {

    private final UnitHash unitHash;
    private long place;

    /** How often a key of each key-group has been made the current one. */
    private final long[] selections;

    UnitKeyContext(KeyGroupRange keyGroupRange, int numberOfKeyGroups, int subGroups) {
        super(keyGroupRange, numberOfKeyGroups);
        this.unitHash = new UnitHash(subGroups);
        this.selections = new long[numberOfKeyGroups];
    }

    @Override
    public void setCurrentKeyGroupIndex(int keyGroup) {
        super.setCurrentKeyGroupIndex(keyGroup);
        selections[keyGroup]++;
    }

    long selections(int keyGroup) {
        return selections[keyGroup];
    }

    @Override
    public void setCurrentKey(@Nonnull K key) {
        super.setCurrentKey(key);
        // Flink refuses a null key, with a message, right after this call.
        place = key == null ? 0 : unitHash.place(key.hashCode());
    }

    /** Number of sub-groups per key-group, 1..{@link SubGroups#MAX}. */
    int subGroups() {
        return unitHash.subGroups();
    }

    UnitHash unitHash() {
        return unitHash;
    }

    /** {@link UnitHash#place} of the current key. */
    long place() {
        return place;
    }

    /** Sub-group of the current key. */
    int subGroup() {
        return (int) (place >>> 32);
    }
}
