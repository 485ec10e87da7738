// SPDX-License-Identifier: Apache-2.0
package io.meces.core.exchange;

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
