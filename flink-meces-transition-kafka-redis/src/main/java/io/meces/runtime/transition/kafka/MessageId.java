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

package io.meces.runtime.transition.kafka;

import io.meces.runtime.transition.TransitionMessage;
import io.meces.runtime.transition.TransitionOrigin;

/**
 * What tells a message with a sequence number from all others, in all rescales of all jobs; the
 * name of its payload in Redis.
 */
final class MessageId {

    private MessageId() {}

    static String of(String prefix, TransitionMessage message) {
        TransitionOrigin origin = message.origin();
        return prefix
                + ':'
                + origin.job()
                + ':'
                + origin.vertex()
                + ':'
                + origin.rescale()
                + ':'
                + origin.attempt()
                + ':'
                + message.receiver()
                + ':'
                + message.priority()
                + ':'
                + message.sequence();
    }
}
