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

package io.meces.runtime.transition;

/** Why a message was dropped instead of handled. */
public enum DropReason {
    /** Its receiver does not run in this TaskManager. */
    UNKNOWN_RECEIVER,
    /** It belongs to another rescale, or its sender is not a peer of this one. */
    STALE,
    /** It, or what it refers to, is not an intact message. */
    MALFORMED,
    /** It has come before. */
    DUPLICATE,
    /** What it refers to is not in the external store (any more). */
    PAYLOAD_MISSING,
    /** It was not sent, as its connection was down for too long or too much was waiting for it. */
    UNSENT
}
