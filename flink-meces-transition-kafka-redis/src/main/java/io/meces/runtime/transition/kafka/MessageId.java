// SPDX-License-Identifier: Apache-2.0
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
