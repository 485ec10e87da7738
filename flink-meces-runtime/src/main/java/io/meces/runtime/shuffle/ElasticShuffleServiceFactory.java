// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.shuffle;

import io.meces.flink.runtime.ShuffleFactory;
import io.meces.runtime.check.StartupCheck;
import io.meces.runtime.transition.Transition;
import io.meces.runtime.transition.TransitionMetrics;
import io.meces.runtime.transition.TransitionService;
import io.meces.runtime.transition.TransitionServiceFactory;
import io.meces.runtime.warmup.WarmUp;
import org.apache.flink.runtime.io.network.NettyShuffleServiceFactory;
import org.apache.flink.runtime.io.network.api.writer.ResultPartitionWriter;
import org.apache.flink.runtime.io.network.partition.consumer.IndexedInputGate;
import org.apache.flink.runtime.shuffle.NettyShuffleDescriptor;
import org.apache.flink.runtime.shuffle.ShuffleEnvironment;
import org.apache.flink.runtime.shuffle.ShuffleEnvironmentContext;
import org.apache.flink.runtime.shuffle.ShuffleMaster;
import org.apache.flink.util.FlinkRuntimeException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What {@code shuffle-service-factory.class} names. Flink makes one in every JobManager and
 * TaskManager.
 */
public final class ElasticShuffleServiceFactory extends ShuffleFactory {

    static final String STOCK_JOB_MANAGER =
            "A job that begins now cannot be rescaled while it runs: the JobManager was started by"
                    + " Flink's own main class. To have it start that of flink-meces, use"
                    + " meces-jobmanager.sh or meces-standalone-job.sh, or put"
                    + " io.meces.runtime.entrypoint.MecesLauncher before %class% in"
                    + " kubernetes.container-start-command-template or"
                    + " yarn.container-start-command-template. Else the job runs as on a stock"
                    + " Flink.";

    private static final Logger LOG = LoggerFactory.getLogger(ElasticShuffleServiceFactory.class);

    public ElasticShuffleServiceFactory() {
        StartupCheck.run();
    }

    /** Only a JobManager of Flink's own asks: ours gives a job its shuffle master. */
    @Override
    protected ShuffleMaster<NettyShuffleDescriptor> masterOfStockJob(
            ShuffleMaster<NettyShuffleDescriptor> netty) {
        LOG.warn(STOCK_JOB_MANAGER);
        return netty;
    }

    @Override
    public ShuffleEnvironment<ResultPartitionWriter, IndexedInputGate> createShuffleEnvironment(
            ShuffleEnvironmentContext context) {
        TransitionMetrics metrics = new TransitionMetrics(context.getParentMetricGroup());
        TransitionService service;
        try {
            service =
                    TransitionServiceFactory.of(context.getConfiguration())
                            .create(context.getHostAddress(), context.getConfiguration(), metrics);
        } catch (Exception e) {
            throw new FlinkRuntimeException(
                    "The TaskManager cannot start without its transition service.", e);
        }
        Transition transition = new Transition(service, metrics, context.getConfiguration());
        WarmUp.ofTaskManager(transition);
        return new ElasticShuffleEnvironment(
                new NettyShuffleServiceFactory().createShuffleEnvironment(context),
                context.getEventPublisher(),
                transition);
    }
}
