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
