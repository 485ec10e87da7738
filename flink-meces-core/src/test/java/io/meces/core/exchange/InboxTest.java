// SPDX-License-Identifier: Apache-2.0
package io.meces.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class InboxTest {

    private final ArrayDeque<TaskThread.Mail> mails = new ArrayDeque<>();
    private final List<Object> done = new ArrayList<>();

    private Inbox inbox(long budgetNanos) {
        return new Inbox(
                new Mails(),
                budgetNanos,
                message -> done.add(message.content().unit()),
                () -> done.add("after"));
    }

    private PeerEnvelope unit(Priority priority, int unit) {
        return new TestEnvelope(
                new UUID(1, 1),
                0,
                "somebody",
                priority,
                unit,
                PeerMessage.unit(0, unit, new byte[0]));
    }

    private final class Mails implements TaskThread {
        @Override
        public long nanoTime() {
            return System.nanoTime();
        }

        @Override
        public void execute(Mail mail, String description) {
            mails.add(mail);
        }

        @Override
        public void executeAfter(long nanos, Mail mail, String description) {
            throw new UnsupportedOperationException();
        }
    }

    private void runMail() throws Exception {
        mails.remove().run();
    }

    @Test
    void whatRecordsWaitForIsHandledBeforeTheBackground() throws Exception {
        Inbox inbox = inbox(Long.MAX_VALUE);
        inbox.add(unit(Priority.BULK, 1));
        inbox.add(unit(Priority.BULK, 2));
        assertThat(inbox.hasUrgent()).isFalse();
        inbox.add(unit(Priority.URGENT, 3));
        inbox.add(unit(Priority.CONTROL, 4));
        assertThat(inbox.hasUrgent()).isTrue();

        runMail();

        assertThat(done).isEqualTo(Arrays.asList(3, 4, 1, 2, "after"));
        assertThat(mails).isEmpty();
    }

    @Test
    void theTaskGetsToOtherMailsWhenItsBudgetForTheBackgroundIsUsedUp() throws Exception {
        Inbox inbox = inbox(0);
        inbox.add(unit(Priority.BULK, 1));
        inbox.add(unit(Priority.BULK, 2));
        inbox.add(unit(Priority.URGENT, 3));
        inbox.add(unit(Priority.CONTROL, 4));

        runMail();
        assertThat(done).isEqualTo(Arrays.asList(3, 4, "after"));
        runMail();
        assertThat(done).isEqualTo(Arrays.asList(3, 4, "after", 1, "after"));
        inbox.add(unit(Priority.URGENT, 5));
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
