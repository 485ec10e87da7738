// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.examples;

import java.time.Duration;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** What example jobs ask of their task and environment otherwise in each line of Flink. */
public final class ExampleJobs {

    private ExampleJobs() {}

    /** The index of the subtask that a function is in. */
    public static int subtask(RuntimeContext context) {
        return context.getTaskInfo().getIndexOfThisSubtask();
    }

    /** Has a job restart some times, always a second after the failure. */
    public static void restart(StreamExecutionEnvironment environment, int attempts) {
        environment.configure(
                new Configuration()
                        .set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay")
                        .set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, attempts)
                        .set(
                                RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY,
                                Duration.ofSeconds(1)));
    }
}
