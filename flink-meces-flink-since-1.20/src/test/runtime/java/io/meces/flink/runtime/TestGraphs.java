// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.time.Duration;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExternalizedCheckpointRetention;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.graph.StreamGraph;

/** Makes the graphs of jobs that tests submit. */
public final class TestGraphs {

    private TestGraphs() {}

    /** What has been defined in an environment, which forgets it. */
    public static JobGraph of(StreamExecutionEnvironment environment, String name) {
        StreamGraph graph = environment.getStreamGraph();
        graph.setJobName(name);
        BackendsOfJobs.putInto(graph, environment);
        return graph.getJobGraph();
    }

    /** What it would be now; more can be added to the job. */
    public static JobGraph soFar(StreamExecutionEnvironment environment) {
        return environment.getStreamGraph(false).getJobGraph();
    }

    public static void setStateBackend(
            StreamExecutionEnvironment environment, StateBackend backend) {
        BackendsOfJobs.set(environment, backend);
    }

    /** Has the configuration choose, whatever was set before. */
    public static void chooseStateBackend(
            StreamExecutionEnvironment environment, Configuration configuration) {
        BackendsOfJobs.forget(environment);
        environment.configure(configuration);
    }

    /** Has the job fail for good when something fails. */
    public static void neverRestart(StreamExecutionEnvironment environment) {
        environment.configure(
                new Configuration().set(RestartStrategyOptions.RESTART_STRATEGY, "none"));
    }

    public static void restart(
            StreamExecutionEnvironment environment, int attempts, long delayMillis) {
        environment.configure(
                new Configuration()
                        .set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay")
                        .set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, attempts)
                        .set(
                                RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY,
                                Duration.ofMillis(delayMillis)));
    }

    /** Keeps checkpoints when the job has been cancelled. */
    public static void retainCheckpoints(StreamExecutionEnvironment environment) {
        environment.configure(
                new Configuration()
                        .set(
                                CheckpointingOptions.EXTERNALIZED_CHECKPOINT_RETENTION,
                                ExternalizedCheckpointRetention.RETAIN_ON_CANCELLATION));
    }
}
