// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.shuffle;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.entrypoint.MecesComponents;
import io.meces.state.MecesStateBackend;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobmaster.JobResult;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.runtime.shuffle.ShuffleServiceOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.Logger;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The keys of the configuration are set, and the JobManager is Flink's own. */
@Timeout(120)
class StockJobManagerTest {

    @Test
    void aJobRunsAndItIsSaidThatItCannotBeRescaled() throws Exception {
        Configuration configuration = new Configuration();
        configuration.setString(
                ShuffleServiceOptions.SHUFFLE_SERVICE_FACTORY_CLASS,
                MecesComponents.SHUFFLE_SERVICE_FACTORY);
        configuration.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.parse("4m"));
        configuration.set(RestOptions.PORT, 0);
        Log log = new Log();
        log.start();
        Logger logger = (Logger) LogManager.getLogger(ElasticShuffleServiceFactory.class);
        logger.addAppender(log);
        try (MiniCluster stock =
                new MiniCluster(
                        new MiniClusterConfiguration.Builder()
                                .setConfiguration(configuration)
                                .setNumTaskManagers(1)
                                .setNumSlotsPerTaskManager(2)
                                .build())) {
            stock.start();
            JobID job = stock.submitJob(job()).get(30, TimeUnit.SECONDS).getJobID();

            JobResult result = stock.requestJobResult(job).get(60, TimeUnit.SECONDS);

            assertThat(result.getSerializedThrowable()).isEmpty();
            assertThat(log.lines)
                    .containsExactly("WARN " + ElasticShuffleServiceFactory.STOCK_JOB_MANAGER);
        } finally {
            logger.removeAppender(log);
        }
    }

    private static JobGraph job() {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.setParallelism(2);
        TestGraphs.setStateBackend(env, new MecesStateBackend());
        env.fromSequence(1, 1_000)
                .keyBy(number -> number % 10)
                .reduce(Long::sum)
                .rebalance()
                .filter(sum -> sum < 0);
        return TestGraphs.of(env, "stock");
    }

    /** What the shuffle service says. */
    private static final class Log extends AbstractAppender {
        private final List<String> lines = new CopyOnWriteArrayList<>();

        private Log() {
            super("test", null, null, true, Property.EMPTY_ARRAY);
        }

        @Override
        public void append(LogEvent event) {
            lines.add(event.getLevel() + " " + event.getMessage().getFormattedMessage());
        }
    }
}
