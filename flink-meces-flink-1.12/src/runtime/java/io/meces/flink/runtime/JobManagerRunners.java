// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

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
import org.apache.flink.runtime.jobmaster.slotpool.SlotPoolFactory;
import org.apache.flink.runtime.rpc.FatalErrorHandler;
import org.apache.flink.runtime.rpc.RpcService;
import org.apache.flink.runtime.shuffle.NettyShuffleMaster;

/**
 * Gives each job a JobMaster with a scheduler of another factory; all else is as in Flink. Called
 * by the dispatcher, for different jobs on different threads; has no state.
 */
public final class JobManagerRunners implements JobManagerRunnerFactory {

    private final SchedulerFactory schedulers;

    public JobManagerRunners(SchedulerFactory schedulers) {
        this.schedulers = schedulers;
    }

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
        return new JobManagerRunnerImpl(
                jobGraph,
                new DefaultJobMasterServiceFactory(
                        JobMasterConfiguration.fromConfiguration(configuration),
                        JobSlots.watching(SlotPoolFactory.fromConfiguration(configuration)),
                        rpcService,
                        highAvailabilityServices,
                        sharedServices,
                        heartbeatServices,
                        metricGroupFactory,
                        fatalErrorHandler,
                        schedulers,
                        NettyShuffleMaster.INSTANCE),
                highAvailabilityServices,
                sharedServices
                        .getLibraryCacheManager()
                        .registerClassLoaderLease(jobGraph.getJobID()),
                sharedServices.getScheduledExecutorService(),
                fatalErrorHandler,
                initializationTimestamp);
    }
}
