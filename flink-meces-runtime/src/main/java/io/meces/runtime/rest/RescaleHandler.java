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

package io.meces.runtime.rest;

import io.meces.api.RescaleRefusedException;
import io.meces.api.RescaleRequest;
import io.meces.runtime.rpc.ControllerGateway;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.time.Time;
import org.apache.flink.runtime.rest.handler.HandlerRequest;
import org.apache.flink.runtime.rest.messages.JobIDPathParameter;
import org.apache.flink.runtime.rest.messages.JobMessageParameters;
import org.apache.flink.runtime.webmonitor.RestfulGateway;
import org.apache.flink.runtime.webmonitor.retriever.GatewayRetriever;

/** Begins a rescale, or with {@code dry-run} says what it would do. */
final class RescaleHandler extends BodyHandler<RescaleRequestBody, JobMessageParameters> {

    RescaleHandler(
            GatewayRetriever<? extends RestfulGateway> leaderRetriever,
            Time timeout,
            Map<String, String> responseHeaders) {
        super(
                leaderRetriever,
                timeout,
                responseHeaders,
                MecesHeaders.RESCALE,
                RescaleHandler::respond);
    }

    private static CompletableFuture<Response> respond(
            HandlerRequest<RescaleRequestBody, JobMessageParameters> httpRequest,
            ControllerGateway controllers)
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
