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

package io.meces.core.migration;

import io.meces.core.messaging.Priority;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.function.Predicate;
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
public final class MigrationDriver<E extends MigratingElement> {

    private static final Logger LOG = LoggerFactory.getLogger(MigrationDriver.class);

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

    /** Whether this subtask is new, and has not been handed over the broadcast state yet. */
    private boolean awaitsBroadcastState;

    /** What the inputs are attached to; it outlives its rescale if its backlog does. */
    @Nullable private SubtaskMigration<E> migration;

    @Nullable private Rescale rescale;

    /** How often this subtask has begun to receive, and closed its watermark for that. */
    private long watermarkClosings;

    private boolean backlogScheduled;
    private boolean pushScheduled;
    private boolean repeatScheduled;
    private boolean tickScheduled;

    /** What is to be done when no rescale concerns the inputs any more. */
    @Nullable private Runnable atRest;

    /** The rescale by which this subtask leaves, and holds nothing back; null while it stays. */
    @Nullable private UUID leavesBy;

    /**
     * @param isNew whether the subtask begins while the job runs, and is to be handed over the
     *     broadcast state if there are broadcast inputs
     */
    public MigrationDriver(
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
            end(rescale.id);
        }
        SubtaskMigration<E> next =
                new SubtaskMigration<>(
                        settings,
                        new MigrationStart(
                                inputs.openChannels(),
                                inputs.broadcastChannels(),
                                awaitsBroadcastState,
                                inputs.watermark(),
                                singleUpstream),
                        new Port());
        if (migration != null) {
            next.adopt(migration);
        }
        boolean closes = receives && !singleUpstream;
        if (closes) {
            closeWatermark();
        }
        inputs.holdEnd();
        attach(next);
        rescale = new Rescale(id, next, receives, singleUpstream, closes);
        reports.begun(id, new EventTime(inputs.watermark(), rescale.state.nextEventTime()));
    }

    private void closeWatermark() {
        watermarkClosings++;
        inputs.closeWatermark();
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
        if (rescale == null || !rescale.id.equals(id)) {
            throw new MigrationProtocolException("rescale " + id + " is not running");
        }
        Rescale current = rescale;
        current.exchange.startStep(moves.step(), attempts);
        for (int i = 0; i < moves.size(); i++) {
            if (moves.to(i) == settings.subtask) {
                current.received.set(moves.keyGroup(i));
            }
        }
        letReceiverRise(current, watermarkOfReceivers);
        current.rising = watermarkOfReceivers;
        LOG.debug("Subtask {} starts {}", settings.subtask, moves);
        reports.stepStarted(id, moves.step());
        if (current.deferred != null) {
            current.deferred.startStep(moves);
        }
        current.migration.startStep(moves, watermarkOfReceivers);
        for (PeerEnvelope message : current.exchange.takeEarly()) {
            receive(message);
        }
        afterProgress();
    }

    /**
     * Event time goes on between two steps.
     *
     * @param watermark what the watermark of a receiver may rise to
     * @param asks whether it is to be reported when the subtask's watermark has passed that
     */
    public void alignWatermark(UUID id, long watermark, boolean asks) throws Exception {
        Rescale current = rescale;
        if (current == null || !current.id.equals(id)) {
            LOG.debug("Rescale {} aligns the watermarks of its receivers, which is over here", id);
            return;
        }
        letReceiverRise(current, watermark);
        current.rising = asks ? watermark : null;
        afterProgress();
    }

    /** Behind the records that wait here already. */
    private void letReceiverRise(Rescale current, long watermark) throws Exception {
        if (current.receives) {
            current.migration.onOther(
                    inputs.action(
                            () -> {
                                if (rescale == current) {
                                    raiseWatermark(current, watermark);
                                }
                            }));
        }
    }

    private void raiseWatermark(Rescale current, long watermark) throws Exception {
        if (current.deferred == null) {
            inputs.raiseWatermark(watermark);
        } else {
            current.deferred.allow(watermark);
        }
    }

    /** The rescale is over. */
    public void end(UUID id) throws Exception {
        if (rescale == null || !rescale.id.equals(id)) {
            LOG.debug("Rescale {} ends, which has not begun here", id);
            return;
        }
        SubtaskMigration<E> ending = rescale.migration;
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
        int parkedByKey = rescale == null ? 0 : rescale.parkedByKey();
        link.metrics().waiting(migration.parked() + parkedByKey, migration.backlog());
        if (migration.isOver()) {
            attach(null);
            inputs.readOn();
            return;
        }
        if (rescale != null) {
            while (!rescale.arrived.isEmpty() && migration.mayInstall()) {
                install(rescale.arrived.poll());
            }
            reportIfRisen();
            sendHeld(unit -> unit.onDemand);
            if (rescale.held.needsDrain()) {
                rescale.held.beginDrain();
                rescale.drain.drain(this::drained);
            }
        }
        if (migration.hasBacklog() && !backlogScheduled) {
            backlogScheduled = true;
            thread.execute(this::processBacklog, BACKLOG);
        }
        if (rescale != null && !pushScheduled && hasToPush()) {
            pushScheduled = true;
            thread.execute(this::push, "Push units");
        }
        if (rescale != null && !repeatScheduled && rescale.waits()) {
            repeatScheduled = true;
            thread.executeAfter(REPEAT_NANOS, this::repeat, "Repeat messages");
        }
        if (rescale != null && !tickScheduled && rescale.awaitsData()) {
            tickScheduled = true;
            thread.executeAfter(
                    DeferredMigration.TICK_NANOS, this::tick, "Look after data to come");
        }
        inputs.readOn();
    }

    private void attach(@Nullable SubtaskMigration<E> next) {
        migration = next;
        inputs.attach(next);
        if (next == null && atRest != null) {
            Runnable action = atRest;
            atRest = null;
            action.run();
        }
    }

    /**
     * What will be when no watermark is held back any more: at once, or else the one that has been
     * emitted counts. Who gives must not lag behind those who take.
     */
    private long foreseenWatermark() {
        return rescale.migration.hasBacklog() ? inputs.watermark() : inputs.uncappedWatermark();
    }

    private EventTime foreseenTime() {
        return new EventTime(foreseenWatermark(), rescale.state.nextEventTime());
    }

    private void reportIfRisen() {
        if (rescale.rising != null && foreseenWatermark() > rescale.rising) {
            rescale.rising = null;
            reports.watermarkRisen(rescale.id, foreseenTime());
        }
    }

    private void processBacklog() throws Exception {
        backlogScheduled = false;
        if (migration != null) {
            long deadline = thread.nanoTime() + settings.pace.mailNanos;
            while (migration.processBacklog() && thread.nanoTime() - deadline < 0) {
                // until the time is used up
            }
            afterProgress();
        }
    }

    private void tick() throws Exception {
        tickScheduled = false;
        if (rescale != null && rescale.awaitsData()) {
            rescale.deferred.tick();
        }
        afterProgress();
    }

    private boolean hasToPush() {
        return nextPushReceiver() >= 0
                || rescale.held.hasSendable(this::maySend)
                || mustFlush()
                || canPushData();
    }

    /** Whether there may be data to be sent that comes apart from the units. */
    private boolean canPushData() {
        if (rescale.deferred == null || !rescale.deferred.isToGive()) {
            return false;
        }
        if (!link.inFlight().hasRoom()) {
            link.inFlight().whenRoom(wakeUp);
            return false;
        }
        return rescale.deferred.canPush();
    }

    private void push() throws Exception {
        pushScheduled = false;
        if (rescale == null) {
            return;
        }
        long deadline = thread.nanoTime() + settings.pace.mailNanos;
        sendHeld(this::maySend);
        int receiver = nextPushReceiver();
        while (receiver >= 0 && !inbox.hasUrgent() && thread.nanoTime() - deadline < 0) {
            rescale.migration.push(receiver);
            receiver = nextPushReceiver();
        }
        rescale.exchange.flush(!rescale.migration.canPush(), receiver >= 0);
        while (canPushData() && !inbox.hasUrgent() && thread.nanoTime() - deadline < 0) {
            rescale.deferred.push();
        }
        afterProgress();
    }

    /** Who gets the next unit in the background; -1 if there is none, or flow control forbids. */
    private int nextPushReceiver() {
        if (!rescale.migration.canPush()) {
            return -1;
        }
        if (!link.inFlight().hasRoom()) {
            // asked once only: another task may take the room between two questions
            link.inFlight().whenRoom(wakeUp);
            return -1;
        }
        return rescale.migration.nextPushReceiver(rescale.exchange::mayPushTo);
    }

    /**
     * Whether a chunk waits that nothing would fill, if nothing can be pushed: for units that have
     * left on demand meanwhile, or while those that are left are for others.
     */
    private boolean mustFlush() {
        return rescale.migration.canPush()
                ? rescale.exchange.hasChunkWithNothingAhead()
                : rescale.exchange.hasChunks();
    }

    private void repeat() throws Exception {
        repeatScheduled = false;
        if (rescale != null) {
            rescale.exchange.repeat();
            // what time alone allows: a window that has opened again
            afterProgress();
        }
    }

    // ------------------------------------------------------------------------
    //  Units that wait for a drain
    // ------------------------------------------------------------------------

    /** What was taken out of the state before the drain began may be sent. */
    private void drained() throws Exception {
        rescale.held.endDrain();
        sendHeld(unit -> unit.onDemand);
        // in a mail of its own: it may be called by afterProgress()
        wakeUp.run();
    }

    private void sendHeld(Predicate<ExtractedUnit> condition) throws Exception {
        ExtractedUnit unit = rescale.held.pollSendable(condition);
        while (unit != null) {
            link.inFlight().remove(unit.state.length);
            send(unit);
            unit = rescale.held.pollSendable(condition);
        }
    }

    private void send(ExtractedUnit unit) throws IOException {
        rescale.exchange.send(unit);
        if (rescale.deferred != null) {
            rescale.deferred.onUnitSent(unit.unit);
        }
    }

    private boolean maySend(ExtractedUnit unit) {
        return unit.onDemand || rescale.exchange.mayPushTo(unit.receiver);
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
            rescale.exchange.onMessage(message);
        }
    }

    private void afterMessages() throws Exception {
        if (rescale != null) {
            rescale.exchange.acknowledge();
        }
        afterProgress();
    }

    private void handle(int from, Priority priority, PeerMessage message) throws Exception {
        SubtaskMigration<E> current = rescale.migration;
        switch (message.kind()) {
            case SCHEMA:
            case UNIT:
            case CHUNK:
                // a schema counts for the units that follow it
                Arrival arrival = new Arrival(from, priority, message);
                if (rescale.arrived.isEmpty() && current.mayInstall()) {
                    install(arrival);
                } else {
                    rescale.arrived.add(arrival);
                }
                break;
            case BROADCAST_STATE:
                // before anything of it is read
                current.checkBroadcastState(from);
                rescale.state.installBroadcastState(message.payload());
                awaitsBroadcastState = false;
                current.onBroadcastState(from);
                break;
            case FORWARD:
                onForwarded(from, priority, message);
                break;
            case PASSED:
                current.onPassed(from, message.channel());
                break;
            case ALIGNED:
                current.onAligned(from);
                break;
            case REQUEST:
                onRequest(from, message.unit());
                break;
            default:
                if (rescale.deferred == null) {
                    throw new MigrationProtocolException("unknown message " + message);
                }
                rescale.deferred.handle(from, message);
        }
    }

    private void install(Arrival arrival) throws Exception {
        PeerMessage message = arrival.message;
        switch (message.kind()) {
            case SCHEMA:
                rescale.state.readSchema(arrival.from, arrival.priority, message.payload());
                break;
            case CHUNK:
                handovers.takeOver(arrival.from, message.handover());
                for (UnitChunk.Part part : UnitChunk.read(message.payload())) {
                    install(arrival, part.unit(), part.state());
                }
                break;
            default:
                handovers.takeOver(arrival.from, message.handover());
                install(arrival, message.unit(), ByteBuffer.wrap(message.payload()));
        }
    }

    private void install(Arrival arrival, int unit, ByteBuffer state) throws Exception {
        if (!rescale.migration.awaits(arrival.from, unit)) {
            throw new MigrationProtocolException(
                    "unit " + unit + " came that is not awaited: " + arrival.message);
        }
        rescale.state.install(arrival.from, arrival.priority, unit, state);
        Long requested = rescale.requested.remove(unit);
        link.metrics().installed();
        if (requested != null) {
            link.metrics().fetched(thread.nanoTime() - requested);
        }
        if (rescale.deferred != null) {
            rescale.deferred.onUnitInstalled(unit);
        }
        rescale.migration.onUnitInstalled(arrival.from, unit);
    }

    private void onForwarded(int donor, Priority priority, PeerMessage message) throws Exception {
        E record =
                inputs.deserialize(
                        message.payload(), message.input(), message.channel(), message.unit());
        if (priority == Priority.URGENT) {
            rescale.migration.onForwardedAhead(donor, message.unit(), record);
        } else {
            rescale.migration.onForwarded(donor, message.unit(), record);
        }
    }

    private void onRequest(int receiver, int unit) throws Exception {
        byte[] schema = rescale.state.schema();
        byte[] state = rescale.exchange.takeBack(receiver, unit, schema);
        if (state != null) {
            send(new ExtractedUnit(receiver, unit, state, schema, true));
            return;
        }
        ExtractedUnit held = rescale.held.find(u -> u.unit == unit && u.receiver == receiver);
        if (held == null) {
            rescale.migration.onRequest(receiver, unit);
        } else {
            // sent by afterProgress() when it is drained
            held.onDemand = true;
        }
    }

    /** Hands an element to the operator. */
    private void process(E element) throws Exception {
        inputs.process(element);
        if (rescale != null
                && !rescale.firstRecordReported
                && element.unit() >= 0
                && rescale.received.get(element.unit() / settings.subGroups)) {
            rescale.firstRecordReported = true;
            reports.firstRecord(rescale.id);
        }
    }

    /** What the migration asks for. */
    private final class Port implements MigrationPort<E> {

        @Override
        public long nanoTime() {
            return thread.nanoTime();
        }

        @Override
        public void process(E element) throws Exception {
            if (rescale == null || rescale.deferred == null) {
                MigrationDriver.this.process(element);
            } else {
                rescale.deferred.toOperator(element);
            }
        }

        @Override
        public boolean isFull() {
            return rescale != null && rescale.deferred != null && rescale.deferred.isFull();
        }

        @Override
        public long sendUnit(int receiver, int unit, boolean onDemand) throws Exception {
            rescale.state.flush();
            byte[] schema = rescale.state.schema();
            byte[] state = rescale.state.extract(unit);
            link.metrics().extracted();
            ExtractedUnit extracted = new ExtractedUnit(receiver, unit, state, schema, onDemand);
            if (rescale.drain.holdsBack()) {
                // results of its records are not outside yet: those of its receiver must not
                // overtake
                rescale.held.hold(extracted);
                link.inFlight().add(state.length);
            } else {
                MigrationDriver.this.send(extracted);
            }
            return state.length;
        }

        @Override
        public void forward(int receiver, int unit, E record) throws Exception {
            forward(receiver, Priority.CONTROL, unit, record);
        }

        @Override
        public void forwardAhead(int receiver, int unit, E record) throws Exception {
            // the priority of the unit, as it leaves on demand
            forward(receiver, Priority.URGENT, unit, record);
        }

        private void forward(int receiver, Priority priority, int unit, E record) throws Exception {
            rescale.exchange.send(
                    receiver,
                    priority,
                    PeerMessage.forward(
                            rescale.exchange.step(),
                            unit,
                            inputs.inputOf(record),
                            record.channel(),
                            inputs.serialize(record)));
        }

        @Override
        public void sendPassed(int receiver, int channel) {
            send(receiver, PeerMessage.passed(rescale.exchange.step(), channel));
        }

        @Override
        public void sendAligned(int receiver) {
            send(receiver, PeerMessage.aligned(rescale.exchange.step()));
        }

        @Override
        public void sendRequest(int donor, int unit) {
            link.metrics().requested();
            rescale.requested.put(unit, thread.nanoTime());
            send(donor, PeerMessage.request(rescale.exchange.step(), unit));
        }

        @Override
        public void sendBroadcastState(BitSet receivers) throws Exception {
            PeerMessage state =
                    PeerMessage.broadcastState(
                            rescale.exchange.step(), rescale.state.broadcastState());
            for (int r = receivers.nextSetBit(0); r >= 0; r = receivers.nextSetBit(r + 1)) {
                send(r, state);
            }
        }

        private void send(int peer, PeerMessage message) {
            rescale.exchange.send(peer, message);
        }

        @Override
        public void waited(long nanos) {
            link.metrics().waited(nanos);
        }

        @Override
        public void stepCompleted(long step, StepStatistics statistics) throws Exception {
            LOG.debug(
                    "Subtask {} has completed step {}: {} units sent ({} on demand), {} records"
                            + " forwarded; {}",
                    settings.subtask,
                    step,
                    statistics.unitsSent,
                    statistics.unitsOnDemand,
                    statistics.recordsForwarded,
                    statistics.waits);
            reports.stepCompleted(
                    rescale.id,
                    step,
                    foreseenTime(),
                    statistics,
                    rescale.deferred != null && rescale.deferred.reports(),
                    handovers.takeEvents(),
                    rescale.state.longestStopNanos());
            if (rescale.deferred != null) {
                rescale.deferred.onStepCompleted();
            }
        }
    }

    /** What data that comes apart from the units asks for. */
    private final class Host implements DeferredMigration.Host<E> {

        @Override
        public void process(E element) throws Exception {
            MigrationDriver.this.process(element);
        }

        @Override
        public void closeWatermark() {
            MigrationDriver.this.closeWatermark();
        }

        @Override
        public EventTime time() {
            return foreseenTime();
        }

        @Override
        public void afterProgress() throws Exception {
            MigrationDriver.this.afterProgress();
        }
    }

    /** A message with units, or with what they are to be read with. */
    private static final class Arrival {
        private final int from;
        private final Priority priority;
        private final PeerMessage message;

        private Arrival(int from, Priority priority, PeerMessage message) {
            this.from = from;
            this.priority = priority;
            this.message = message;
        }
    }

    /** What belongs to one rescale. */
    private final class Rescale {
        private final UUID id;
        private final SubtaskMigration<E> migration;
        private final boolean receives;
        private final UnitState state;
        private final ResultDrain drain;
        private final PeerExchange exchange;
        private final HeldUnits<ExtractedUnit> held = new HeldUnits<>();

        /** What has come before it may be installed. */
        private final ArrayDeque<Arrival> arrived = new ArrayDeque<>();

        /** Key-groups that this subtask takes. */
        private final BitSet received = new BitSet();

        /** Units that were asked for, and when. */
        private final Map<Integer, Long> requested = new HashMap<>();

        /** Who gives is to say when its watermark has passed this; null: it need not. */
        @Nullable private Long rising;

        private boolean firstRecordReported;

        /** What concerns data that comes apart from the units; null if there is none. */
        @Nullable private final DeferredMigration<E> deferred;

        private Rescale(
                UUID id,
                SubtaskMigration<E> migration,
                boolean receives,
                boolean singleUpstream,
                boolean watermarkIsClosed) {
            this.id = id;
            this.migration = migration;
            this.receives = receives;
            this.state = environment.openState();
            this.drain = environment.openDrain();
            this.exchange =
                    new PeerExchange(
                            id,
                            settings.flowControl,
                            link,
                            thread::nanoTime,
                            handovers,
                            MigrationDriver.this::handle);
            DeferredData data = state.deferred();
            this.deferred =
                    data == null
                            ? null
                            : new DeferredMigration<>(
                                    id,
                                    settings,
                                    environment,
                                    exchange,
                                    data,
                                    singleUpstream,
                                    watermarkIsClosed,
                                    new Host());
        }

        /** Whether data is still to come that comes apart from the units. */
        private boolean awaitsData() {
            return deferred != null && deferred.isAwaited();
        }

        private int parkedByKey() {
            return deferred == null ? 0 : deferred.parked();
        }

        /** Whether time alone may change something. */
        private boolean waits() {
            return exchange.isWaiting()
                    || migration.canPush()
                    || deferred != null && deferred.isToGive();
        }

        private void close() {
            drain.close();
            if (deferred != null) {
                deferred.close();
            }
            held.all().forEach(unit -> link.inFlight().remove(unit.state.length));
            link.inFlight().forget(wakeUp);
            exchange.close();
        }
    }
}
