// SPDX-License-Identifier: Apache-2.0
package io.meces.core.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.core.id.AttemptId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class AbsentAcknowledgementsTest {

    private final AttemptId stays = AttemptId.random();
    private final AttemptId leaves = AttemptId.random();
    private final AttemptId inactive = AttemptId.random();

    /** By checkpoint, for whom it waits. */
    private final Map<Long, Set<AttemptId>> pending = new HashMap<>();

    private final List<String> acknowledged = new ArrayList<>();
    private final AbsentAcknowledgements<Set<AttemptId>> acknowledgements =
            new AbsentAcknowledgements<>(new Coordinator());

    @Test
    void subtasksThatAreNotActiveAreAcknowledgedForOnce() {
        trigger(1, stays, inactive);
        acknowledgements.onAcknowledged(1);
        acknowledgements.onAcknowledged(1);
        assertThat(acknowledged).containsExactly("1 " + inactive);
        assertThat(pending.get(1L)).containsExactly(stays);
    }

    @Test
    void anAttemptThatHasLeftIsAcknowledgedToEachCheckpointThatWaitsForIt() {
        trigger(1, stays, leaves);
        acknowledgements.onLeaving(leaves);
        acknowledgements.onAcknowledged(1);
        // triggered before the attempt was replaced
        trigger(2, stays, leaves);
        acknowledgements.onAcknowledged(2);
        trigger(3, stays, AttemptId.random());
        acknowledgements.onAcknowledged(3);
        assertThat(acknowledged).containsExactly("1 " + leaves, "2 " + leaves);
    }

    @Test
    void theFirstAcknowledgementOfALaterCheckpointMayComeBeforeThatOfAnEarlierOne() {
        trigger(1, stays, inactive);
        trigger(2, stays, inactive);
        acknowledgements.onAcknowledged(2);
        acknowledgements.onAcknowledged(1);
        assertThat(acknowledged).containsExactly("2 " + inactive, "1 " + inactive);
    }

    @Test
    void aCheckpointThatIsNotOnItsWayAnyMoreIsNotAcknowledged() {
        acknowledgements.onAcknowledged(1);
        assertThat(acknowledged).isEmpty();
    }

    @Test
    void whoHasLeftLongAgoIsForgotten() {
        acknowledgements.onLeaving(leaves);
        for (int i = 1; i < AbsentAcknowledgements.REMEMBERED; i++) {
            acknowledgements.onLeaving(AttemptId.random());
        }
        trigger(1, stays, leaves);
        acknowledgements.onAcknowledged(1);
        assertThat(acknowledged).containsExactly("1 " + leaves);
        acknowledgements.onLeaving(AttemptId.random());
        trigger(2, stays, leaves);
        acknowledgements.onAcknowledged(2);
        assertThat(acknowledged).hasSize(1);
    }

    @Test
    void aCheckpointThatWaitsForAnAttemptThatHasBeenReplacedMustNotBegin() {
        trigger(1, stays, inactive);
        trigger(2, leaves, inactive);
        assertThat(acknowledgements.awaitsAllActive(pending.get(1L))).isTrue();
        assertThat(acknowledgements.awaitsAllActive(pending.get(2L))).isFalse();
    }

    private void trigger(long checkpoint, AttemptId... attempts) {
        pending.put(checkpoint, new HashSet<>(Arrays.asList(attempts)));
    }

    private final class Coordinator implements AbsentAcknowledgements.Coordinator<Set<AttemptId>> {

        @Override
        public Map<Long, Set<AttemptId>> incomplete() {
            return pending;
        }

        @Override
        public boolean isAcknowledgedBy(Set<AttemptId> checkpoint, AttemptId attempt) {
            return !checkpoint.contains(attempt);
        }

        @Override
        public Collection<AttemptId> inactive() {
            return Arrays.asList(inactive);
        }

        @Override
        public Collection<AttemptId> active() {
            return Arrays.asList(stays);
        }

        @Override
        public void acknowledge(long checkpoint, AttemptId attempt) {
            pending.get(checkpoint).remove(attempt);
            acknowledged.add(checkpoint + " " + attempt);
        }
    }
}
