// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.core.exchange.PeerMessage;
import io.meces.core.exchange.Priority;
import io.meces.core.id.AttemptId;
import io.meces.runtime.live.Ledger;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What each transition service does for its tasks while nothing is broken. */
@Timeout(120)
public abstract class TransitionServiceContract {

    private static final long PATIENCE_MS = 30_000;

    private final AttemptId alice = AttemptId.random();
    private final AttemptId bob = AttemptId.random();
    private final JobVertexID vertex = new JobVertexID();
    private final TransitionOrigin messages = builder(new JobID());
    private final Inbox bobInbox = new Inbox();
    private final TransitionMetrics thereMetrics = TransitionMetrics.unregistered();
    private TransitionService here;
    private TransitionService there;

    /**
     * Makes a service of a TaskManager, or returns the one that was made, if both tasks are to be
     * in one.
     */
    protected abstract TransitionService create(TransitionMetrics metrics) throws Exception;

    /**
     * Checks, with some patience, that nothing is kept of messages anywhere.
     *
     * @param services how many are open
     */
    protected void assertNothingIsKept(int services) throws Exception {
        // where nothing is ever kept
    }

    @BeforeEach
    void startServices() throws Exception {
        there = create(thereMetrics);
        here = create(TransitionMetrics.unregistered());
        there.register(bob, bobInbox);
        here.prepare(there.address());
    }

    @AfterEach
    void stopServices() throws Exception {
        here.close();
        there.close();
        assertNothingIsKept(0);
    }

    private TransitionOrigin builder(JobID job) {
        return new TransitionOrigin(job, vertex, new UUID(1, 2), alice, 7);
    }

    @Test
    void messagesOfAllKindsArriveAsTheyWereSent() throws Exception {
        byte[] payload = {1, 2, 3, 0, -1};
        List<TransitionMessage> all = new ArrayList<>();
        all.add(messages.to(bob, PeerMessage.schema(3, payload)).sequenced(Priority.BULK, 0));
        all.add(messages.to(bob, PeerMessage.unit(3, 11, payload)).sequenced(Priority.BULK, 1));
        all.add(messages.to(bob, PeerMessage.chunk(3, payload)).sequenced(Priority.BULK, 2));
        all.add(messages.to(bob, PeerMessage.chunk(3, new byte[0])).sequenced(Priority.BULK, 3));
        all.add(
                messages.to(bob, PeerMessage.chunk(3, new byte[3_000_000]))
                        .sequenced(Priority.BULK, 4));
        all.add(
                messages.to(bob, PeerMessage.broadcastState(3, new byte[2_000_000]))
                        .sequenced(Priority.BULK, 5));
        all.add(
                messages.to(bob, PeerMessage.forward(3, 11, 1, 2, payload))
                        .sequenced(Priority.BULK, 6));
        all.add(messages.to(bob, PeerMessage.passed(3, 5)).sequenced(Priority.BULK, 7));
        all.add(messages.to(bob, PeerMessage.aligned(3)).sequenced(Priority.BULK, 8));
        all.add(messages.to(bob, PeerMessage.request(3, 11)).sequenced(Priority.BULK, 9));
        for (TransitionMessage sent : all) {
            here.send(there.address(), sent);
            assertSame(bobInbox.take(), sent);
        }
        TransitionMessage acknowledgement =
                messages.to(bob, PeerMessage.acknowledgement(new long[] {1, 2, 3}));
        here.send(there.address(), acknowledgement);
        assertSame(bobInbox.take(), acknowledgement);
    }

    private static void assertSame(TransitionMessage actual, TransitionMessage expected) {
        assertThat(actual.toString()).isEqualTo(expected.toString());
        assertThat(actual.origin()).isEqualTo(expected.origin());
        assertThat(actual.content().input()).isEqualTo(expected.content().input());
        assertThat(actual.payload()).isEqualTo(expected.payload());
    }

    @Test
    void messagesOfAPriorityArriveInOrder() throws Exception {
        int number = 2_000;
        for (int i = 0; i < number; i++) {
            for (Priority priority : Priority.values()) {
                TransitionMessage message =
                        priority == Priority.CONTROL
                                ? messages.to(bob, PeerMessage.request(1, i))
                                : messages.to(bob, PeerMessage.unit(1, i, new byte[i % 700]));
                here.send(there.address(), message.sequenced(priority, i));
            }
        }
        Map<Priority, List<Integer>> received = new EnumMap<>(Priority.class);
        for (int i = 0; i < Priority.COUNT * number; i++) {
            TransitionMessage message = bobInbox.take();
            received.computeIfAbsent(message.priority(), priority -> new ArrayList<>())
                    .add(message.content().unit());
        }
        List<Integer> expected = IntStream.range(0, number).boxed().collect(Collectors.toList());
        for (Priority priority : Priority.values()) {
            assertThat(received.get(priority)).as("%s", priority).isEqualTo(expected);
        }
    }

