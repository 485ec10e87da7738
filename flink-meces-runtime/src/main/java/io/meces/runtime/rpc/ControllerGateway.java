// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.rpc;

import io.meces.api.AbortMode;
import io.meces.api.Elasticity;
import io.meces.api.KeyGroups;
import io.meces.api.RescaleAccepted;
import io.meces.api.RescaleDetails;
import io.meces.api.RescalePlans;
import io.meces.api.RescaleRefusedException;
import io.meces.api.RescaleRequest;
import io.meces.api.Rescales;
import io.meces.api.ResourceRequirements;
import io.meces.core.rescale.RescaleService;
import io.meces.flink.runtime.Futures;
import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.dispatcher.UnavailableDispatcherOperationException;
import org.apache.flink.runtime.messages.FlinkJobNotFoundException;
import org.apache.flink.runtime.operators.coordination.CoordinationRequest;
import org.apache.flink.runtime.operators.coordination.CoordinationResponse;
import org.apache.flink.util.ExceptionUtils;
import org.apache.flink.util.SerializedValue;

/**
 * Speaks to the rescale controllers of the jobs of a cluster. Safe for any thread; nothing blocks.
 *
 * <p>Whatever the controller or Flink refuses fails the returned future with a {@link
 * RescaleRefusedException}, also an unknown job ({@code NOT_FOUND}), one that is still starting
 * ({@code CONFLICT}) and one without a controller ({@code BAD_REQUEST}). Other failures, such as a
 * time-out of the RPC, are passed on as they are.
 */
public final class ControllerGateway {

    /** Delivers a request to an operator coordinator of a job, by its uid and Flink's RPC. */
    @FunctionalInterface
    public interface Transport {
        CompletableFuture<CoordinationResponse> deliver(
                JobID jobId, String uid, SerializedValue<CoordinationRequest> request);
    }

    private final Transport transport;

    public ControllerGateway(Transport transport) {
        this.transport = transport;
    }

    /** What can be rescaled in the job, and how it stands. */
    public CompletableFuture<Elasticity> elasticity(JobID jobId) {
        return look(jobId, RescaleService::elasticity);
    }

    /** The ids of the vertices that cannot be rescaled, in hex. */
    public CompletableFuture<ArrayList<String>> fixedVertices(JobID jobId) {
        return look(jobId, RescaleService::fixedVertices);
    }

    /** The key-groups of a vertex, by its id in hex. */
    public CompletableFuture<KeyGroups> keyGroups(JobID jobId, String vertexId) {
        return ask(jobId, service -> service.keyGroups(vertexId));
    }

    /** Begins a rescale; for requests that are not dry runs. */
    public CompletableFuture<RescaleAccepted> rescale(JobID jobId, RescaleRequest request) {
        checkDryRun(request, false);
        return ask(jobId, service -> service.rescale(request));
    }

    /** What a rescale would do; for dry runs. */
    public CompletableFuture<RescalePlans> plan(JobID jobId, RescaleRequest request) {
        checkDryRun(request, true);
        return ask(jobId, service -> service.plan(request));
    }

    private static void checkDryRun(RescaleRequest request, boolean expected) {
        if (request.dryRun() != expected) {
            throw new IllegalArgumentException(
                    "The request " + (expected ? "must" : "must not") + " be a dry run.");
        }
    }

    /** Between which parallelisms the elastic vertices of the job are to run. */
    public CompletableFuture<ResourceRequirements> requirements(JobID jobId) {
        return look(jobId, RescaleService::requirements);
    }

    /** Sets that for some vertices; what stands then for all. */
    public CompletableFuture<ResourceRequirements> require(
            JobID jobId, ResourceRequirements requirements) {
        return look(
                jobId,
                service -> {
                    service.require(requirements);
                    return service.requirements();
                });
    }

    /** All rescales of the job that are remembered. */
    public CompletableFuture<Rescales> rescales(JobID jobId) {
        return look(jobId, RescaleService::rescales);
    }

    /** One rescale of the job. */
    public CompletableFuture<RescaleDetails> rescale(JobID jobId, String rescaleId) {
        return look(jobId, service -> service.rescale(rescaleId));
    }

    /** Has a rescale end early; how it stands then. */
    public CompletableFuture<RescaleDetails> abort(JobID jobId, String rescaleId, AbortMode mode) {
        return look(jobId, service -> service.abort(rescaleId, mode));
    }

    /** A question that is answered at once. */
    @FunctionalInterface
    private interface Look<A> extends Serializable {

        A at(RescaleService service) throws RescaleRefusedException;
    }

    private <A extends Serializable> CompletableFuture<A> look(JobID jobId, Look<A> look) {
        return ask(jobId, service -> CompletableFuture.completedFuture(look.at(service)));
    }

    private <A extends Serializable> CompletableFuture<A> ask(
            JobID jobId, ServiceRequest.Question<A> question) {
        SerializedValue<CoordinationRequest> serialized;
        try {
            serialized = new SerializedValue<>(new ServiceRequest<>(question));
        } catch (IOException e) {
            return Futures.completedExceptionally(e);
        }
        return transport
                .deliver(jobId, MecesCoordination.UID, serialized)
                .handle(
                        (response, failure) -> {
                            if (failure != null) {
                                throw new CompletionException(asRefusal(jobId, failure));
                            }
                            // a request is answered by its own kind of answer
                            return (A) ((ServiceRequest.Answer) response).value;
                        });
    }

    private static Throwable asRefusal(JobID jobId, Throwable failure) {
        RescaleRefusedException refusal =
                ExceptionUtils.findThrowable(failure, RescaleRefusedException.class).orElse(null);
        if (refusal != null) {
            return refusal;
        }
        if (ExceptionUtils.findThrowable(failure, FlinkJobNotFoundException.class).isPresent()) {
            return refused(
                    RescaleRefusedException.Kind.NOT_FOUND,
                    "There is no running job " + jobId + ".",
                    failure);
        }
        if (ExceptionUtils.findThrowable(failure, UnavailableDispatcherOperationException.class)
                .isPresent()) {
            return refused(
                    RescaleRefusedException.Kind.CONFLICT,
                    "Job " + jobId + " is still starting. Ask again when it runs.",
                    failure);
        }
        // How Flink's own scheduler answers for a coordinator that it does not have.
        if (ExceptionUtils.findThrowableWithMessage(
                        failure, MecesCoordination.OPERATOR_ID + " does not exist")
                .isPresent()) {
            return refused(
                    RescaleRefusedException.Kind.BAD_REQUEST,
                    "Job "
                            + jobId
                            + " cannot be rescaled: it has a scheduler of Flink's own, as jobs in"
                            + " batch mode have, and all with scheduler-mode: reactive. Have it run"
                            + " with execution.runtime-mode: STREAMING, and leave scheduler-mode"
                            + " out of the configuration of the JobManager.",
                    failure);
        }
        return ExceptionUtils.stripCompletionException(failure);
    }

    private static RescaleRefusedException refused(
            RescaleRefusedException.Kind kind, String message, Throwable cause) {
        RescaleRefusedException refusal = new RescaleRefusedException(kind, message);
        refusal.initCause(cause);
        return refusal;
    }
}
