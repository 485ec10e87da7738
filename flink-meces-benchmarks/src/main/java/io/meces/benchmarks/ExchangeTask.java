// SPDX-License-Identifier: Apache-2.0
package io.meces.benchmarks;

import io.meces.core.command.TaskCommand;
import io.meces.core.exchange.Handover;
import io.meces.core.exchange.Handovers;
import io.meces.core.exchange.Inbox;
import io.meces.core.exchange.PeerExchange;
import io.meces.core.exchange.PeerMessage;
import io.meces.core.exchange.Priority;
import io.meces.core.exchange.TaskThread;
import io.meces.core.exchange.UnitChunk;
import io.meces.core.id.AttemptId;
import io.meces.core.protocol.MigrationSettings;
import io.meces.core.protocol.SubtaskRescale;
import io.meces.runtime.task.TransitionLink;
import io.meces.runtime.transition.Transition;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Collections;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.apache.flink.api.common.JobID;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.runtime.jobgraph.JobVertexID;

/**
 * A task that does nothing but exchange units with another one, without end: a donor or a receiver,
 * with what an elastic task exchanges them with (inbox, reliable messaging, chunks, flow control)
 * and a thread as a task has one.
 *
 * <p>Thread-safe: what is asked for is done by the task thread.
 */
public final class ExchangeTask implements AutoCloseable {

