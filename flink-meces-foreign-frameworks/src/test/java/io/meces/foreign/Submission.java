// SPDX-License-Identifier: Apache-2.0
package io.meces.foreign;

import org.apache.flink.api.common.JobExecutionResult;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.DetachedJobExecutionResult;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.graph.StreamGraph;

/**
 * The environment that a program of the same thread gets by getExecutionEnvironment() until it is
 * closed. What the program executes is kept as a job graph. For one thread.
 */
final class Submission extends StreamExecutionEnvironment implements AutoCloseable {

    private JobGraph graph;

    Submission(Configuration configuration) {
        super(configuration);
        initializeContextEnvironment(ignored -> this);
    }

    JobGraph graph() {
        if (graph == null) {
            throw new IllegalStateException("The program has not executed a job.");
        }
        return graph;
    }

    @Override
    public JobExecutionResult execute(StreamGraph job) {
        graph = job.getJobGraph();
        return new DetachedJobExecutionResult(graph.getJobID());
    }

    @Override
    public JobClient executeAsync(StreamGraph job) {
        throw new UnsupportedOperationException("Nobody can ask this job for its end.");
    }

    @Override
    public void close() {
        resetContextEnvironment();
    }
}
