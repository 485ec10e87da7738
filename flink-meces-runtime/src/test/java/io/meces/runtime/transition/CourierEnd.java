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

package io.meces.runtime.transition;

import io.meces.runtime.courier.Courier;
import io.meces.runtime.courier.CourierPort;
import io.meces.runtime.courier.CourierStatistics;
import io.meces.runtime.courier.Lane;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.runtime.util.ExecutorThreadFactory;

/**
 * A task that exchanges numbered messages with one other by a courier over a service. The courier
 * belongs to a thread of its own; all methods are for any thread.
 */
final class CourierEnd implements CourierPort<TransitionMessage>, AutoCloseable {

    private static final long WINDOW = 1 << 20;

    final ExecutionAttemptID attempt = new ExecutionAttemptID();
    private final ScheduledExecutorService thread =
            Executors.newSingleThreadScheduledExecutor(new ExecutorThreadFactory("courier-end"));
    private final Courier<TransitionMessage> courier = new Courier<>(this, m -> m.payload().length);
    private final TransitionMessage.Builder messages =
            new TransitionMessage.Builder(
                    new TransitionOrigin(
                            new JobID(), new JobVertexID(), UUID.randomUUID(), attempt, 0));
    private final Map<Lane, List<Integer>> received = new EnumMap<>(Lane.class);
    private final CompletableFuture<Void> failure = new CompletableFuture<>();
    private final TransitionService service;
    private TransitionAddress peerAddress;
    private ExecutionAttemptID peer;

    CourierEnd(TransitionService service) {
        this.service = service;
        for (Lane lane : Lane.values()) {
            received.put(lane, Collections.synchronizedList(new ArrayList<>()));
        }
        thread.scheduleWithFixedDelay(
                () -> courier.repeat(System.nanoTime()), 20, 20, TimeUnit.MILLISECONDS);
    }

    /** To be called before anything is sent. */
    void meet(CourierEnd other, TransitionAddress address) {
        meet(other.attempt, address);
    }

    /**
     * To be called before anything is sent. What comes earlier is dropped, and sent again: it could
     * not be acknowledged.
     */
    void meet(ExecutionAttemptID other, TransitionAddress address) {
        run(
                () -> {
                    peer = other;
                    peerAddress = address;
                });
        service.register(attempt, message -> run(() -> receive(message)));
    }

    /** Sends the messages first, first + 1, … of a lane, the background as flow control lets it. */
    void send(Lane lane, int first, int end, int bytes) {
        run(
                () -> {
                    int next = first;
                    while (next < end
                            && (lane != Lane.BULK || courier.bytesInFlight(0, lane) < WINDOW)) {
                        courier.send(0, lane, message(lane, next++, bytes), System.nanoTime());
                    }
                    int rest = next;
                    if (rest < end) {
                        thread.schedule(
                                () -> send(lane, rest, end, bytes), 1, TimeUnit.MILLISECONDS);
                    }
                });
    }

    private TransitionMessage message(Lane lane, int number, int bytes) {
        return lane == Lane.CONTROL
                ? messages.forward(peer, 0, number, 0, 0, new byte[bytes])
                : messages.unit(peer, 0, number, new byte[bytes]);
    }

    /** What has come in a lane, in its order. */
    List<Integer> received(Lane lane) {
        return received.get(lane);
    }

    CourierStatistics statistics() {
        return courier.statistics();
    }

    /** Completes exceptionally when anything goes wrong in the thread. */
    CompletableFuture<Void> failure() {
        return failure;
    }

    private void receive(TransitionMessage message) throws Exception {
        if (message.kind() == TransitionMessage.Kind.ACKNOWLEDGEMENT) {
            courier.onAcknowledgement(
                    0, TransitionCodec.decodeLongs(message.payload()), System.nanoTime());
        } else {
            courier.onParcel(0, message.lane(), message.sequence(), message);
            courier.acknowledge();
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

    /** Something that may fail. */
    private interface Action {
        void run() throws Exception;
    }

    @Override
    public void transmit(int to, Lane lane, long sequence, TransitionMessage message) {
        service.send(peerAddress, message.sequenced(lane, sequence));
    }

    @Override
    public void acknowledge(int to, long[] next) {
        service.send(peerAddress, messages.acknowledgement(peer, next));
    }

    @Override
    public void deliver(int from, TransitionMessage message) {
        received.get(message.lane()).add(message.unit());
    }

    @Override
    public void release(int to, Lane lane, long sequence, TransitionMessage message) {
        service.release(peerAddress, message.sequenced(lane, sequence));
    }

    @Override
    public void close() {
        service.unregister(attempt);
        thread.shutdownNow();
    }
}
