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
