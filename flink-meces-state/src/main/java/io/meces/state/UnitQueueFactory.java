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
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.state.Keyed;
import org.apache.flink.runtime.state.PriorityComparable;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueElement;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueSet;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueSetFactory;

/** Makes Flink's timer queues with {@link TimerSet}s in them. Task thread. */
public final class UnitQueueFactory extends HeapPriorityQueueSetFactory {

    /** Initial capacity of a timer queue; the one that Flink's backends use. */
    private static final int CAPACITY = 128;

    private final UnitKeyContext<?> keyContext;

    public UnitQueueFactory(UnitKeyContext<?> keyContext) {
        super(keyContext.getKeyGroupRange(), keyContext.getNumberOfKeyGroups(), CAPACITY);
        this.keyContext = keyContext;
    }

    @Override
    @Nonnull
    public <T extends HeapPriorityQueueElement & PriorityComparable & Keyed>
            HeapPriorityQueueSet<T> create(
                    @Nonnull String name, @Nonnull TypeSerializer<T> elementSerializer) {
        int firstKeyGroup = keyContext.getKeyGroupRange().getStartKeyGroup();
        HeapPriorityQueueSet<T> queue = super.create(name, elementSerializer);
        DeduplicationMaps.replace(
                queue, index -> new TimerSet<>(keyContext, firstKeyGroup + index));
        return queue;
    }
}
