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

package io.meces.api;

import java.util.Locale;

/** What becomes of the key-groups that a rescale has moved when it is aborted. */
public enum AbortMode {
    /** They stay where they are; the next rescale starts from there. */
    STOP,
    /** They move back, and subtasks that have been added leave. */
    ROLLBACK;

    /** As the URL of a request has it. */
    public String parameter() {
        return name().toLowerCase(Locale.ROOT);
    }
}
