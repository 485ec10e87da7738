// SPDX-License-Identifier: Apache-2.0
package io.meces.core.protocol;

import io.meces.core.command.EventTime;
import io.meces.core.command.MigrationReports;
import io.meces.core.command.StepMoves;
import io.meces.core.exchange.Handovers;
import io.meces.core.exchange.Inbox;
import io.meces.core.exchange.MigrationProtocolException;
import io.meces.core.exchange.PeerEnvelope;
import io.meces.core.exchange.PeerLink;
import io.meces.core.exchange.TaskThread;
import io.meces.core.waiting.Waiting;
import java.util.Map;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import javax.annotation.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An elastic subtask's part in rescales: carries out what the JobManager commands and what {@link
 * SubtaskMigration} decides, when there is time for it, in the {@link MigrationEnvironment} of the
 * task. The same in production and in the simulation.
 *
 * <p>Owned by the task thread, but for {@link #onMessage}.
 *
 * @param <E> an element of an input
 */
public final class SubtaskRescale<E extends MigratingElement> {

    private static final Logger LOG = LoggerFactory.getLogger(SubtaskRescale.class);

    /** How often it is looked for messages that should have been acknowledged. */
    public static final long REPEAT_NANOS = 50_000_000;

    /** What is told of a mail that works on the backlog, which takes long if operators are slow. */
    public static final String BACKLOG = "Process the backlog of a rescale";

    private final MigrationSettings settings;
    private final MigrationEnvironment<E> environment;
    private final MigrationInputs<E> inputs;
    private final MigrationReports reports;
    private final TaskThread thread;
    private final PeerLink link;
    private final Handovers handovers;
    private final Inbox inbox;
    private final Runnable wakeUp;
    private final Host host = new Host();

    /** Whether this subtask is new, and has not been handed over the broadcast state yet. */
    private boolean awaitsBroadcastState;

    /** What the inputs are attached to; it outlives its rescale if its backlog does. */
    @Nullable private SubtaskMigration<E> migration;

    @Nullable private ActiveRescale<E> rescale;

    /** How often this subtask has begun to receive, and closed its watermark for that. */
    private long watermarkClosings;

    private final SingleMail backlog = new SingleMail(BACKLOG, 0, this::processBacklog);
    private final SingleMail push = new SingleMail("Push units", 0, this::push);
    private final SingleMail repeat = new SingleMail("Repeat messages", REPEAT_NANOS, this::repeat);
    private final SingleMail tick =
            new SingleMail("Look after data to come", DeferredMigration.TICK_NANOS, this::tick);

    /** What is to be done when no rescale concerns the inputs any more. */
    @Nullable private Runnable atRest;

    /** The rescale by which this subtask leaves, and holds nothing back; null while it stays. */
    @Nullable private UUID leavesBy;

    /**
     * @param isNew whether the subtask begins while the job runs, and is to be handed over the
     *     broadcast state if there are broadcast inputs
     */
    public SubtaskRescale(
            MigrationSettings settings, MigrationEnvironment<E> environment, boolean isNew) {
        this.settings = settings;
        this.environment = environment;
        this.inputs = environment.inputs();
        this.reports = environment.reports();
        this.thread = environment.thread();
        this.link = environment.link();
        this.handovers = new Handovers(environment.consumers());
        this.awaitsBroadcastState = isNew && !inputs.broadcastChannels().isEmpty();
        this.inbox = new Inbox(thread, settings.pace.mailNanos, this::receive, this::afterMessages);
        this.wakeUp = () -> thread.execute(this::afterProgress, "Room for units");
    }

    /** The task ends. Task thread, or the one that cleans up after it. */
    public void close() {
        settings.memory.use(0);
        if (rescale != null) {
            rescale.close();
            rescale = null;
        }
    }

    // ------------------------------------------------------------------------
    //  Commands
    // ------------------------------------------------------------------------

    /**
     * A rescale begins in which this subtask gives or takes key-groups.
     *
     * @param receives whether it takes some; its watermark then stands still from now on until it
     *     is told that it may rise
     * @param singleUpstream whether all elements come from one subtask, which determines the order
     *     of records and watermarks: no watermark then stands still
     */
    public void begin(UUID id, boolean receives, boolean singleUpstream) throws Exception {
        if (rescale != null) {
            // word of its end is late, or has been lost and will come again
            end(rescale.id());
        }
        MigrationStart start =
                new MigrationStart(
                        receives,
                        inputs.openChannels(),
                        inputs.broadcastChannels(),
                        awaitsBroadcastState,
                        inputs.watermark(),
                        singleUpstream);
        ActiveRescale<E> next = new ActiveRescale<>(id, settings, environment, start, host);
        if (migration != null) {
            next.migration().adopt(migration);
        }
        if (start.holdsWatermark()) {
            host.closeWatermark();
        }
        inputs.holdEnd();
        attach(next.migration());
        rescale = next;
        reports.begun(id, new EventTime(inputs.watermark(), next.time().nextTimer));
    }

    /**
     * A step begins.
     *
     * @param attempts the participants by subtask index, as {@link PeerEnvelope#sender} names them
     * @param watermarkOfReceivers what the watermark of a receiver must not pass until it is told
     *     otherwise; a donor gives when its own has reached it
     */
    public void startStep(
            UUID id, StepMoves moves, Map<Integer, ?> attempts, long watermarkOfReceivers)
            throws Exception {
        if (rescale == null || !rescale.id().equals(id)) {
            throw new MigrationProtocolException("the rescale of " + moves + " is not running");
        }
        rescale.startStep(moves, attempts, watermarkOfReceivers);
        afterProgress();
    }

    /**
     * Event time goes on between two steps.
     *
     * @param watermark what the watermark of a receiver may rise to
     * @param asks whether it is to be reported when the subtask's watermark has passed that
     */
    public void alignWatermark(UUID id, long watermark, boolean asks) throws Exception {
        if (rescale == null || !rescale.id().equals(id)) {
            LOG.debug("A rescale aligns the watermarks of its receivers, which is over here");
            return;
        }
        rescale.alignWatermark(watermark, asks);
        afterProgress();
    }

    /** The rescale is over. */
    public void end(UUID id) throws Exception {
        if (rescale == null || !rescale.id().equals(id)) {
            LOG.debug("A rescale ends, which has not begun here");
            return;
        }
        SubtaskMigration<E> ending = rescale.migration();
        rescale.close();
        rescale = null;
        ending.end();
        // It may wait in the backlog for long; if the watermark has been closed anew by then, what
        // stands behind it may need it closed.
        long closings = watermarkClosings;
        ending.onOther(
                inputs.action(
                        () -> {
                            if (watermarkClosings == closings) {
                                inputs.raiseWatermark(Long.MAX_VALUE);
                            }
                        }));
        inputs.releaseEnd();
        afterProgress();
    }

    /** The subtask leaves, as it has no key-groups any more. */
    public void endInput(UUID id) {
        Runnable end =
                () ->
                        thread.execute(
                                () -> environment.endOperators(() -> inputEnded(id)),
                                "End the input");
        if (migration == null) {
            end.run();
        } else {
            // watermarks may wait in the backlog
            atRest = end;
        }
    }

    private void inputEnded(UUID id) {
        // behind the mails of timers that have fired
        thread.execute(
                () -> {
                    leavesBy = id;
                    reports.inputEnded(id);
                },
                "The input has ended");
    }

    /** The operators have been told that a checkpoint is complete. */
    public void afterCheckpointComplete(long checkpoint) {
        if (leavesBy != null) {
            reports.checkpointConfirmed(leavesBy, checkpoint);
        }
    }

    // ------------------------------------------------------------------------
    //  Work
    // ------------------------------------------------------------------------

    /** Schedules what there is to do besides reading the input. */
    public void afterProgress() throws Exception {
        if (migration == null) {
            return;
        }
        migration.countWaiting();
        Waiting<E> waiting = migration.waiting();
        link.metrics().waiting(waiting.parked(), waiting.backlog());
        if (migration.isOver()) {
            attach(null);
            inputs.readOn();
            return;
        }
        if (rescale != null) {
            rescale.proceed();
        }
        backlog.scheduleIf(migration::hasBacklog);
        if (rescale != null) {
            push.scheduleIf(rescale.sender()::hasToPush);
            repeat.scheduleIf(rescale::waits);
            tick.scheduleIf(rescale::awaitsData);
        }
        inputs.readOn();
    }

    private void attach(@Nullable SubtaskMigration<E> next) {
        migration = next;
        inputs.attach(next);
        if (next == null) {
            settings.memory.use(0);
        }
        if (next == null && atRest != null) {
            Runnable action = atRest;
            atRest = null;
            action.run();
        }
    }

    private void processBacklog() throws Exception {
        if (migration != null) {
            long deadline = thread.nanoTime() + settings.pace.mailNanos;
            while (migration.processBacklog() && thread.nanoTime() - deadline < 0) {
                // until the time is used up
            }
            afterProgress();
        }
    }

    private void push() throws Exception {
        if (rescale != null) {
            long deadline = thread.nanoTime() + settings.pace.mailNanos;
            rescale.sender().push(() -> !inbox.hasUrgent() && thread.nanoTime() - deadline < 0);
            afterProgress();
        }
    }

    private void repeat() throws Exception {
        if (rescale != null) {
            rescale.exchange().repeat();
            // what time alone allows: a window that has opened again
            afterProgress();
        }
    }

    private void tick() throws Exception {
        if (rescale != null) {
            rescale.tick();
        }
        afterProgress();
    }

    /** Something that is done in a mail of its own, of which there is one at a time. */
    private final class SingleMail {
        private final String description;
        private final long delayNanos;
        private final TaskThread.Mail action;
        private boolean scheduled;

        SingleMail(String description, long delayNanos, TaskThread.Mail action) {
            this.description = description;
            this.delayNanos = delayNanos;
            this.action = action;
        }

        void scheduleIf(BooleanSupplier needed) {
            if (!scheduled && needed.getAsBoolean()) {
                schedule();
            }
        }

        void schedule() {
            if (scheduled) {
                return;
            }
            scheduled = true;
            if (delayNanos > 0) {
                thread.executeAfter(delayNanos, this::run, description);
            } else {
                thread.execute(this::run, description);
            }
        }

        private void run() throws Exception {
            scheduled = false;
            action.run();
        }
    }

    // ------------------------------------------------------------------------
    //  Messages
    // ------------------------------------------------------------------------

    /** A message has come from the transport. Any thread. */
    public void onMessage(PeerEnvelope message) {
        inbox.add(message);
    }

    private void receive(PeerEnvelope message) throws Exception {
        if (rescale == null) {
            LOG.debug("Dropped, as no rescale runs here: {}", message);
            link.metrics().stale();
        } else {
            rescale.exchange().onMessage(message);
        }
    }

    private void afterMessages() throws Exception {
        if (rescale != null) {
            rescale.exchange().acknowledge();
        }
        afterProgress();
    }

    /** What a rescale asks for. */
    final class Host implements ActiveRescale.Host {

        @Override
        public Handovers handovers() {
            return handovers;
        }

        @Override
        public void closeWatermark() {
            watermarkClosings++;
            inputs.closeWatermark();
        }

        @Override
        public void broadcastStateInstalled() {
            awaitsBroadcastState = false;
        }

        @Override
        public void sent() {
            repeat.schedule();
        }

        @Override
        public void afterProgress() throws Exception {
            SubtaskRescale.this.afterProgress();
        }

        @Override
        public Runnable wakeUp() {
            return wakeUp;
        }
    }
}
