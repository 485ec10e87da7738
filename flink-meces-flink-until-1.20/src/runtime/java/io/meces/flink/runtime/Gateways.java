// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.time.Time;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.operators.coordination.CoordinationRequest;
import org.apache.flink.runtime.operators.coordination.CoordinationResponse;
import org.apache.flink.runtime.webmonitor.RestfulGateway;
import org.apache.flink.util.SerializedValue;

/** What Flink's gateways take. Safe for any thread. */
public final class Gateways {

    private Gateways() {}

    /** As gateways take it. */
    public static Time timeout(Duration timeout) {
        return Time.milliseconds(timeout.toMillis());
    }

    /** Asks an operator coordinator of a job. */
    public static CompletableFuture<CoordinationResponse> ask(
            RestfulGateway dispatcher,
            JobID job,
            String uid,
            SerializedValue<CoordinationRequest> request,
            Duration timeout) {
        return dispatcher.deliverCoordinationRequestToCoordinator(
                job, OperatorUids.toId(uid), request, timeout(timeout));
    }

    /** Asks an operator coordinator of a job. */
    public static CompletableFuture<CoordinationResponse> ask(
            MiniCluster cluster,
            JobID job,
            String uid,
            SerializedValue<CoordinationRequest> request) {
        return cluster.deliverCoordinationRequestToCoordinator(
                job, OperatorUids.toId(uid), request);
    }
}
