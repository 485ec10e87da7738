// SPDX-License-Identifier: Apache-2.0
package io.meces.core.store;

import io.meces.core.exchange.TaskThread;
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
