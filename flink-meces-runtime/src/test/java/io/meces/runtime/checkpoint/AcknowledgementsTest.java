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

package io.meces.runtime.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.apache.flink.runtime.checkpoint.PendingCheckpoint;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.junit.jupiter.api.Test;

class AcknowledgementsTest {

    private final ExecutionAttemptID stays = new ExecutionAttemptID();
    private final ExecutionAttemptID leaves = new ExecutionAttemptID();
    private final Map<Long, PendingCheckpoint> pending = new HashMap<>();
    private final Acknowledgements acknowledgements = new Acknowledgements();

    @Test
    void anAttemptThatHasLeftIsAcknowledgedToEachCheckpointThatWaitsForIt() throws Exception {
        PendingCheckpoint first = trigger(1, stays, leaves);
        acknowledgements.onLeaving(leaves);
        assertThat(begin(1)).isSameAs(first);
        assertThat(acknowledgements.formerAwaitedBy(first)).containsExactly(leaves);
        // triggered before the attempt was replaced
        PendingCheckpoint second = trigger(2, stays, leaves);
        PendingCheckpoint third = trigger(3, stays, new ExecutionAttemptID());
        assertThat(acknowledgements.formerAwaitedBy(second)).containsExactly(leaves);
        assertThat(acknowledgements.formerAwaitedBy(third)).isEmpty();
    }

    @Test
    void theFirstAcknowledgementOfALaterCheckpointMayComeBeforeThatOfAnEarlierOne()
            throws Exception {
        PendingCheckpoint earlier = trigger(1, stays);
        PendingCheckpoint later = trigger(2, stays);
        assertThat(begin(2)).isSameAs(later);
        assertThat(begin(1)).isSameAs(earlier);
        assertThat(begin(2)).isNull();
        assertThat(begin(1)).isNull();
    }

    @Test
    void aCheckpointThatIsNotOnItsWayAnyMoreDoesNotBegin() throws Exception {
        trigger(1, stays);
        assertThat(begin(1)).isNotNull();
        pending.clear();
        trigger(2, stays);
        assertThat(begin(2)).isNotNull();
        assertThat(begin(1)).isNull();
    }

    @Test
    void whoHasLeftLongAgoIsForgotten() throws Exception {
        acknowledgements.onLeaving(leaves);
        PendingCheckpoint checkpoint = trigger(1, stays, leaves);
        for (int i = 1; i < 10_000; i++) {
            acknowledgements.onLeaving(new ExecutionAttemptID());
        }
        assertThat(acknowledgements.formerAwaitedBy(checkpoint)).containsExactly(leaves);
        acknowledgements.onLeaving(new ExecutionAttemptID());
        assertThat(acknowledgements.formerAwaitedBy(checkpoint)).isEmpty();
    }

    private PendingCheckpoint begin(long checkpoint) {
        return acknowledgements.beginning(checkpoint, () -> pending);
    }

    private PendingCheckpoint trigger(long checkpoint, ExecutionAttemptID... tasks)
            throws Exception {
        PendingCheckpoint triggered = PendingCheckpoints.waitingFor(checkpoint, tasks);
        pending.put(checkpoint, triggered);
        return triggered;
    }
}
