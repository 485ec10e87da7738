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

package org.apache.flink.runtime.state.heap;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import org.apache.flink.api.common.typeutils.TypeSerializer;

/**
 * Bridge to the constructor of {@link CopyOnWriteStateMap} that takes a capacity.
 *
 * <p>Flink always starts with 128 buckets per map. With one map per sub-group that would waste most
 * of the memory of a sparsely filled backend, so the private constructor is opened, once, when this
 * class is initialized; a Flink without it fails there and not at the first record.
 */
public final class SubMaps {

    private static final Constructor<?> CONSTRUCTOR = constructor();

    private SubMaps() {}

    /**
     * A new, empty map.
     *
     * @param capacity initial number of buckets, at least 1; rounded up to a power of two
     * @param stateSerializer copies states that a running snapshot still needs
     */
    @SuppressWarnings("unchecked")
    public static <K, N, S> CopyOnWriteStateMap<K, N, S> create(
            int capacity, TypeSerializer<S> stateSerializer) {
        try {
            return (CopyOnWriteStateMap<K, N, S>)
                    CONSTRUCTOR.newInstance(capacity, stateSerializer);
        } catch (InvocationTargetException e) {
            throw new IllegalStateException("Cannot create a copy-on-write map", e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("Cannot create a copy-on-write map", e);
        }
    }

    private static Constructor<?> constructor() {
        try {
            Constructor<?> constructor =
                    CopyOnWriteStateMap.class.getDeclaredConstructor(
                            int.class, TypeSerializer.class);
            constructor.setAccessible(true);
            return constructor;
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException(
                    "This Flink has no CopyOnWriteStateMap(int, TypeSerializer)", e);
        }
    }
}