    private static final JobID JOB = new JobID(1, 1);
    private static final JobVertexID VERTEX = new JobVertexID(1, 1);
    private static final UUID RESCALE = new UUID(1, 1);
    private static final long STEP = 0;
    private static final long MAIL_NANOS = MigrationSettings.Pace.OF_TASKS.mailNanos;
    private static final long PATIENCE_SECONDS = 120;
    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);

    /** The number of the first unit that goes in the background; those before are fetched. */
    private static final int BACKGROUND = 1 << 20;

    private final AttemptId attempt = AttemptId.random();
    private final ExecutorService thread =
            Executors.newSingleThreadExecutor(action -> new Thread(action, "task"));
    private final CompletableFuture<Void> failure = new CompletableFuture<>();
    private final Transition transition;
    private final int peer;
    private final States fetched;
    private final States background;
    private final TransitionLink link;
    private final PeerExchange exchange;
    private final Inbox inbox;
    private final ScheduledFuture<?> repeating;

    // task thread only
    private long toPush;
    private long extractNanos;
    private int nextUnit;
    private boolean pushScheduled;
    private CompletableFuture<Void> pushed;
    private Fetching fetching;

    /** The states of units, numbered from 0, in an endless supply. */
    public interface States {

        /** How many different ones there are; they come one after the other. */
        int count();

        /** The bytes of a unit. */
        byte[] extract(int unit) throws Exception;

        /** Puts a unit in that has come. */
        void install(int unit, DataInputDeserializer state) throws Exception;
    }

    /**
     * Begins to listen.
     *
     * @param subtask 0 or 1; the other one is its peer
     * @param fetched what is asked for
     * @param background what is pushed
     */
    public ExchangeTask(Transition transition, int subtask, States fetched, States background) {
        this.transition = transition;
        this.peer = 1 - subtask;
        this.fetched = fetched;
        this.background = background;
        this.link =
                new TransitionLink(transition, transition.metrics(), JOB, VERTEX, attempt, subtask);
        this.exchange =
                new PeerExchange(
                        RESCALE,
                        transition.flowControl(),
                        link,
                        System::nanoTime,
                        new Handovers(new NoConsumers()),
                        this::handle,
                        () -> {});
        this.inbox =
                new Inbox(new OwnThread(), MAIL_NANOS, exchange::onMessage, this::afterMessages);
        transition.service().register(attempt, inbox::add);
        this.repeating =
                transition.every(
                        Duration.ofNanos(SubtaskRescale.REPEAT_NANOS),
                        () -> execute(exchange::repeat));
    }

    /** The task thread, as its inbox sees it. */
    private final class OwnThread implements TaskThread {
        @Override
        public long nanoTime() {
            return System.nanoTime();
        }

        @Override
        public void execute(Mail mail, String description) {
            ExchangeTask.this.execute(mail);
        }

        @Override
        public void executeAfter(long nanos, Mail mail, String description) {
            throw new UnsupportedOperationException("an inbox does nothing later");
        }
    }

    private static final class NoConsumers implements Handovers.Port {
        @Override
        public int handedOver(Handover handover) {
            // nobody is to be told
            return 0;
        }

        @Override
        public int takenOver(int donor, Handover handover) {
            // nobody is to be told
            return 0;
        }
    }

    /** How its peer reaches it. */
    public TaskCommand.Peer asPeer() {
        return new TaskCommand.Peer(attempt, transition.service().address());
    }

    /** Learns who its peer is. */
    public void meet(TaskCommand.Peer other) throws Exception {
        run(
                () -> {
                    link.meet(Collections.singletonMap(peer, other));
                    exchange.startStep(STEP, Collections.singletonMap(peer, other.attempt()));
                });
    }

    /**
     * Pushes units to its peer in the background. The result completes when all are confirmed.
     *
     * @param units how many; 0 stops
     * @param nanosPerUnit how long it takes to extract one
     */
    public CompletableFuture<Void> push(long units, long nanosPerUnit) throws Exception {
        CompletableFuture<Void> done = new CompletableFuture<>();
        run(
                () -> {
                    toPush = units;
                    extractNanos = nanosPerUnit;
                    pushed = done;
                    push();
                    completeIfPushed();
                });
        return done;
    }

    /**
     * Fetches units from its peer at times that do not depend on how long that takes. Blocks.
     *
     * @param times how many units
     * @param intervalNanos the mean time between two requests
     */
    public Times fetch(int times, long intervalNanos) throws Exception {
        Fetching current = new Fetching(times);
        run(() -> fetching = current);
        Histogram wakeUp = current.times.wakeUp;
        long next = System.nanoTime() + intervalNanos;
        for (int i = 0; i < times; i++) {
            boolean slept = false;
            for (long early = next - System.nanoTime();
                    early > 0;
                    early = next - System.nanoTime()) {
                LockSupport.parkNanos(early);
                slept = true;
            }
            if (slept) {
                wakeUp.recordValue(Math.min(LONGEST_NANOS, System.nanoTime() - next));
            }
            long due = next;
            execute(() -> current.request(due));
            next += intervalNanos / 2 + ThreadLocalRandom.current().nextLong(intervalNanos);
        }
        if (!current.left.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            throw new TimeoutException(current.left.getCount() + " units have not come");
        }
        return current.times;
    }

    // ------------------------------------------------------------------------
    //  Task thread
    // ------------------------------------------------------------------------

    private void execute(TaskThread.Mail mail) {
        if (!thread.isShutdown()) {
            thread.execute(
                    () -> {
                        try {
                            mail.run();
                        } catch (Throwable t) {
                            failure.completeExceptionally(t);
                        }
                    });
        }
    }

    private void run(TaskThread.Mail mail) throws Exception {
        CompletableFuture<Object> done = new CompletableFuture<>();
        execute(
                () -> {
                    mail.run();
                    done.complete(null);
                });
        CompletableFuture.anyOf(done, failure).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    private void afterMessages() {
        exchange.acknowledge();
        completeIfPushed();
        schedulePush();
    }

    private void schedulePush() {
        if (!pushScheduled && toPush > 0 && exchange.mayPushTo(peer)) {
            pushScheduled = true;
            execute(this::push);
        }
    }

    /** As the mail of a task: a budget, chunks that may wait if there is more to come. */
    private void push() throws Exception {
        pushScheduled = false;
        long deadline = System.nanoTime() + MAIL_NANOS;
        boolean more = toPush > 0 && exchange.mayPushTo(peer);
        while (more && !inbox.hasUrgent() && System.nanoTime() - deadline < 0) {
            toPush--;
            long extracted = System.nanoTime() + extractNanos;
            byte[] state = background.extract(nextUnit);
            while (System.nanoTime() - extracted < 0) {
                Thread.onSpinWait();
            }
            exchange.sendInBackground(peer, BACKGROUND + nextUnit, state);
            nextUnit = (nextUnit + 1) % background.count();
            more = toPush > 0 && exchange.mayPushTo(peer);
        }
        exchange.flush(toPush == 0, more);
        schedulePush();
    }

    private void completeIfPushed() {
        if (toPush == 0 && pushed != null && exchange.hasNothingAhead(peer)) {
            pushed.complete(null);
        }
    }

    private void handle(int from, Priority priority, PeerMessage message) throws Exception {
        switch (message.kind()) {
            case REQUEST:
                exchange.sendOnDemand(from, message.unit(), fetched.extract(message.unit()));
                break;
            case UNIT:
                ByteBuffer state = ByteBuffer.wrap(message.payload());
                if (message.unit() < BACKGROUND) {
                    install(fetched, message.unit(), state);
                    fetching.arrived();
                } else {
                    install(background, message.unit(), state);
                }
                break;
            case CHUNK:
                for (UnitChunk.Part part : UnitChunk.read(message.payload())) {
                    install(background, part.unit(), part.state());
                }
                break;
            default:
                throw new IllegalStateException("unexpected " + message);
        }
    }

    private static void install(States states, int unit, ByteBuffer state) throws Exception {
        states.install(unit % BACKGROUND, new DataInputDeserializer(state));
    }

    /** Fails if anything has failed in the task thread. */
    public void check() {
        failure.getNow(null);
    }

    @Override
    public void close() throws Exception {
        repeating.cancel(false);
        transition.service().unregister(attempt);
        try {
            run(exchange::close);
        } finally {
            thread.shutdownNow();
        }
    }

    /** Units that are being fetched; they come in the order in which they were asked for. */
    private final class Fetching {
        private final Times times = new Times();
        private final CountDownLatch left;
        private final long[] due;
        private final long[] requested;
        private int requests;
        private int arrivals;

        private Fetching(int count) {
            left = new CountDownLatch(count);
            due = new long[count];
            requested = new long[count];
        }

        private void request(long dueNanos) {
            due[requests] = dueNanos;
            requested[requests] = System.nanoTime();
            exchange.send(peer, PeerMessage.request(STEP, requests % fetched.count()));
            requests++;
        }

        private void arrived() {
            long now = System.nanoTime();
            times.sinceRequest.recordValue(Math.min(LONGEST_NANOS, now - requested[arrivals]));
            times.sinceDue.recordValue(Math.min(LONGEST_NANOS, now - due[arrivals]));
            arrivals++;
            left.countDown();
        }
    }

    /** How long units took to come, in nanoseconds. */
    public static final class Times implements java.io.Serializable {
        private static final long serialVersionUID = 1L;

        /** Since the task asked for the unit, until it was installed. */
        public final Histogram sinceRequest = new Histogram(LONGEST_NANOS, 3);

        /** Since the moment at which it was to ask, so that a stop of the task counts. */
        public final Histogram sinceDue = new Histogram(LONGEST_NANOS, 3);

        /**
         * How late the thread that asks wakes up when it sleeps until a request is due: what this
         * machine makes of a thread that has nothing to do with a fetch.
         */
        public final Histogram wakeUp = new Histogram(LONGEST_NANOS, 3);

        /** Adds what was measured in another round. */
        public void add(Times other) {
            sinceRequest.add(other.sinceRequest);
            sinceDue.add(other.sinceDue);
            wakeUp.add(other.wakeUp);
        }
    }
}
