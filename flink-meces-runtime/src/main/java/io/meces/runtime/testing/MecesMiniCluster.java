// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.testing;

import io.meces.api.AbortMode;
import io.meces.api.Elasticity;
import io.meces.api.RescaleDetails;
import io.meces.api.RescalePlans;
import io.meces.api.RescaleRequest;
import io.meces.api.Rescales;
import io.meces.flink.runtime.Gateways;
import io.meces.runtime.check.StartupCheck;
import io.meces.runtime.entrypoint.MecesComponents;
import io.meces.runtime.rpc.ControllerGateway;
import io.meces.state.DetachedThreads;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.function.Function;
import javax.annotation.Nullable;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.runtime.client.JobExecutionException;
import org.apache.flink.runtime.execution.ExecutionState;
import org.apache.flink.runtime.executiongraph.AccessExecutionGraph;
import org.apache.flink.runtime.executiongraph.AccessExecutionVertex;
import org.apache.flink.runtime.highavailability.HighAvailabilityServices;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.minicluster.MecesMiniClusterBridge;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.runtime.minicluster.RpcServiceSharing;
import org.apache.flink.runtime.shuffle.ShuffleServiceOptions;
import org.apache.flink.util.ExceptionUtils;

/**
 * A Flink cluster in this process whose jobs can be rescaled.
 *
 * <pre>{@code
 * try (MecesMiniCluster cluster = MecesMiniCluster.builder().taskManagers(2).start()) {
 *     JobID job = cluster.submit(env.getStreamGraph().getJobGraph());
 *     cluster.running(job).get();
 *     RescaleDetails end = cluster.rescale(job, "count", 3).get();
 * }
 * }</pre>
 *
 * <p>Safe for any thread. The futures are completed on threads of the cluster: do not block there.
 */
public final class MecesMiniCluster implements AutoCloseable {

    private final MiniCluster flink;
    private final ControllerGateway controllers;
    private final Poll poll;

    /** To be stopped by us; null if it was given by the user. */
    private final ScheduledExecutorService timer;

    MecesMiniCluster(MiniCluster flink, Poll poll, ScheduledExecutorService timer) {
        this.flink = flink;
        this.controllers =
                new ControllerGateway(
                        (job, uid, request) -> Gateways.ask(flink, job, uid, request));
        this.poll = poll;
        this.timer = timer;
    }

    public static Builder builder() {
        return new Builder();
    }

    /**
     * Submits a job and waits until its JobMaster is there; its tasks may still be starting: see
     * {@link #running}.
     *
     * @throws JobExecutionException if the cluster does not take the job
     */
    public JobID submit(JobGraph jobGraph) throws JobExecutionException, InterruptedException {
        JobID jobId = jobGraph.getJobID();
        flink.runDetached(jobGraph);
        try {
            JobStatus status =
                    poll.until(
                                    "job " + jobId + " to be initialized",
                                    () -> flink.getJobStatus(jobId),
                                    answer -> answer != JobStatus.INITIALIZING)
                            .get();
            if (status == JobStatus.FAILED) {
                // Throws what the job failed of.
                flink.requestJobResult(jobId)
                        .get()
                        .toJobExecutionResult(Thread.currentThread().getContextClassLoader());
            }
        } catch (ExecutionException e) {
            throw new JobExecutionException(
                    jobId, "The job was not started.", ExceptionUtils.stripExecutionException(e));
        } catch (IOException | ClassNotFoundException e) {
            throw new JobExecutionException(jobId, "The job failed for an unknown reason.", e);
        }
        return jobId;
    }

    /**
     * Completed when the JobManager knows that all subtasks of a job run. Until then, after a
     * submission as after a failure, a rescale is refused.
     *
     * @return fails with a {@link java.util.concurrent.TimeoutException} if they do not in time
     */
    public CompletableFuture<Void> running(JobID jobId) {
        return poll.until(
                        "all subtasks of job " + jobId + " to run",
                        () -> flink.getExecutionGraph(jobId),
                        MecesMiniCluster::allRunning)
                .thenApply(graph -> null);
    }

    /** Subtasks beyond the parallelism are never deployed, those of a source may have finished. */
    private static boolean allRunning(AccessExecutionGraph graph) {
        boolean any = false;
        for (AccessExecutionVertex subtask : graph.getAllExecutionVertices()) {
            ExecutionState state = subtask.getExecutionState();
            if (state == ExecutionState.RUNNING) {
                any = true;
            } else if (state != ExecutionState.CREATED && state != ExecutionState.FINISHED) {
                return false;
            }
        }
        return any && graph.getState() == JobStatus.RUNNING;
    }

    /**
     * Rescales one vertex.
     *
     * @param vertexName the name of the job vertex, as the web UI shows it
     * @return how the rescale ended, {@code FINISHED}, {@code ABORTED} or {@code FAILED}. The
     *     future fails with a {@link io.meces.api.RescaleRefusedException} if it was not begun, and
     *     with a {@link java.util.concurrent.TimeoutException} if it did not end in time.
     */
    public CompletableFuture<RescaleDetails> rescale(
            JobID jobId, String vertexName, int parallelism) {
        return rescale(
                jobId, RescaleRequest.of(RescaleRequest.Target.byName(vertexName, parallelism)));
    }

    /** As {@link #rescale(JobID, String, int)}, for any request that is not a dry run. */
    public CompletableFuture<RescaleDetails> rescale(JobID jobId, RescaleRequest request) {
        return controllers
                .rescale(jobId, request)
                .thenCompose(
                        accepted ->
                                poll.until(
                                        "rescale " + accepted.id() + " of job " + jobId,
                                        () -> controllers.rescale(jobId, accepted.id()),
                                        rescale -> rescale.status().isTerminal()));
    }

