// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.util.Collection;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.failure.FailureEnricher;
import org.apache.flink.runtime.dispatcher.JobManagerRunnerFactory;
import org.apache.flink.runtime.execution.librarycache.LibraryCacheManager.ClassLoaderLease;
import org.apache.flink.runtime.executiongraph.JobStatusListener;
import org.apache.flink.runtime.heartbeat.HeartbeatServices;
import org.apache.flink.runtime.highavailability.HighAvailabilityServices;
import org.apache.flink.runtime.jobmaster.JobManagerRunner;
import org.apache.flink.runtime.jobmaster.JobManagerSharedServices;
import org.apache.flink.runtime.jobmaster.JobMasterConfiguration;
import org.apache.flink.runtime.jobmaster.JobMasterServiceLeadershipRunner;
import org.apache.flink.runtime.jobmaster.factories.DefaultJobMasterServiceFactory;
import org.apache.flink.runtime.jobmaster.factories.DefaultJobMasterServiceProcessFactory;
import org.apache.flink.runtime.jobmaster.factories.JobManagerJobMetricGroupFactory;
import org.apache.flink.runtime.rpc.FatalErrorHandler;
import org.apache.flink.runtime.rpc.RpcService;
import org.apache.flink.streaming.api.graph.ExecutionPlan;
import org.apache.flink.streaming.api.graph.StreamGraph;
import org.apache.flink.util.MdcUtils;
import org.apache.flink.util.Preconditions;

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
            ExecutionPlan job,
            Configuration configuration,
            RpcService rpcService,
            HighAvailabilityServices highAvailabilityServices,
            HeartbeatServices heartbeatServices,
            JobManagerSharedServices sharedServices,
            JobManagerJobMetricGroupFactory metricGroupFactory,
            FatalErrorHandler fatalErrorHandler,
            Collection<FailureEnricher> failureEnrichers,
            JobStatusListener statusListener,
            long initializationTimestamp)
            throws Exception {
        Preconditions.checkArgument(!job.isEmpty(), "The job is empty.");
        ClassLoaderLease lease =
                sharedServices
                        .getLibraryCacheManager()
                        .registerClassLoaderLease(
                                job.getJobID(), job.getApplicationId().orElseThrow());
        ClassLoader userCode =
                lease.getOrResolveClassLoader(job.getUserJarBlobKeys(), job.getClasspaths())
                        .asClassLoader();
        if (job instanceof StreamGraph) {
            ((StreamGraph) job)
                    .deserializeUserDefinedInstances(userCode, sharedServices.getFutureExecutor());
        }
        DefaultJobMasterServiceFactory jobMasters =
                new DefaultJobMasterServiceFactory(
                        MdcUtils.scopeToJob(job.getJobID(), sharedServices.getIoExecutor()),
                        rpcService,
                        JobMasterConfiguration.fromConfiguration(configuration),
                        job,
                        highAvailabilityServices,
                        schedulers.of(job, configuration),
                        sharedServices,
                        heartbeatServices,
                        metricGroupFactory,
                        fatalErrorHandler,
                        userCode,
                        failureEnrichers,
                        statusListener,
                        initializationTimestamp);
        return new JobMasterServiceLeadershipRunner(
                new DefaultJobMasterServiceProcessFactory(
                        job.getJobID(),
                        job.getName(),
                        job.getJobType(),
                        job.getCheckpointingSettings(),
                        initializationTimestamp,
                        jobMasters),
                highAvailabilityServices.getJobManagerLeaderElection(job.getJobID()),
                highAvailabilityServices.getJobResultStore(),
                lease,
                fatalErrorHandler);
    }
}
