// SPDX-License-Identifier: Apache-2.0
package io.meces.core.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.meces.core.checkpoint.RescaleException;
import io.meces.core.id.VertexId;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class CarriedStatesTest {

    private final ElasticVertex vertex = new ElasticVertex(VertexId.random(), "v", 3, 4, 4, 1);
    private final CarriedStates<String> carried =
            new CarriedStates<>("", String::length, Runnable::run);

    @Test
    void isCarriedWhenTheSubtasksAreGoneAndUntilTheVertexIsRestored() {
        CompletableFuture<String> read = new CompletableFuture<>();
        CompletableFuture<Runnable> left = carried.leave(vertex, 2, read);
        read.complete("a");
        assertThat(carried.of(vertex)).isEmpty();
        left.join().run();
        assertThat(carried.of(vertex)).isEqualTo("a");
        assertThat(vertex.carried()).isEqualTo(1);
        carried.forget(vertex);
        assertThat(carried.of(vertex)).isEmpty();
        assertThat(vertex.carried()).isZero();
    }

    @Test
    void failsIfACheckpointHasNoRoomForIt() {
        CompletableFuture<Runnable> left =
                carried.leave(vertex, 2, CompletableFuture.completedFuture("abc"));
        assertThatThrownBy(left::join)
                .hasCauseInstanceOf(RescaleException.class)
                .hasMessageContaining("leaves no room");
    }

    @Test
    void failsIfItCannotBeRead() {
        CompletableFuture<String> read = new CompletableFuture<>();
        read.completeExceptionally(new RescaleException("too large"));
        assertThatThrownBy(carried.leave(vertex, 2, read)::join).hasMessageContaining("too large");
    }
}
