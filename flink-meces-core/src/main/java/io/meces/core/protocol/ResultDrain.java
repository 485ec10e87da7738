// SPDX-License-Identifier: Apache-2.0
package io.meces.core.protocol;

import io.meces.core.exchange.TaskThread;

/**
 * Brings outside what the operators of a task have taken and hold back. Called by the task thread
 * between two elements.
 */
public interface ResultDrain {

    /** Whether there may be something to drain. */
    boolean holdsBack() throws Exception;

    /**
     * Drains what has been taken so far. Not to be called before the last drain has ended.
     *
     * @param whenDrained called in the task thread; before this method returns, if possible
     */
    void drain(TaskThread.Mail whenDrained) throws Exception;

    /** Gives up a drain that runs. */
    void close();
}
