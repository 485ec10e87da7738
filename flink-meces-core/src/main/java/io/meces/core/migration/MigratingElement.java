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

/** What the inputs of a task put in order while a rescale runs. */
public interface MigratingElement {

    /** The channel it came on, numbered through all gates of the task; -1 for none. */
    int channel();

    /** The unit of a record; -1 for all else. */
    int unit();

    /** Whether it is a record of a broadcast input, which concerns all keys. */
    boolean isForAllKeys();
}
