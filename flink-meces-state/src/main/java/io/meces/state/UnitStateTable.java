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

import java.util.function.Consumer;
import javax.annotation.Nonnull;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.state.RegisteredKeyValueStateBackendMetaInfo;
import org.apache.flink.runtime.state.heap.InternalKeyContext;
import org.apache.flink.runtime.state.heap.StateMap;
import org.apache.flink.runtime.state.heap.StateTable;

/**
 * The entries of one state: per key-group a {@link UnitStateMap}. Owned by the task thread.
 *
 * @param <K> type of key
 * @param <N> type of namespace
 * @param <S> type of state
 */
final class UnitStateTable<K, N, S> extends StateTable<K, N, S> {

    UnitStateTable(
            InternalKeyContext<K> keyContext,
            RegisteredKeyValueStateBackendMetaInfo<N, S> metaInfo,
            TypeSerializer<K> keySerializer) {
        super(keyContext, metaInfo, keySerializer);
    }

    // Called by the super constructor: only its fields are set.
    @Override
    protected StateMap<K, N, S> createStateMap() {
        return new UnitStateMap<>(this, (UnitKeyContext<K>) keyContext);
    }

    @Override
    @Nonnull
    public UnitStateTableSnapshot<K, N, S> stateSnapshot() {
        return new UnitStateTableSnapshot<>(this);
    }

    /** The entries of a key-group, which must be in the range of the backend. */
    UnitStateMap<K, N, S> keyGroup(int keyGroup) {
        return (UnitStateMap<K, N, S>) keyGroupedStateMaps[keyGroup - keyGroupOffset];
    }

    void forEachKeyGroup(Consumer<UnitStateMap<K, N, S>> action) {
        for (StateMap<K, N, S> map : keyGroupedStateMaps) {
            action.accept((UnitStateMap<K, N, S>) map);
        }
    }
}
