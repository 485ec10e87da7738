// SPDX-License-Identifier: Apache-2.0
package io.meces.core.plan;

import java.util.BitSet;

/**
 * A directed graph that stays acyclic: an edge that would close a circle is not taken. Each node
 * knows all that it reaches, so the question costs one look-up. Owned by one thread.
 */
final class Reachability {

    /** What each node reaches, itself included. */
    private final BitSet[] reached;

    Reachability(int nodes) {
        reached = new BitSet[nodes];
        for (int node = 0; node < nodes; node++) {
            reached[node] = new BitSet(nodes);
            reached[node].set(node);
        }
    }

    /** Adds the edge, unless it closes a circle; false if it does. */
    boolean connect(int from, int to) {
        if (reached[to].get(from)) {
            return false;
        }
        if (!reached[from].get(to)) {
            for (BitSet reachedByNode : reached) {
                if (reachedByNode.get(from)) {
                    reachedByNode.or(reached[to]);
                }
            }
        }
        return true;
    }
}
