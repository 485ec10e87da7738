// SPDX-License-Identifier: Apache-2.0
package io.meces.core.store;

import java.util.Collections;
import java.util.NavigableSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.function.Predicate;

/**
 * The keys of a key-group whose data has come by key, and which keys somebody is writing just now
 * who puts in chunks. Either the one or the other writes a key from any moment on: who puts in
 * chunks says which keys are to be written, and looks here after that; the task thread adds a key,
 * and looks what is being written after that.
 *
 * <p>The task thread adds. One other thread at a time holds, and any thread reads. The two go
 * through the monitor of this object, for some ns: that one of them sees what the other one has
 * done before is not promised otherwise, neither by a volatile field nor by a set that is
 * concurrent, since a read of one variable may be done ahead of a write to another.
 */
public final class FetchedKeys {

    private static final Predicate<DeferredKey> NONE = key -> false;

    private final ConcurrentSkipListSet<DeferredKey> keys = new ConcurrentSkipListSet<>();
    private final NavigableSet<DeferredKey> view = Collections.unmodifiableNavigableSet(keys);
    private Predicate<DeferredKey> held = NONE;

    /**
     * The data of a key has come. No chunk is put over it any more, unless somebody is about to.
     *
     * @return whether nobody is, and the data may be put in now; otherwise it must wait, and the
     *     key be added again, until it may
     */
    public synchronized boolean add(DeferredKey key) {
        keys.add(key);
        return !held.test(key);
    }

    /** All so far; they get more, but none that may be put in while it is {@link #hold held}. */
    public NavigableSet<DeferredKey> all() {
        return view;
    }

    /**
     * Some keys are about to be written, but for {@link #all those that are here} after this call.
     */
    public synchronized void hold(Predicate<DeferredKey> keys) {
        held = keys;
    }

    /** What was held has been written. */
    public synchronized void release() {
        held = NONE;
    }
}
