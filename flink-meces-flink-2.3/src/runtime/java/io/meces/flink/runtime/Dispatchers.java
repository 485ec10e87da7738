// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import org.apache.flink.runtime.dispatcher.DispatcherFactory;
import org.apache.flink.runtime.dispatcher.DispatcherServices;
import org.apache.flink.runtime.dispatcher.JobManagerRunnerFactory;
import org.apache.flink.runtime.dispatcher.StandaloneDispatcher;
import org.apache.flink.runtime.dispatcher.cleanup.CheckpointResourcesCleanupRunnerFactory;
import org.apache.flink.runtime.dispatcher.runner.DispatcherRunnerFactory;
import org.apache.flink.runtime.entrypoint.component.JobGraphRetriever;

/** Makes Flink's dispatchers, with another factory of JobManager runners. Has no state. */
public final class Dispatchers {

    private Dispatchers() {}

    /** Those of a session cluster, and of a cluster for one application. */
    public static DispatcherFactory session(JobManagerRunnerFactory runners) {
        return (rpcService,
                fencingToken,
                recoveredJobs,
                recoveredResults,
                recoveredApplications,
                recoveredApplicationResults,
                bootstrap,
                services) ->
                new StandaloneDispatcher(
                        rpcService,
                        fencingToken,
                        recoveredJobs,
                        recoveredResults,
                        recoveredApplications,
                        recoveredApplicationResults,
                        bootstrap,
                        DispatcherServices.from(
                                services,
                                runners,
                                CheckpointResourcesCleanupRunnerFactory.INSTANCE));
    }

    /**
     * Runs that of a cluster for one job, which came with it.
     *
     * @throws UnsupportedOperationException always
     */
    public static DispatcherRunnerFactory job(
            JobManagerRunnerFactory runners, JobGraphRetriever jobGraph) {
        throw new UnsupportedOperationException(
                "A cluster for one job (yarn-per-job), cannot be had on Flink 2.3."
                        + " Use application mode.");
    }
}
