// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition;

import io.meces.core.exchange.MessagingPort;
import io.meces.core.exchange.MessagingStatistics;
import io.meces.core.exchange.PeerMessage;
import io.meces.core.exchange.Priority;
import io.meces.core.exchange.ReliableMessaging;
import io.meces.core.exchange.TransitionAddress;
import io.meces.core.id.AttemptId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.runtime.util.ExecutorThreadFactory;

/**
 * A task that exchanges numbered messages with one other by reliable messaging over a service.
 * Reliable messaging belongs to a thread of its own; all methods are for any thread.
 */
final class MessagingEnd implements MessagingPort<TransitionMessage>, AutoCloseable {

    private static final long WINDOW = 1 << 20;

    final AttemptId attempt = AttemptId.random();
    private final ScheduledExecutorService thread =
            Executors.newSingleThreadScheduledExecutor(new ExecutorThreadFactory("messaging-end"));
    private final ReliableMessaging<TransitionMessage> messaging =
            new ReliableMessaging<>(this, m -> m.payload().length);
    private final TransitionOrigin messages =
            new TransitionOrigin(new JobID(), new JobVertexID(), UUID.randomUUID(), attempt, 0);
    private final Map<Priority, List<Integer>> received = new EnumMap<>(Priority.class);
    private final Map<Priority, Queue<Numbers>> toSend = new EnumMap<>(Priority.class);
    private final CompletableFuture<Void> failure = new CompletableFuture<>();
    private final TransitionService service;
    private TransitionAddress peerAddress;
    private AttemptId peer;

    MessagingEnd(TransitionService service) {
        this.service = service;
        for (Priority priority : Priority.values()) {
            received.put(priority, Collections.synchronizedList(new ArrayList<>()));
            toSend.put(priority, new ArrayDeque<>());
        }
        thread.scheduleWithFixedDelay(
                () -> messaging.repeat(System.nanoTime()), 20, 20, TimeUnit.MILLISECONDS);
    }

    /** To be called before anything is sent. */
    void meet(MessagingEnd other, TransitionAddress address) {
        meet(other.attempt, address);
    }

    /**
     * To be called before anything is sent. What comes earlier is dropped, and sent again: it could
     * not be acknowledged.
     */
    void meet(AttemptId other, TransitionAddress address) {
        run(
                () -> {
                    peer = other;
                    peerAddress = address;
                });
        service.register(attempt, message -> run(() -> receive(message)));
    }

    /**
     * Sends the messages first, first + 1, … of a priority, the background as flow control lets it.
     * They come after those that were to be sent before.
     */
    void send(Priority priority, int first, int end, int bytes) {
        run(
                () -> {
                    toSend.get(priority).add(new Numbers(first, end, bytes));
                    sendOn(priority);
                });
    }

    private void sendOn(Priority priority) {
        Queue<Numbers> queue = toSend.get(priority);
        while (!queue.isEmpty()) {
            Numbers numbers = queue.peek();
            while (numbers.next < numbers.end) {
                if (priority == Priority.BULK && messaging.bytesInFlight(0, priority) >= WINDOW) {
                    thread.schedule(() -> run(() -> sendOn(priority)), 1, TimeUnit.MILLISECONDS);
                    return;
                }
                messaging.send(
                        0,
                        priority,
                        message(priority, numbers.next++, numbers.bytes),
                        System.nanoTime());
            }
            queue.remove();
        }
    }

    private TransitionMessage message(Priority priority, int number, int bytes) {
        return priority == Priority.CONTROL
                ? messages.to(peer, PeerMessage.forward(0, number, 0, 0, new byte[bytes]))
                : messages.to(peer, PeerMessage.unit(0, number, new byte[bytes]));
    }

    /** What has come in a priority, in its order. */
    List<Integer> received(Priority priority) {
        return received.get(priority);
    }

    MessagingStatistics statistics() {
        return messaging.statistics();
    }

    /** Completes exceptionally when anything goes wrong in the thread. */
    CompletableFuture<Void> failure() {
        return failure;
    }

    private void receive(TransitionMessage message) throws Exception {
        if (message.kind() == PeerMessage.Kind.ACKNOWLEDGEMENT) {
            messaging.onAcknowledgement(0, message.content().numbers(), System.nanoTime());
        } else {
            messaging.onMessage(0, message.priority(), message.sequence(), message);
            messaging.acknowledge();
        }
    }

    private void run(Action action) {
        if (!thread.isShutdown()) {
            thread.execute(
                    () -> {
                        try {
                            action.run();
                        } catch (Throwable t) {
                            failure.completeExceptionally(t);
                        }
                    });
        }
    }

    /** Of messages that are to be sent. */
    private static final class Numbers {
        int next;
        final int end;
        final int bytes;

        Numbers(int next, int end, int bytes) {
            this.next = next;
            this.end = end;
            this.bytes = bytes;
        }
    }

    /** Something that may fail. */
    private interface Action {
        void run() throws Exception;
    }

    @Override
    public void transmit(int to, Priority priority, long sequence, TransitionMessage message) {
        service.send(peerAddress, message.sequenced(priority, sequence));
    }

    @Override
    public void acknowledge(int to, long[] next) {
        service.send(peerAddress, messages.to(peer, PeerMessage.acknowledgement(next)));
    }

    @Override
    public void deliver(int from, Priority priority, TransitionMessage message) {
        received.get(message.priority()).add(message.content().unit());
    }

    @Override
    public void release(int to, Priority priority, long sequence, TransitionMessage message) {
        service.release(peerAddress, message.sequenced(priority, sequence));
    }

    @Override
    public void close() {
        service.unregister(attempt);
        thread.shutdownNow();
    }
}
