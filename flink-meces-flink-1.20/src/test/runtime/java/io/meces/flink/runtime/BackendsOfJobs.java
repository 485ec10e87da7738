// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.graph.StreamGraph;

/** State backends that the code of jobs chooses. */
final class BackendsOfJobs {

    private BackendsOfJobs() {}

    static void set(StreamExecutionEnvironment environment, StateBackend backend) {
        environment.setStateBackend(backend);
    }

    /** The environment has done it. */
    /** What is configured later takes its place. */
    static void forget(StreamExecutionEnvironment environment) {}

    static void putInto(StreamGraph graph, StreamExecutionEnvironment environment) {}
}
