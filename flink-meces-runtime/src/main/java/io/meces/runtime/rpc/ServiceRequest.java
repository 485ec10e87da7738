// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.rpc;

import io.meces.api.RescaleRefusedException;
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
public final class ServiceRequest<A extends Serializable> implements CoordinationRequest {
    private static final long serialVersionUID = 1L;

    private final Question<A> question;

    ServiceRequest(Question<A> question) {
        this.question = question;
    }

    /** What is done with the service, where that is. */
    @FunctionalInterface
    interface Question<A> extends Serializable {

        CompletableFuture<A> ask(RescaleService service) throws RescaleRefusedException;
    }

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
            return ((ServiceRequest<?>) request).question.ask(service).thenApply(Answer::new);
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
}
