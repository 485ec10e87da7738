// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import org.apache.flink.api.common.restartstrategy.RestartStrategies;
import org.apache.flink.api.common.time.Time;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.streaming.api.environment.CheckpointConfig.ExternalizedCheckpointCleanup;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Makes the graphs of jobs that tests submit. */
public final class TestGraphs {

    private TestGraphs() {}

    /** What has been defined in an environment, which forgets it. */
    public static JobGraph of(StreamExecutionEnvironment environment, String name) {
        return environment.getStreamGraph(name).getJobGraph();
    }

    /** What it would be now; more can be added to the job. */
    public static JobGraph soFar(StreamExecutionEnvironment environment) {
        return environment.getStreamGraph("so far", false).getJobGraph();
    }

    public static void setStateBackend(
            StreamExecutionEnvironment environment, StateBackend backend) {
        environment.setStateBackend(backend);
    }

    /** Has the job fail for good when something fails. */
    public static void neverRestart(StreamExecutionEnvironment environment) {
        environment.setRestartStrategy(RestartStrategies.noRestart());
    }

    public static void restart(
            StreamExecutionEnvironment environment, int attempts, long delayMillis) {
        environment.setRestartStrategy(
                RestartStrategies.fixedDelayRestart(attempts, Time.milliseconds(delayMillis)));
    }

    /** Keeps checkpoints when the job has been cancelled. */
    public static void retainCheckpoints(StreamExecutionEnvironment environment) {
        environment
                .getCheckpointConfig()
                .enableExternalizedCheckpoints(
                        ExternalizedCheckpointCleanup.RETAIN_ON_CANCELLATION);
    }
}
