// SPDX-License-Identifier: Apache-2.0
package io.meces.state.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.core.exchange.TaskThread;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.annotation.Nullable;

/** The mails of a task, which the test runs. */
final class Mailbox implements TaskThread {

    private static final long LONG_NANOS = PostponedCompactions.FIRST_LOOK_NANOS;

    private final LinkedBlockingQueue<Mail> mails = new LinkedBlockingQueue<>();

    private final Map<Long, List<Mail>> later = new HashMap<>();

    /** Null: time goes on. */
    @Nullable private Long stoppedAt;

    @Override
    public long nanoTime() {
        return stoppedAt == null ? System.nanoTime() : stoppedAt;
    }

    /** From now on time stands still, but for this. */
    void advance(long nanos) {
        stoppedAt = nanoTime() + nanos;
    }

    @Override
    public void execute(Mail mail, String description) {
        mails.add(mail);
    }

    @Override
    public void executeAfter(long nanos, Mail mail, String description) {
        // whoever asks again and again does so without a pause, unless that is long
        if (nanos < LONG_NANOS) {
            mails.add(mail);
        } else {
            later.computeIfAbsent(nanos, n -> new ArrayList<>()).add(mail);
        }
    }

    /**
     * Runs what was asked for after so long, and not less.
     *
     * @return how many mails there were
     */
    int runAfter(long nanos) throws Exception {
        List<Mail> due = later.remove(nanos);
        if (due == null) {
            return 0;
        }
        for (Mail mail : due) {
            mail.run();
        }
        return due.size();
    }

    boolean isEmpty() {
        return mails.isEmpty();
    }

    void runNext() throws Exception {
        Mail mail = mails.poll(20, TimeUnit.SECONDS);
        assertThat(mail).as("a mail").isNotNull();
        mail.run();
    }
}
