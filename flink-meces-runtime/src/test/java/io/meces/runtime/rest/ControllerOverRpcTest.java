// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.meces.api.RescaleAccepted;
import io.meces.api.RescaleDetails;
import io.meces.api.RescaleRefusedException;
import io.meces.api.RescaleRequest;
import io.meces.flink.runtime.Gateways;
import io.meces.runtime.rpc.ControllerGateway;
import io.meces.runtime.rpc.MecesCoordination;
import io.meces.runtime.rpc.ServiceRequest;
import io.meces.runtime.rpc.StubService;
import java.net.HttpURLConnection;
import java.net.URL;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.annotation.Nullable;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.runtime.dispatcher.SessionDispatcherFactory;
import org.apache.flink.runtime.dispatcher.runner.DefaultDispatcherRunnerFactory;
import org.apache.flink.runtime.entrypoint.component.DefaultDispatcherResourceManagerComponentFactory;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.jobgraph.tasks.AbstractInvokable;
import org.apache.flink.runtime.minicluster.MecesMiniClusterBridge;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.runtime.minicluster.RpcServiceSharing;
import org.apache.flink.runtime.operators.coordination.CoordinationRequest;
import org.apache.flink.runtime.operators.coordination.CoordinationRequestHandler;
import org.apache.flink.runtime.operators.coordination.CoordinationResponse;
import org.apache.flink.runtime.operators.coordination.OperatorCoordinator;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;
import org.apache.flink.runtime.resourcemanager.StandaloneResourceManagerFactory;
import org.apache.flink.util.SerializedValue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Requests, answers and refusals through Flink's dispatcher, JobMaster and serializing RPC. Jobs
 * run on Flink's own scheduler; the controller is an operator coordinator at the reserved id.
 */
@Timeout(120)
class ControllerOverRpcTest {

    private static MiniCluster cluster;
    private static ControllerGateway controllers;

    @BeforeAll
    static void start() throws Exception {
        Configuration configuration = new Configuration();
        configuration.set(RestOptions.BIND_PORT, "0");
        cluster =
                new MecesMiniClusterBridge(
                        new MiniClusterConfiguration.Builder()
                                .setConfiguration(configuration)
                                .setNumSlotsPerTaskManager(2)
                                .setRpcServiceSharing(RpcServiceSharing.DEDICATED)
                                .build(),
                        new DefaultDispatcherResourceManagerComponentFactory(
                                DefaultDispatcherRunnerFactory.createSessionRunner(
                                        SessionDispatcherFactory.INSTANCE),
                                StandaloneResourceManagerFactory.getInstance(),
                                new MecesRestEndpointFactory()),
                        null);
        cluster.start();
        controllers =
                new ControllerGateway(
                        (job, uid, request) -> Gateways.ask(cluster, job, uid, request));
    }

    @AfterAll
    static void stop() throws Exception {
        cluster.close();
    }

    @Test
    void reachesTheControllerAndCarriesAnswersAndRefusalsBack() throws Exception {
        JobVertex vertex = new JobVertex("count");
        vertex.addOperatorCoordinator(new SerializedValue<>(new StubController()));
        JobID job = run(vertex);

        assertThat(controllers.rescale(job, request("count")).get().id()).isEqualTo("beef");
        assertThatThrownBy(() -> controllers.rescale(job, request("other")).get())
                .cause()
                .isInstanceOfSatisfying(
                        RescaleRefusedException.class,
                        refusal -> {
                            assertThat(refusal.getKind())
                                    .isEqualTo(RescaleRefusedException.Kind.NOT_FOUND);
                            assertThat(refusal).hasMessage("There is no vertex other.");
                        });
        assertThat(status("/jobs/" + job + "/rescales/unknown")).isEqualTo(400);
    }

