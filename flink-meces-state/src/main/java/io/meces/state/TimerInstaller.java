// SPDX-License-Identifier: Apache-2.0
package io.meces.state;

/**
 * Takes the timers of a unit that is being installed.
 *
 * <p>The owner of the timer service needs to see them: a processing-time timer that becomes the
 * first of its queue has to be scheduled. Called by the task thread.
 *
 * @see UnitStore#direct()
 */
@FunctionalInterface
public interface TimerInstaller {

    /**
     * Adds a timer to the queue.
     *
     * <p>An exception makes the installation of the unit fail and be undone.
     *
     * @param queueName name of the queue in the state backend, one of {@link
     *     UnitStore#timerQueues()}
     * @param timer an element as it is held by the queue, for Flink's timer service an {@code
     *     InternalTimer}
     */
    void install(String queueName, Object timer);
}
