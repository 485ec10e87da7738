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

package io.meces.runtime.task;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.runtime.courier.Lane;
import io.meces.runtime.transition.TransitionMessage;
import io.meces.runtime.transition.TransitionOrigin;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.util.function.ThrowingRunnable;
import org.junit.jupiter.api.Test;

class TaskInboxTest {

    private final ExecutionAttemptID attempt = new ExecutionAttemptID();
    private final TransitionMessage.Builder messages =
            new TransitionMessage.Builder(
                    new TransitionOrigin(
                            new JobID(), new JobVertexID(), UUID.randomUUID(), attempt, 0));
    private final ArrayDeque<ThrowingRunnable<Exception>> mails = new ArrayDeque<>();
    private final List<Object> done = new ArrayList<>();

    private TaskInbox inbox(long budgetNanos) {
        return new TaskInbox(
                mails::add,
                budgetNanos,
                message -> done.add(message.unit()),
                () -> done.add("after"));
    }

    private TransitionMessage unit(Lane lane, int unit) {
        return messages.unit(attempt, 0, unit, new byte[0]).sequenced(lane, unit);
    }

    private void runMail() throws Exception {
        mails.remove().run();
    }

    @Test
    void whatRecordsWaitForIsHandledBeforeTheBackground() throws Exception {
        TaskInbox inbox = inbox(Long.MAX_VALUE);
        inbox.onMessage(unit(Lane.BULK, 1));
        inbox.onMessage(unit(Lane.BULK, 2));
        assertThat(inbox.hasUrgent()).isFalse();
        inbox.onMessage(unit(Lane.URGENT, 3));
        inbox.onMessage(unit(Lane.CONTROL, 4));
        assertThat(inbox.hasUrgent()).isTrue();

        runMail();

        assertThat(done).isEqualTo(Arrays.asList(3, 4, 1, 2, "after"));
        assertThat(mails).isEmpty();
    }

    @Test
    void theTaskGetsToOtherMailsWhenItsBudgetForTheBackgroundIsUsedUp() throws Exception {
        TaskInbox inbox = inbox(0);
        inbox.onMessage(unit(Lane.BULK, 1));
        inbox.onMessage(unit(Lane.BULK, 2));
        inbox.onMessage(unit(Lane.URGENT, 3));
        inbox.onMessage(unit(Lane.CONTROL, 4));

        runMail();
        assertThat(done).isEqualTo(Arrays.asList(3, 4, "after"));
        runMail();
        assertThat(done).isEqualTo(Arrays.asList(3, 4, "after", 1, "after"));
        inbox.onMessage(unit(Lane.URGENT, 5));
        runMail();
        assertThat(done).isEqualTo(Arrays.asList(3, 4, "after", 1, "after", 5, "after"));
        runMail();
        assertThat(done).endsWith(2, "after");
        while (!mails.isEmpty()) {
            runMail();
        }
        assertThat(done).filteredOn(Integer.class::isInstance).containsExactly(3, 4, 1, 5, 2);
    }
}
