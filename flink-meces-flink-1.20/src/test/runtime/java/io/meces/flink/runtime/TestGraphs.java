// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.graph.StreamGraph;

/** Makes the graphs of jobs that tests submit. */
public final class TestGraphs {

    private TestGraphs() {}

    /** What has been defined in an environment, which forgets it. */
    public static JobGraph of(StreamExecutionEnvironment environment, String name) {
        StreamGraph graph = environment.getStreamGraph();
        graph.setJobName(name);
        return graph.getJobGraph();
    }
}
