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

package io.meces.core.messaging;

/** What a {@link ReliableMessaging} has counted so far. Owned by reliable messaging's thread. */
public final class MessagingStatistics {

    /** Messages that were sent, each once. */
    public long sent;

    /** Messages that were sent again. */
    public long repeated;

    /** Messages that came again and were dropped. */
    public long duplicates;

    /** Messages that came too far ahead of their turn and were dropped; they come again. */
    public long tooEarly;
}
