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

/** Why a rescale was begun. One that goes on after a failure keeps its cause. */
public enum RescaleCause {
    /** Somebody has asked for it. */
    USER,
    /** The resource requirements of the job have changed, as an autoscaler changes them. */
    AUTOSCALER,
    /** The job runs again after a failure, and is brought back to its requirements. */
    RECOVERY,
    /** Slots have come or gone, so that more or less of the requirements can be met. */
    SLOTS
}
