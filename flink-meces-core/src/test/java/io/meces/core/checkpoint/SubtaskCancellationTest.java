// SPDX-License-Identifier: Apache-2.0
package io.meces.core.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.meces.core.id.AttemptId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class SubtaskCancellationTest {

    private final List<String> calls = new ArrayList<>();
    private final Map<Integer, CompletableFuture<Void>> released = new HashMap<>();
    private final Map<Integer, AttemptId> attempts = new HashMap<>();
    private final AbsentAcknowledgements<String> acknowledgements =
            new AbsentAcknowledgements<>(new Coordinator());
    private final SubtaskCancellation<Integer, String> cancellation =
            new SubtaskCancellation<>(
                    new Scheduler(),
                    acknowledgements,
                    () -> calls.add("look for the end of the job"),
                    Runnable::run);
    private boolean failedOver;

    @Test
    void subtasksAreNewWhenAllAreReleased() {
        CompletableFuture<?> cancelled = cancellation.cancel(Arrays.asList(2, 3));
        assertThat(calls).containsExactly("outdate [2, 3]", "cancel 2", "cancel 3");
        released.get(3).complete(null);
        assertThat(cancelled).isNotDone();
        released.get(2).complete(null);
        assertThat(cancelled).isCompleted();
        assertThat(calls.subList(3, calls.size()))
                .containsExactly("reset [2, 3] v", "look for the end of the job");
    }

    @Test
    void aFailoverTakesThemOver() {
        CompletableFuture<?> cancelled = cancellation.cancel(Collections.singletonList(2));
        failedOver = true;
        released.get(2).complete(null);
        assertThatThrownBy(cancelled::join).hasMessageContaining("a failover has taken over");
        assertThat(calls).doesNotContain("look for the end of the job");
    }

    @Test
    void theirAttemptsAreAcknowledgedFromThenOn() {
        cancellation.cancel(Collections.singletonList(2));
        acknowledgements.onAcknowledged(1);
        assertThat(calls).endsWith("acknowledge 1 " + attempts.get(2));
    }

    private final class Scheduler implements SubtaskCancellation.Scheduler<Integer, String> {

        @Override
        public AttemptId attempt(Integer subtask) {
            return attempts.computeIfAbsent(subtask, k -> AttemptId.random());
        }

        @Override
        public String outdateDeployments(List<Integer> subtasks) {
            calls.add("outdate " + subtasks);
            return "v";
        }

        @Override
        public CompletableFuture<?> cancel(Integer subtask) {
            calls.add("cancel " + subtask);
            return released.computeIfAbsent(subtask, k -> new CompletableFuture<>());
        }

        @Override
        public boolean reset(List<Integer> subtasks, String version) {
            calls.add("reset " + subtasks + " " + version);
            return !failedOver;
        }
    }

    private final class Coordinator implements AbsentAcknowledgements.Coordinator<String> {

        @Override
        public Map<Long, String> incomplete() {
            return Collections.singletonMap(1L, "checkpoint");
        }

        @Override
        public boolean isAcknowledgedBy(String checkpoint, AttemptId attempt) {
            return false;
        }

        @Override
        public Collection<AttemptId> inactive() {
            return Collections.emptySet();
        }

        @Override
        public Collection<AttemptId> active() {
            return Collections.emptySet();
        }

        @Override
        public void acknowledge(long checkpoint, AttemptId attempt) {
            calls.add("acknowledge " + checkpoint + " " + attempt);
        }
    }
}
