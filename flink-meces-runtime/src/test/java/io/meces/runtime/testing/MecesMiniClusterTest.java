// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.meces.api.RescaleAccepted;
import io.meces.api.RescaleDetails;
import io.meces.api.RescaleRefusedException;
import io.meces.api.RescaleRequest;
import io.meces.api.RescaleStatus;
import io.meces.runtime.rpc.MecesCoordination;
import io.meces.runtime.rpc.ServiceRequest;
import io.meces.runtime.rpc.StubService;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.concurrent.FutureUtils;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.runtime.operators.coordination.CoordinationRequest;
import org.apache.flink.runtime.operators.coordination.CoordinationResponse;
import org.apache.flink.util.SerializedValue;
import org.junit.jupiter.api.Test;

/** The part that speaks to the controller, without a cluster. */
class MecesMiniClusterTest {

    private final JobID job = new JobID();
    private final ManualTimer timer = new ManualTimer();
    private final StubCluster stub = new StubCluster();
    private final MecesMiniCluster cluster =
            new MecesMiniCluster(
                    stub, new Poll(timer, Duration.ofMillis(10), Duration.ofSeconds(1)), null);

    @Test
    void rescalesAVertexAndWaitsForTheEnd() {
        stub.states.addAll(
                Arrays.asList(
                        RescaleStatus.RUNNING, RescaleStatus.RECOVERING, RescaleStatus.FINISHED));

        CompletableFuture<RescaleDetails> end = cluster.rescale(job, "count", 3);
        assertThat(end).isNotDone();
        timer.next();
        assertThat(end).isNotDone();
        timer.next();

        assertThat(end)
                .isCompletedWithValueMatching(status -> status.status() == RescaleStatus.FINISHED);
        assertThat(stub.rescale.vertices()).hasSize(1);
        assertThat(stub.rescale.vertices().get(0).name()).isEqualTo("count");
        assertThat(stub.rescale.vertices().get(0).id()).isNull();
        assertThat(stub.rescale.vertices().get(0).parallelism()).isEqualTo(3);
        assertThat(stub.rescale.batchSize()).isNull();
        assertThat(stub.rescale.dryRun()).isFalse();
    }

    @Test
    void aRescaleThatFailsIsAnAnswer() {
        stub.states.add(RescaleStatus.FAILED);
        assertThat(cluster.rescale(job, "count", 3))
                .isCompletedWithValueMatching(status -> status.status() == RescaleStatus.FAILED);
    }

    @Test
    void aRefusalFailsTheFuture() {
        stub.refusal =
                new RescaleRefusedException(RescaleRefusedException.Kind.CONFLICT, "not now");
        assertThatThrownBy(() -> cluster.rescale(job, "count", 3).get())
                .hasCauseInstanceOf(RescaleRefusedException.class)
                .hasRootCauseMessage("not now");
    }

    /** Stands in for the way to the controller. */
    private final class StubCluster extends MiniCluster {
        final Deque<RescaleStatus> states = new ArrayDeque<>();
        RescaleRequest rescale;
        RescaleRefusedException refusal;

        StubCluster() {
            super(new MiniClusterConfiguration.Builder().build());
        }

        @Override
        public CompletableFuture<CoordinationResponse> deliverCoordinationRequestToCoordinator(
                JobID jobId,
                OperatorID operatorId,
                SerializedValue<CoordinationRequest> serialized) {
            assertThat(jobId).isEqualTo(job);
            assertThat(operatorId).isEqualTo(MecesCoordination.OPERATOR_ID);
            if (refusal != null) {
                return FutureUtils.completedExceptionally(refusal);
            }
            return ServiceRequest.answer(
                    deserialize(serialized),
                    new StubService() {
                        @Override
                        public CompletableFuture<RescaleAccepted> rescale(RescaleRequest request) {
                            rescale = request;
                            return CompletableFuture.completedFuture(new RescaleAccepted("r1"));
                        }

                        @Override
                        public RescaleDetails rescale(String id) {
                            assertThat(id).isEqualTo("r1");
                            return RescaleDetails.of(id, states.remove()).build();
                        }
                    });
        }
    }

    private static CoordinationRequest deserialize(SerializedValue<CoordinationRequest> request) {
        try {
            return request.deserializeValue(MecesMiniClusterTest.class.getClassLoader());
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
