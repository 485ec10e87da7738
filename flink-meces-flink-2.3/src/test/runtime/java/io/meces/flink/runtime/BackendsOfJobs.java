// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import io.meces.flink.testing.ChosenBackend;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.graph.StreamGraph;

/** State backends that the code of jobs chooses, which environments take no more. Thread-safe. */
final class BackendsOfJobs {

    private static final Map<StreamExecutionEnvironment, StateBackend> CHOSEN =
            Collections.synchronizedMap(new WeakHashMap<>());

    private BackendsOfJobs() {}

    static void set(StreamExecutionEnvironment environment, StateBackend backend) {
        CHOSEN.put(environment, backend);
    }

    static void forget(StreamExecutionEnvironment environment) {
        CHOSEN.remove(environment);
    }

    static void putInto(StreamGraph graph, StreamExecutionEnvironment environment) {
        StateBackend backend = CHOSEN.get(environment);
        if (backend instanceof ChosenBackend) {
            graph.setStateBackend(((ChosenBackend) backend).ofStates());
            graph.setCheckpointStorage(((ChosenBackend) backend).ofCheckpoints());
        } else if (backend != null) {
            graph.setStateBackend(backend);
        }
    }
}
