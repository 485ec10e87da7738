// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.core.exchange.Priority;
import io.meces.runtime.live.Ledger;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Two services, each with reliable messaging, that exchange numbered messages in both directions
 * and all priorities. Any thread.
 */
public final class TwoEnds implements AutoCloseable {

    /** All messages of a priority together are less than its window, so they are sent at once. */
    private static final int BYTES = 1_000;

    private final TransitionService here;
    private final TransitionService there;
    private final MessagingEnd one;
    private final MessagingEnd two;

    /** Takes the services over. */
    public TwoEnds(TransitionService here, TransitionService there) {
        this.here = here;
        this.there = there;
        one = new MessagingEnd(here);
        two = new MessagingEnd(there);
        one.meet(two, there.address());
        two.meet(one, here.address());
    }

    /** Sends the messages first, first + 1, … in all priorities, in both directions. */
    public void send(int first, int end) {
        for (Priority priority : Priority.values()) {
            one.send(priority, first, end, BYTES);
            two.send(priority, first, end, BYTES);
        }
    }

    /** How many have come in a priority in that direction of which fewer have. */
    public int received(Priority priority) {
        return Math.min(one.received(priority).size(), two.received(priority).size());
    }

    /** Waits until as many messages have come in a priority, in both directions. */
    public void awaitReceived(Priority priority, int number) throws Exception {
        Ledger.awaitOrFail(
                number + " messages in " + priority,
                () -> hasFailed() || received(priority) >= number);
    }

    private boolean hasFailed() {
        return one.failure().isDone() || two.failure().isDone();
    }

    /** Waits for all messages and checks that each has come once and in order. */
    public void assertReceived(int number) throws Exception {
        List<Integer> expected = IntStream.range(0, number).boxed().collect(Collectors.toList());
        for (Priority priority : Priority.values()) {
            awaitReceived(priority, number);
            assertThat(new ArrayList<>(one.received(priority)))
                    .as("%s", priority)
                    .isEqualTo(expected);
            assertThat(new ArrayList<>(two.received(priority)))
                    .as("%s", priority)
                    .isEqualTo(expected);
        }
        assertThat(one.failure()).isNotDone();
        assertThat(two.failure()).isNotDone();
    }

    /** How many messages have been sent again, in both directions. */
    public long repeated() {
        return one.statistics().repeated + two.statistics().repeated;
    }

    /** Waits until reliable messaging has sent many messages again: what is wrong lasts. */
    public void awaitRepetition() throws Exception {
        long repeated = one.statistics().repeated;
        Ledger.awaitOrFail(
                "messages to be sent again", () -> one.statistics().repeated > repeated + 100);
    }

    @Override
    public void close() throws Exception {
        one.close();
        two.close();
        here.close();
        there.close();
    }
}
