// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.rest;

import io.meces.api.RescaleRefusedException;
import io.meces.api.RescaleRequest;
import io.meces.flink.runtime.RestRequest;
import io.meces.runtime.rpc.ControllerGateway;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.rest.messages.JobIDPathParameter;
import org.apache.flink.runtime.rest.messages.JobMessageParameters;
import org.apache.flink.runtime.webmonitor.RestfulGateway;
import org.apache.flink.runtime.webmonitor.retriever.GatewayRetriever;

/** Begins a rescale, or with {@code dry-run} says what it would do. */
final class RescaleHandler extends BodyHandler<RescaleRequestBody, JobMessageParameters> {

    RescaleHandler(
            GatewayRetriever<? extends RestfulGateway> leaderRetriever,
            Duration timeout,
            Map<String, String> responseHeaders) {
        super(
                leaderRetriever,
                timeout,
                responseHeaders,
                MecesHeaders.RESCALE,
                RescaleHandler::respond);
    }

    private static CompletableFuture<Response> respond(
            RestRequest<RescaleRequestBody> httpRequest, ControllerGateway controllers)
            throws RescaleRefusedException {
        JobID jobId = httpRequest.getPathParameter(JobIDPathParameter.class);
        RescaleRequest request = httpRequest.getRequestBody().request;
        request.validate();
        if (request.dryRun()) {
            return controllers.plan(jobId, request).thenApply(Response::ok);
        }
        return controllers.rescale(jobId, request).thenApply(Response::accepted);
    }
}