    @Test
    void aMessageForATaskThatIsNotThereIsDroppedAndCounted() throws Exception {
        AttemptId nobody = AttemptId.random();
        here.send(
                there.address(),
                messages.to(nobody, PeerMessage.aligned(1)).sequenced(Priority.CONTROL, 0));
        here.send(
                there.address(),
                messages.to(nobody, PeerMessage.unit(1, 0, new byte[9]))
                        .sequenced(Priority.BULK, 0));
        here.send(
                there.address(),
                messages.to(bob, PeerMessage.aligned(2)).sequenced(Priority.CONTROL, 0));

        assertThat(bobInbox.take().content().step()).isEqualTo(2);
        Ledger.awaitOrFail(
                "two messages to be dropped",
                () -> thereMetrics.droppedFor(DropReason.UNKNOWN_RECEIVER) == 2);
        assertThat(bobInbox.messages).isEmpty();
    }

    @Test
    void whatIsReleasedIsKeptNowhere() throws Exception {
        List<TransitionMessage> sent = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            for (Priority priority : new Priority[] {Priority.URGENT, Priority.BULK}) {
                TransitionMessage message =
                        messages.to(bob, PeerMessage.unit(1, i, new byte[100]))
                                .sequenced(priority, i);
                here.send(there.address(), message);
                sent.add(message);
            }
        }
        for (int i = 0; i < sent.size(); i++) {
            bobInbox.take();
        }
        for (TransitionMessage message : sent) {
            here.release(there.address(), message);
        }
        assertNothingIsKept(2);
    }

    @Test
    void whatIsReleasedBeforeItIsSentOnIsKeptNowhere() throws Exception {
        for (int i = 0; i < 300; i++) {
            TransitionMessage message =
                    messages.to(bob, PeerMessage.unit(1, i, new byte[10_000]))
                            .sequenced(Priority.BULK, i);
            here.send(there.address(), message);
            here.release(there.address(), message);
        }
        assertNothingIsKept(2);
    }

    @Test
    void twoJobsDoNotDisturbEachOther() throws Exception {
        // the same in all but the job
        TransitionOrigin other = builder(new JobID());
        for (int i = 0; i < 100; i++) {
            TransitionMessage mine =
                    messages.to(bob, PeerMessage.unit(1, i, new byte[] {1}))
                            .sequenced(Priority.BULK, i);
            TransitionMessage its =
                    other.to(bob, PeerMessage.unit(1, i, new byte[] {2}))
                            .sequenced(Priority.BULK, i);
            here.send(there.address(), mine);
            here.release(there.address(), mine);
            here.send(there.address(), its);
        }
        int next = 0;
        while (next < 100) {
            TransitionMessage message = bobInbox.take();
            boolean mine =
                    message.origin()
                            .job()
                            .equals(messages.to(bob, PeerMessage.aligned(1)).origin().job());
            assertThat(message.payload()).containsExactly(mine ? 1 : 2);
            if (!mine) {
                assertThat(message.content().unit()).isEqualTo(next++);
            }
        }
    }

    @Test
    void aMessagingDeliversOnceAndInOrderInBothDirections() throws Exception {
        try (MessagingEnd one = new MessagingEnd(here);
                MessagingEnd two = new MessagingEnd(there)) {
            one.meet(two, there.address());
            two.meet(one, here.address());
            List<Integer> expected = IntStream.range(0, 500).boxed().collect(Collectors.toList());
            for (Priority priority : Priority.values()) {
                one.send(priority, 0, 500, 5_000);
                two.send(priority, 0, 500, 100);
            }
            for (Priority priority : Priority.values()) {
                for (MessagingEnd end : new MessagingEnd[] {one, two}) {
                    Ledger.await(
                            () -> end.received(priority).size() >= 500 || end.failure().isDone(),
                            PATIENCE_MS);
                    assertThat(new ArrayList<>(end.received(priority))).isEqualTo(expected);
                }
            }
            assertThat(one.failure()).isNotDone();
            assertThat(two.failure()).isNotDone();
            assertNothingIsKept(2);
        }
    }

    @Test
    void aServicePractisesWithoutATrace() throws Exception {
        here.practice();
        assertNothingIsKept(2);
    }

    /** What has come for a task. */
    private static final class Inbox implements TransitionInbox {
        private final BlockingQueue<TransitionMessage> messages = new LinkedBlockingQueue<>();

        @Override
        public void onMessage(TransitionMessage message) {
            messages.add(message);
        }

        private TransitionMessage take() throws InterruptedException {
            TransitionMessage message = messages.poll(PATIENCE_MS, TimeUnit.MILLISECONDS);
            assertThat(message).isNotNull();
            return message;
        }
    }
}
