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

package io.meces.core.migration;

import java.io.IOException;

/**
 * Keyed state that can have its data come apart from its units. Owned by the task thread.
 *
 * @param <T> what gives timers to the task's timer services
 */
public interface DeferredStore<T> {

    /**
     * Has the data of units come apart from them from now on, until the {@link DeferredData} is
     * closed. Otherwise units bring all.
     *
     * @param thread the task thread, which is told what others have done
     * @param timers gets the timers that wake
     */
    DeferredData defer(TaskThread thread, T timers);

    /** A key in binary form, as the data has it. */
    DeferredKey keyOf(Object key) throws IOException;
}
