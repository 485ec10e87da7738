/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

package io.meces.runtime.shuffle;

import io.meces.runtime.check.StartupCheck;
import io.meces.runtime.transition.Transition;
import io.meces.runtime.transition.TransitionMetrics;
import io.meces.runtime.transition.TransitionService;
import io.meces.runtime.transition.TransitionServiceFactory;
import io.meces.runtime.warmup.WarmUp;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.io.network.NettyShuffleServiceFactory;
import org.apache.flink.runtime.io.network.api.writer.ResultPartitionWriter;
import org.apache.flink.runtime.io.network.partition.consumer.IndexedInputGate;
import org.apache.flink.runtime.shuffle.NettyShuffleDescriptor;
import org.apache.flink.runtime.shuffle.ShuffleEnvironment;
import org.apache.flink.runtime.shuffle.ShuffleEnvironmentContext;
import org.apache.flink.runtime.shuffle.ShuffleMaster;
import org.apache.flink.runtime.shuffle.ShuffleServiceFactory;
import org.apache.flink.util.FlinkRuntimeException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What {@code shuffle-service-factory.class} names. Flink makes one in every JobManager and
 * TaskManager.
 */
public final class ElasticShuffleServiceFactory
        implements ShuffleServiceFactory<
                NettyShuffleDescriptor, ResultPartitionWriter, IndexedInputGate> {

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

    /**
     * Only Flink's own JobManager calls this, for each job: ours gives a job its shuffle master.
     */
    @Override
    public ShuffleMaster<NettyShuffleDescriptor> createShuffleMaster(Configuration configuration) {
        LOG.warn(STOCK_JOB_MANAGER);
        return new ElasticShuffleMaster();
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
