// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.dispatcher.DispatcherFactory;
import org.apache.flink.runtime.dispatcher.DispatcherServices;
import org.apache.flink.runtime.dispatcher.JobManagerRunnerFactory;
import org.apache.flink.runtime.dispatcher.MiniDispatcher;
import org.apache.flink.runtime.dispatcher.SingleJobJobGraphStore;
import org.apache.flink.runtime.dispatcher.StandaloneDispatcher;
import org.apache.flink.runtime.dispatcher.runner.DefaultDispatcherRunnerFactory;
import org.apache.flink.runtime.dispatcher.runner.DispatcherLeaderProcessFactoryFactory;
import org.apache.flink.runtime.dispatcher.runner.DispatcherRunnerFactory;
import org.apache.flink.runtime.dispatcher.runner.SessionDispatcherLeaderProcessFactoryFactory;
import org.apache.flink.runtime.entrypoint.ClusterEntrypoint;
import org.apache.flink.runtime.entrypoint.component.JobGraphRetriever;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobmanager.JobGraphStore;
import org.apache.flink.util.FlinkException;
import org.apache.flink.util.FlinkRuntimeException;

/** Makes Flink's dispatchers, with another factory of JobManager runners. Has no state. */
public final class Dispatchers {

    private Dispatchers() {}

    /** Those of a session cluster, and of a cluster for one application. */
    public static DispatcherFactory session(JobManagerRunnerFactory runners) {
        return (rpcService, fencingToken, recoveredJobs, bootstrap, services) ->
                new StandaloneDispatcher(
                        rpcService,
                        fencingToken,
                        recoveredJobs,
                        bootstrap,
                        DispatcherServices.from(services, runners));
    }

    /**
     * Runs that of a cluster for one job, which came with it. Flink's own factory for that takes no
     * dispatcher but Flink's; so it is recovered, as jobs of a session are.
     */
    public static DispatcherRunnerFactory job(
            JobManagerRunnerFactory runners, JobGraphRetriever jobGraph) {
        DispatcherLeaderProcessFactoryFactory recovery =
                SessionDispatcherLeaderProcessFactoryFactory.create(job(runners));
        return new DefaultDispatcherRunnerFactory(
                (jobGraphStores, executor, rpcService, services, fatalErrorHandler) -> {
                    JobGraphStore store =
                            new SingleJobJobGraphStore(
                                    retrieve(jobGraph, services.getConfiguration()));
                    return recovery.createFactory(
                            () -> store, executor, rpcService, services, fatalErrorHandler);
                });
    }

    private static DispatcherFactory job(JobManagerRunnerFactory runners) {
        return (rpcService, fencingToken, jobs, bootstrap, services) ->
                new MiniDispatcher(
                        rpcService,
                        fencingToken,
                        DispatcherServices.from(services, runners),
                        jobs.iterator().next(),
                        bootstrap,
                        ClusterEntrypoint.ExecutionMode.valueOf(
                                services.getConfiguration()
                                        .getString(ClusterEntrypoint.EXECUTION_MODE)));
    }

    private static JobGraph retrieve(JobGraphRetriever retriever, Configuration configuration) {
        try {
            return retriever.retrieveJobGraph(configuration);
        } catch (FlinkException e) {
            throw new FlinkRuntimeException("The job that was shipped cannot be read.", e);
        }
    }
}
