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

package io.meces.runtime.entrypoint;

import io.meces.runtime.scheduler.ClusterSlots;
import io.meces.runtime.scheduler.MecesSchedulerFactory;
import io.meces.runtime.shuffle.ElasticShuffleMaster;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.dispatcher.JobManagerRunnerFactory;
import org.apache.flink.runtime.heartbeat.HeartbeatServices;
import org.apache.flink.runtime.highavailability.HighAvailabilityServices;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobmaster.JobManagerRunner;
import org.apache.flink.runtime.jobmaster.JobManagerRunnerImpl;
import org.apache.flink.runtime.jobmaster.JobManagerSharedServices;
import org.apache.flink.runtime.jobmaster.JobMasterConfiguration;
import org.apache.flink.runtime.jobmaster.factories.DefaultJobMasterServiceFactory;
import org.apache.flink.runtime.jobmaster.factories.JobManagerJobMetricGroupFactory;
import org.apache.flink.runtime.jobmaster.factories.JobMasterServiceFactory;
import org.apache.flink.runtime.jobmaster.slotpool.SlotPoolFactory;
import org.apache.flink.runtime.rpc.FatalErrorHandler;
import org.apache.flink.runtime.rpc.RpcService;

/**
 * Gives each job a JobMaster with the elastic scheduler and a shuffle master of its own; all else
 * is as in Flink. Called by the dispatcher, for different jobs on different threads; has no state.
 */
public final class MecesJobManagerRunnerFactory implements JobManagerRunnerFactory {

    /**
     * The runner of one job, not started yet. The arguments are the dispatcher's.
     *
     * @throws Exception if Flink cannot create the runner; the job then fails
     */
    @Override
    public JobManagerRunner createJobManagerRunner(
            JobGraph jobGraph,
            Configuration configuration,
            RpcService rpcService,
            HighAvailabilityServices highAvailabilityServices,
            HeartbeatServices heartbeatServices,
            JobManagerSharedServices sharedServices,
            JobManagerJobMetricGroupFactory metricGroupFactory,
            FatalErrorHandler fatalErrorHandler,
            long initializationTimestamp)
            throws Exception {
        JobMasterServiceFactory jobMasterFactory =
                new DefaultJobMasterServiceFactory(
                        JobMasterConfiguration.fromConfiguration(configuration),
                        ClusterSlots.watching(SlotPoolFactory.fromConfiguration(configuration)),
                        rpcService,
                        highAvailabilityServices,
                        sharedServices,
                        heartbeatServices,
                        metricGroupFactory,
                        fatalErrorHandler,
                        new MecesSchedulerFactory(),
                        new ElasticShuffleMaster());
        return new JobManagerRunnerImpl(
                jobGraph,
                jobMasterFactory,
                highAvailabilityServices,
                sharedServices
                        .getLibraryCacheManager()
                        .registerClassLoaderLease(jobGraph.getJobID()),
                sharedServices.getScheduledExecutorService(),
                fatalErrorHandler,
                initializationTimestamp);
    }
}
