// SPDX-License-Identifier: Apache-2.0
package io.meces.core.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.core.exchange.TaskThread;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What is reported is sent until it is confirmed, in order and with what was before it. */
class ReportOutboxTest {

    private final Mails mails = new Mails();
    private final List<String> sent = new ArrayList<>();
    private final List<CompletableFuture<Void>> answers = new ArrayList<>();
    private final ReportOutbox<String> outbox =
            new ReportOutbox<>(
                    mails,
                    (first, reports) -> {
                        sent.add(first + " " + reports);
                        answers.add(new CompletableFuture<>());
                        return answers.get(answers.size() - 1);
                    });

    @Test
    void sendsEachAtOnceWithThoseThatAreNotConfirmed() throws Exception {
        outbox.add("a");
        outbox.add("b");
        confirm(0);
        outbox.add("c");
        confirm(2);
        outbox.add("d");
        assertThat(sent).containsExactly("0 [a]", "0 [a, b]", "1 [b, c]", "3 [d]");
    }

    @Test
    void repeatsWhatIsNotConfirmedAfterAPause() throws Exception {
        outbox.add("a");
        fail(0);
        assertThat(sent).hasSize(1);
        mails.pass(ReportOutbox.PAUSE_NANOS);
        fail(1);
        mails.pass(ReportOutbox.PAUSE_NANOS);
        confirm(2);
        mails.pass(10 * ReportOutbox.PAUSE_NANOS);
        assertThat(sent).containsExactly("0 [a]", "0 [a]", "0 [a]");
    }

    @Test
    void repeatsNothingThatALaterTransmissionHasBrought() throws Exception {
        outbox.add("a");
        outbox.add("b");
        confirm(1);
        fail(0);
        mails.pass(ReportOutbox.PAUSE_NANOS);
        assertThat(sent).hasSize(2);
    }

    @Test
    void repeatsOnceForAllThatFail() throws Exception {
        outbox.add("a");
        outbox.add("b");
        fail(0);
        fail(1);
        mails.pass(ReportOutbox.PAUSE_NANOS);
        assertThat(sent).containsExactly("0 [a]", "0 [a, b]", "0 [a, b]");
    }

    @Test
    void anOldConfirmationChangesNothing() throws Exception {
        outbox.add("a");
        outbox.add("b");
        confirm(1);
        confirm(0);
        outbox.add("c");
        assertThat(sent).last().isEqualTo("2 [c]");
    }

    private void confirm(int transmission) throws Exception {
        answers.get(transmission).complete(null);
        mails.run();
    }

    private void fail(int transmission) throws Exception {
        answers.get(transmission).completeExceptionally(new IOException("no answer"));
        mails.run();
    }

    private static final class Mails implements TaskThread {
        private final ArrayDeque<Mail> due = new ArrayDeque<>();
        private final ArrayDeque<Mail> later = new ArrayDeque<>();
        private long now;
        private long dueAt = Long.MAX_VALUE;

        @Override
        public long nanoTime() {
            return now;
        }

        @Override
        public void execute(Mail mail, String description) {
            due.add(mail);
        }

        @Override
        public void executeAfter(long nanos, Mail mail, String description) {
            later.add(mail);
            dueAt = now + nanos;
        }

        void run() throws Exception {
            while (!due.isEmpty()) {
                due.poll().run();
            }
        }

        void pass(long nanos) throws Exception {
            now += nanos;
            if (now >= dueAt) {
                dueAt = Long.MAX_VALUE;
                due.addAll(later);
                later.clear();
            }
            run();
        }
    }
}
