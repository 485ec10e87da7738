// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.graph;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.apache.flink.runtime.OperatorIDPair;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The max parallelism of a vertex, as Flink would determine it. */
final class MaxParallelism {

    private static final Logger LOG = LoggerFactory.getLogger(MaxParallelism.class);

    private MaxParallelism() {}

    static boolean isSet(JobVertex vertex) {
        return vertex.getMaxParallelism() > 0;
    }

    /**
     * As in Flink: the user's, or else that of the state that is restored, or else one that is
     * derived from the parallelism. It is known here, and not only when Flink restores the state:
     * capacity and assignment depend on it. Where the state does not say one that can be, Flink
     * says so when it restores it.
     */
    static int of(JobVertex vertex, Map<OperatorID, Integer> restored) {
        if (isSet(vertex)) {
            return vertex.getMaxParallelism();
        }
        int derived = KeyGroupRangeAssignment.computeDefaultMaxParallelism(vertex.getParallelism());
        Set<OperatorID> operators = new HashSet<>();
        for (OperatorIDPair operator : vertex.getOperatorIDs()) {
            operators.add(operator.getGeneratedOperatorID());
            operator.getUserDefinedOperatorID().ifPresent(operators::add);
        }
        Map<OperatorID, Integer> state = new HashMap<>(restored);
        state.keySet().retainAll(operators);
        SortedSet<Integer> ofState = new TreeSet<>(state.values());
        if (ofState.isEmpty()) {
            return derived;
        }
        if (ofState.size() > 1 || ofState.first() < vertex.getParallelism()) {
            LOG.warn(
                    "Vertex '{}' has parallelism {}, and the state that it is restored from has max"
                            + " parallelism {}: it must be one number, and not less than the"
                            + " parallelism. The vertex gets max parallelism {}.",
                    vertex.getName(),
                    vertex.getParallelism(),
                    ofState,
                    derived);
            return derived;
        }
        LOG.info(
                "Vertex '{}' gets max parallelism {}, that of the state that it is restored from.",
                vertex.getName(),
                ofState.first());
        return ofState.first();
    }
}
