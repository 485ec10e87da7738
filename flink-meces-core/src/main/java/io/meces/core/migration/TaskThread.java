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

/** The thread of a task, which does one thing after the other. */
public interface TaskThread {

    /** Something to be done. */
    @FunctionalInterface
    interface Mail {
        void run() throws Exception;
    }

    /** The time of a clock that does not go back, in ns. Any thread. */
    long nanoTime();

    /** Has something done soon, between two elements of the input. Any thread. */
    void execute(Mail mail, String description);

    /** Has something done later, between two elements of the input. Any thread. */
    void executeAfter(long nanos, Mail mail, String description);
}
