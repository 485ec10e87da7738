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

/** How a rescale stands, for those who wait for its end. No value will be added. */
public enum RescaleStatus {
    /** It goes to its goal; {@link RescaleState} says what exactly it is doing. */
    RUNNING,
    /** It goes back to where it came from, by request. */
    ROLLING_BACK,
    /** A failure has interrupted it; it goes on when the job runs again. */
    RECOVERING,
    /** It has reached its goal. */
    FINISHED,
    /** It has ended early, by request. */
    ABORTED,
    /** It has ended early, for a reason that it tells. */
    FAILED;

    /** Whether it will not change any more. */
    public boolean isTerminal() {
        return this == FINISHED || this == ABORTED || this == FAILED;
    }
}
