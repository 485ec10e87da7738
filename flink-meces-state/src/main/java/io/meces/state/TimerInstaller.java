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
