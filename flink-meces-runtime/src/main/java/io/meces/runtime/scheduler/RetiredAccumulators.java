// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.scheduler;

import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.api.common.accumulators.Accumulator;
import org.apache.flink.api.common.accumulators.AccumulatorHelper;
import org.apache.flink.runtime.executiongraph.Execution;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.util.OptionalFailure;

/**
 * What subtasks that were ended by rescales have accumulated, which Flink forgets with them. Kept
 * until their vertex is restarted: then all its accumulators begin anew. Owned by the JobMaster's
 * main thread.
 */
final class RetiredAccumulators {

    private final Map<JobVertexID, Map<String, OptionalFailure<Accumulator<?, ?>>>> byVertex =
            new HashMap<>();

    /** Keeps what an attempt has told, the last of it as it ended. */
    void keep(Execution ended) {
        Map<String, Accumulator<?, ?>> accumulators = ended.getUserAccumulators();
        if (accumulators == null) {
            return;
        }
        Map<String, OptionalFailure<Accumulator<?, ?>>> kept =
                byVertex.computeIfAbsent(ended.getVertex().getJobvertexId(), id -> new HashMap<>());
        try {
            AccumulatorHelper.mergeInto(kept, accumulators);
        } catch (UnsupportedOperationException differentTypes) {
            // who asks for it is told so
            accumulators
                    .keySet()
                    .forEach(name -> kept.put(name, OptionalFailure.ofFailure(differentTypes)));
        }
    }

    /** The vertex is restarted. */
    void forget(JobVertexID vertex) {
        byVertex.remove(vertex);
    }

    boolean isEmpty() {
        return byVertex.isEmpty();
    }

    /** Merges those of all vertices into others. */
    void mergeInto(Map<String, OptionalFailure<Accumulator<?, ?>>> others) {
        byVertex.keySet().forEach(vertex -> mergeInto(others, vertex));
    }

    /** Merges those of a vertex into others. */
    void mergeInto(Map<String, OptionalFailure<Accumulator<?, ?>>> others, JobVertexID vertex) {
        byVertex.getOrDefault(vertex, Collections.emptyMap())
                .forEach(
                        (name, kept) -> {
                            if (kept.isFailure()) {
                                others.put(name, kept);
                            } else {
                                AccumulatorHelper.mergeInto(
                                        others,
                                        Collections.singletonMap(name, kept.getUnchecked()));
                            }
                        });
    }
}
