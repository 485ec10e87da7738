// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.examples;

import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.restartstrategy.RestartStrategies;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** What example jobs ask of their task and environment otherwise in each line of Flink. */
public final class ExampleJobs {

    private ExampleJobs() {}

    /** The index of the subtask that a function is in. */
    public static int subtask(RuntimeContext context) {
        return context.getIndexOfThisSubtask();
    }

    /** Has a job restart some times, always a second after the failure. */
    public static void restart(StreamExecutionEnvironment environment, int attempts) {
        environment.setRestartStrategy(RestartStrategies.fixedDelayRestart(attempts, 1_000L));
    }
}
