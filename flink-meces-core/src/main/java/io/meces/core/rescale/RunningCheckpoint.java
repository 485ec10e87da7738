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

package io.meces.core.rescale;

/** What becomes of a checkpoint that is on its way when a rescale wants to move state. */
public enum RunningCheckpoint {
    /** It is awaited as long as it moves, and aborted if it stands behind a backlog. */
    AUTO,
    /** It is awaited. */
    WAIT,
    /** It is aborted. */
    ABORT
}
