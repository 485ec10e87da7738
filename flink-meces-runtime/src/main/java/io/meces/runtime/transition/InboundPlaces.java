// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition;

import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import javax.annotation.Nullable;
import org.apache.flink.shaded.netty4.io.netty.channel.Channel;

/**
 * Places for a bounded number of connections that others make. Without TLS that may be anybody, and
 * pings are enough to keep a connection. So where no place is free, the oldest connection gives way
 * that has never brought a message for a task that runs here; a peer makes its connection again.
 * Thread-safe.
 */
final class InboundPlaces {

    private final int places;

    /** Those that have brought no such message yet, the oldest first. */
    private final Set<Channel> unproven = new LinkedHashSet<>();

    private final Set<Channel> proven = new HashSet<>();

    InboundPlaces(int places) {
        this.places = places;
    }

    /**
     * Gives a connection a place until it is closed.
     *
     * @return false if there is none: all have been proven to come from this cluster
     */
    boolean take(Channel channel) {
        Channel leaving = null;
        synchronized (this) {
            if (unproven.size() + proven.size() >= places) {
                leaving = removeOldest();
                if (leaving == null) {
                    return false;
                }
            }
            unproven.add(channel);
        }
        channel.closeFuture().addListener(closed -> free(channel));
        if (leaving != null) {
            leaving.close();
        }
        return true;
    }

    @Nullable
    private Channel removeOldest() {
        Iterator<Channel> oldest = unproven.iterator();
        if (!oldest.hasNext()) {
            return null;
        }
        Channel channel = oldest.next();
        oldest.remove();
        return channel;
    }

    /** A connection has brought a message for a task that runs here. */
    synchronized void prove(Channel channel) {
        if (unproven.remove(channel)) {
            proven.add(channel);
        }
    }

    private synchronized void free(Channel channel) {
        unproven.remove(channel);
        proven.remove(channel);
    }
}
