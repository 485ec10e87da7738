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

package io.meces.runtime.plan;

/** Decides where the key-groups of a vertex shall be at another parallelism. A pure function. */
public interface RepartitionStrategy {

    /**
     * The assignment to go to.
     *
     * @param parallelism from 1 to the number of key-groups; each subtask below it gets at least
     *     one key-group, the others get none
     * @throws IllegalArgumentException if the parallelism is out of bounds
     */
    Assignment target(Assignment current, int parallelism);
}