    @Test
    void aJobWithoutAControllerIsNotElastic() throws Exception {
        JobID job = run(new JobVertex("plain"));

        assertThatThrownBy(() -> controllers.elasticity(job).get())
                .hasCauseInstanceOf(RescaleRefusedException.class)
                .hasMessageContaining("Job " + job + " cannot be rescaled");
        assertThat(status("/jobs/" + job + "/elasticity")).isEqualTo(400);
    }

    @Test
    void anUnknownJobIsNotFound() throws Exception {
        JobID unknown = new JobID();
        assertThatThrownBy(() -> controllers.elasticity(unknown).get())
                .hasCauseInstanceOf(RescaleRefusedException.class)
                .hasMessageContaining("no running job " + unknown);
        assertThat(status("/jobs/" + unknown + "/elasticity")).isEqualTo(404);
    }

    private static JobID run(JobVertex vertex) throws Exception {
        vertex.setInvokableClass(Waiting.class);
        vertex.setParallelism(1);
        JobGraph graph = new JobGraph(vertex);
        cluster.runDetached(graph);
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (cluster.getJobStatus(graph.getJobID()).get() != JobStatus.RUNNING) {
            assertThat(System.nanoTime() - deadline).as("ns beyond the limit").isNegative();
            LockSupport.parkNanos(20_000_000);
        }
        return graph.getJobID();
    }

    private static RescaleRequest request(String vertex) {
        return RescaleRequest.of(RescaleRequest.Target.byName(vertex, 2));
    }

    private static int status(String path) throws Exception {
        HttpURLConnection connection =
                (HttpURLConnection) new URL(cluster.getRestAddress().get() + path).openConnection();
        try {
            return connection.getResponseCode();
        } finally {
            connection.disconnect();
        }
    }

    /** A task that runs until it is cancelled. */
    public static final class Waiting extends AbstractInvokable {
        public Waiting(Environment environment) {
            super(environment);
        }

        @Override
        public void invoke() throws Exception {
            new CountDownLatch(1).await();
        }
    }

    /** Knows the vertex "count" only. */
    private static final class KnowsOneVertex extends StubService {

        @Override
        public CompletableFuture<RescaleAccepted> rescale(RescaleRequest request)
                throws RescaleRefusedException {
            String vertex = request.vertices().get(0).name();
            if (vertex.equals("count")) {
                return CompletableFuture.completedFuture(new RescaleAccepted("beef"));
            }
            throw new RescaleRefusedException(
                    RescaleRefusedException.Kind.NOT_FOUND, "There is no vertex " + vertex + ".");
        }

        @Override
        public RescaleDetails rescale(String id) throws RescaleRefusedException {
            throw new RescaleRefusedException(RescaleRefusedException.Kind.CONFLICT, "Not now.");
        }
    }

    /** Takes requests as the scheduler of a job does. */
    private static final class StubController
            implements OperatorCoordinator,
                    CoordinationRequestHandler,
                    OperatorCoordinator.Provider {
        private static final long serialVersionUID = 1L;

        @Override
        public OperatorID getOperatorId() {
            return MecesCoordination.OPERATOR_ID;
        }

        @Override
        public OperatorCoordinator create(Context context) {
            return this;
        }

        @Override
        public CompletableFuture<CoordinationResponse> handleCoordinationRequest(
                CoordinationRequest request) {
            return ServiceRequest.answer(request, new KnowsOneVertex());
        }

        @Override
        public void start() {}

        @Override
        public void close() {}

        @Override
        public void handleEventFromOperator(int subtask, OperatorEvent event) {}

        @Override
        public void checkpointCoordinator(long checkpointId, CompletableFuture<byte[]> result) {
            result.complete(new byte[0]);
        }

        @Override
        public void notifyCheckpointComplete(long checkpointId) {}

        @Override
        public void resetToCheckpoint(long checkpointId, @Nullable byte[] checkpointData) {}

        @Override
        public void subtaskFailed(int subtask, @Nullable Throwable reason) {}

        @Override
        public void subtaskReset(int subtask, long checkpointId) {}

        @Override
        public void subtaskReady(int subtask, SubtaskGateway gateway) {}
    }
}
