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
import java.io.Serializable;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.runtime.operators.coordination.CoordinationRequest;
import org.apache.flink.runtime.operators.coordination.CoordinationResponse;

/**
 * A question to a {@link RescaleService}, as Flink's RPC takes it there. An immutable value.
 *
 * @param <A> the answer
 */
public abstract class ServiceRequest<A extends Serializable> implements CoordinationRequest {
    private static final long serialVersionUID = 1L;

    abstract CompletableFuture<A> ask(RescaleService service) throws RescaleRefusedException;

    /**
     * Has a request answered that RPC has brought.
     *
     * @return fails with a {@link RescaleRefusedException} if that is the answer
     */
    public static CompletableFuture<CoordinationResponse> answer(
            CoordinationRequest request, RescaleService service) {
        if (!(request instanceof ServiceRequest)) {
            return refused(
                    new RescaleRefusedException(
                            RescaleRefusedException.Kind.BAD_REQUEST,
                            "unknown request " + request.getClass().getName()));
        }
        try {
            return ((ServiceRequest<?>) request).ask(service).thenApply(Answer::new);
        } catch (RescaleRefusedException refusal) {
            return refused(refusal);
        }
    }

    private static CompletableFuture<CoordinationResponse> refused(
            RescaleRefusedException refusal) {
        return Futures.completedExceptionally(refusal);
    }

    /** The answer, as RPC brings it back. */
    static final class Answer implements CoordinationResponse {
        private static final long serialVersionUID = 1L;

        final Serializable value;

        Answer(Serializable value) {
            this.value = value;
        }
    }

    /** Asks for {@link RescaleService#elasticity()}. */
    static final class OfElasticity extends ServiceRequest<Elasticity> {
        private static final long serialVersionUID = 1L;

        @Override
        CompletableFuture<Elasticity> ask(RescaleService service) {
            return CompletableFuture.completedFuture(service.elasticity());
        }
    }

    /** Asks for {@link RescaleService#keyGroups(String)}. */
    static final class OfKeyGroups extends ServiceRequest<KeyGroups> {
        private static final long serialVersionUID = 1L;

        private final String vertexId;

        OfKeyGroups(String vertexId) {
            this.vertexId = vertexId;
        }

        @Override
        CompletableFuture<KeyGroups> ask(RescaleService service) throws RescaleRefusedException {
            return service.keyGroups(vertexId);
        }
    }

    /** Asks for {@link RescaleService#rescale(RescaleRequest)}. */
    static final class OfRescale extends ServiceRequest<RescaleAccepted> {
        private static final long serialVersionUID = 1L;

        private final RescaleRequest request;

        OfRescale(RescaleRequest request) {
            this.request = request;
        }

        @Override
        CompletableFuture<RescaleAccepted> ask(RescaleService service)
                throws RescaleRefusedException {
            return service.rescale(request);
        }
    }

    /** Asks for {@link RescaleService#plan(RescaleRequest)}. */
    static final class OfPlan extends ServiceRequest<RescalePlans> {
        private static final long serialVersionUID = 1L;

        private final RescaleRequest request;

        OfPlan(RescaleRequest request) {
            this.request = request;
        }

        @Override
        CompletableFuture<RescalePlans> ask(RescaleService service) throws RescaleRefusedException {
            return service.plan(request);
        }
    }

    /** Asks for {@link RescaleService#requirements()}. */
    static final class OfRequirements extends ServiceRequest<ResourceRequirements> {
        private static final long serialVersionUID = 1L;

        @Override
        CompletableFuture<ResourceRequirements> ask(RescaleService service) {
            return CompletableFuture.completedFuture(service.requirements());
        }
    }

    /** Asks for {@link RescaleService#require}, and is answered with what stands then. */
    static final class OfRequire extends ServiceRequest<ResourceRequirements> {
        private static final long serialVersionUID = 1L;

        private final ResourceRequirements requirements;

        OfRequire(ResourceRequirements requirements) {
            this.requirements = requirements;
        }

        @Override
        CompletableFuture<ResourceRequirements> ask(RescaleService service)
                throws RescaleRefusedException {
            service.require(requirements);
            return CompletableFuture.completedFuture(service.requirements());
        }
    }

    /** Asks for {@link RescaleService#rescales()}. */
    static final class OfAll extends ServiceRequest<Rescales> {
        private static final long serialVersionUID = 1L;

        @Override
        CompletableFuture<Rescales> ask(RescaleService service) {
            return CompletableFuture.completedFuture(service.rescales());
        }
    }

    /** Asks for {@link RescaleService#rescale(String)}. */
    static final class OfOne extends ServiceRequest<RescaleDetails> {
        private static final long serialVersionUID = 1L;

        private final String id;

        OfOne(String id) {
            this.id = id;
        }

        @Override
        CompletableFuture<RescaleDetails> ask(RescaleService service)
                throws RescaleRefusedException {
            return CompletableFuture.completedFuture(service.rescale(id));
        }
    }

    /** Asks for {@link RescaleService#abort(String, AbortMode)}. */
    static final class OfAbort extends ServiceRequest<RescaleDetails> {
        private static final long serialVersionUID = 1L;

        private final String id;
        private final AbortMode mode;

        OfAbort(String id, AbortMode mode) {
            this.id = id;
            this.mode = mode;
        }

        @Override
        CompletableFuture<RescaleDetails> ask(RescaleService service)
                throws RescaleRefusedException {
            return CompletableFuture.completedFuture(service.abort(id, mode));
        }
    }
}