    /** Has a rescale end early; how it stands then. */
    public CompletableFuture<RescaleDetails> abort(JobID jobId, String rescaleId, AbortMode mode) {
        return controllers.abort(jobId, rescaleId, mode);
    }

    /** What a rescale would do; for dry runs. */
    public CompletableFuture<RescalePlans> plan(JobID jobId, RescaleRequest request) {
        return controllers.plan(jobId, request);
    }

    /** What can be rescaled in the job, and how it stands. */
    public CompletableFuture<Elasticity> elasticity(JobID jobId) {
        return controllers.elasticity(jobId);
    }

    /** All rescales of the job that are remembered, the newest last. */
    public CompletableFuture<List<RescaleDetails>> rescales(JobID jobId) {
        return controllers.rescales(jobId).thenApply(Rescales::rescales);
    }

    public CompletableFuture<JobStatus> status(JobID jobId) {
        return flink.getJobStatus(jobId);
    }

    /** Cancels the job; completed when it has ended, however it ended. */
    public CompletableFuture<Void> cancel(JobID jobId) {
        return flink.cancelJob(jobId)
                .thenCompose(acknowledged -> flink.requestJobResult(jobId))
                .thenApply(result -> null);
    }

    /** Adds a TaskManager. They are numbered from 0 in the order in which they were started. */
    public void startTaskManager() throws Exception {
        MecesMiniClusterBridge.startTaskManager(flink);
    }

    /** Stops a TaskManager for good; its number is not used again. */
    public CompletableFuture<Void> terminateTaskManager(int index) {
        return MecesMiniClusterBridge.terminateTaskManager(flink, index);
    }

    /** The address of the REST interface, Flink's and ours, without a path. */
    public URI restAddress() throws InterruptedException {
        try {
            return flink.getRestAddress().get();
        } catch (ExecutionException e) {
            throw new IllegalStateException("The REST interface was not started.", e.getCause());
        }
    }

    /** Flink's own interface to the cluster, for savepoints and whatever else it offers. */
    public MiniCluster flink() {
        return flink;
    }

    /** Stops the cluster and fails its jobs; waits for it. */
    @Override
    public void close() throws Exception {
        try {
            flink.close();
        } finally {
            timer.shutdownNow();
        }
    }

    /** Says how large the cluster is. For one thread, which may start several clusters. */
    public static final class Builder {
        private int taskManagers = 1;
        private int slotsPerTaskManager = 1;
        private RpcServiceSharing rpcServices = RpcServiceSharing.SHARED;
        private Configuration configuration = new Configuration();
        @Nullable private Function<Executor, HighAvailabilityServices> highAvailability;
        private Duration pollInterval = Duration.ofMillis(20);
        private Duration pollLimit = Duration.ofMinutes(2);

        Builder() {}

        /** How many TaskManagers the cluster starts with; default 1. */
        public Builder taskManagers(int number) {
            taskManagers = number;
            return this;
        }

        /** Slots of each TaskManager; default 1. */
        public Builder slotsPerTaskManager(int number) {
            slotsPerTaskManager = number;
            return this;
        }

        /** Options of Flink and flink-meces. Ports are free ones where it does not name them. */
        public Builder configuration(Configuration options) {
            configuration = options;
            return this;
        }

        /**
         * Gives each TaskManager and the JobManager an RPC service of its own, so that every
         * message between them is serialized as between processes.
         */
        public Builder dedicatedRpcServices() {
            rpcServices = RpcServiceSharing.DEDICATED;
            return this;
        }

        /** Other high-availability services than the configuration says. */
        public Builder highAvailability(Function<Executor, HighAvailabilityServices> services) {
            highAvailability = services;
            return this;
        }

        /** How often a rescale that runs is asked for, and for how long; default 20 ms, 2 min. */
        public Builder polling(Duration interval, Duration limit) {
            pollInterval = interval;
            pollLimit = limit;
            return this;
        }

        /**
         * Starts the cluster.
         *
         * @throws IllegalStateException if flink-meces does not fit the Flink on the class path
         * @throws Exception if Flink cannot start one of its parts
         */
        public MecesMiniCluster start() throws Exception {
            StartupCheck.run();
            MiniCluster flink =
                    new MecesMiniClusterBridge(
                            new MiniClusterConfiguration.Builder()
                                    .setConfiguration(effectiveConfiguration())
                                    .setNumTaskManagers(taskManagers)
                                    .setNumSlotsPerTaskManager(slotsPerTaskManager)
                                    .setRpcServiceSharing(rpcServices)
                                    .build(),
                            MecesComponents.session(),
                            highAvailability);
            ScheduledExecutorService timer = newTimer();
            MecesMiniCluster cluster =
                    new MecesMiniCluster(flink, new Poll(timer, pollInterval, pollLimit), timer);
            try {
                flink.start();
            } catch (Exception e) {
                timer.shutdownNow();
                throw e;
            }
            return cluster;
        }

        private Configuration effectiveConfiguration() {
            Configuration effective = new Configuration(configuration);
            if (!effective.contains(ShuffleServiceOptions.SHUFFLE_SERVICE_FACTORY_CLASS)) {
                effective.set(
                        ShuffleServiceOptions.SHUFFLE_SERVICE_FACTORY_CLASS,
                        MecesComponents.SHUFFLE_SERVICE_FACTORY);
            }
            if (!effective.contains(RestOptions.PORT)
                    && !effective.contains(RestOptions.BIND_PORT)) {
                effective.set(RestOptions.PORT, 0);
                effective.set(RestOptions.BIND_PORT, "0");
            }
            return effective;
        }

        private static ScheduledExecutorService newTimer() {
            return new ScheduledThreadPoolExecutor(
                    1, new DetachedThreads("meces-mini-cluster-timer"));
        }
    }
}
