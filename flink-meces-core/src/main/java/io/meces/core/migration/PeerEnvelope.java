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

import io.meces.core.messaging.Priority;
import java.util.UUID;

/** A message as it has come: from whom, in which rescale, and where it stands among the others. */
public interface PeerEnvelope {

    UUID rescale();

    /** The subtask index of the sender. */
    int from();

    /** The attempt of the sender; equal to what {@link MigrationDriver#startStep} is told. */
    Object sender();

    Priority priority();

    /** The position in the priority, from 0; -1 for an acknowledgement. */
    long sequence();

    PeerMessage content();
}
