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

package io.meces.runtime.task;

import io.meces.runtime.courier.Lane;
import io.meces.runtime.event.EventTime;
import io.meces.runtime.event.TaskCommand;
import io.meces.runtime.event.TaskReport;
import io.meces.runtime.migration.Handovers;
import io.meces.runtime.migration.HeldUnits;
import io.meces.runtime.migration.MigrationPort;
import io.meces.runtime.migration.StepMoves;
import io.meces.runtime.migration.StepStatistics;
import io.meces.runtime.migration.SubtaskMigration;
import io.meces.runtime.shuffle.TaskLinks;
import io.meces.runtime.transition.DropReason;
import io.meces.runtime.transition.TransitionCodec;
import io.meces.runtime.transition.TransitionMessage;
import io.meces.runtime.transition.TransitionOrigin;
import io.meces.runtime.transition.UnitChunk;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Predicate;
import javax.annotation.Nullable;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.apache.flink.streaming.api.operators.MailboxExecutor;
import org.apache.flink.streaming.runtime.tasks.OperatorChain;
import org.apache.flink.util.FlinkException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An elastic subtask's part in rescales: carries out what the migration protocol decides, with the
 * state, the transition service and the mailbox of the task.
 *
 * <p>Owned by the task thread.
 */
final class ElasticAgent implements MigrationPort<InputElement> {

    private static final Logger LOG = LoggerFactory.getLogger(ElasticAgent.class);

    /** Reading ahead ends with this many elements in the backlog. */
    private static final int MAX_BACKLOG = 1_000_000;

    /** How long a mail pushes units or works on the backlog before records get their turn. */
    static final long MAIL_BUDGET_NANOS = 250_000;

    /** How often it is looked for messages that should have been acknowledged. */
    static final Duration REPEAT = Duration.ofMillis(50);

    private final Environment environment;
    private final TaskLinks links;
    private final InputGroup inputs;
    private final OperatorChain<?, ?> chain;
    private final Handovers handovers;
    private final MailboxExecutor mailbox;
    private final Consumer<TaskReport> reports;
    private final int subtask;

    /** Whether this subtask is new, and has not been handed over the broadcast state yet. */
    private boolean awaitsBroadcastState;

    private final TaskInbox inbox =
            new TaskInbox(
                    mail -> execute(mail, "Transition messages"),
                    MAIL_BUDGET_NANOS,
                    this::receive,
                    this::afterMessages);
    private final AtomicBoolean repeatScheduled = new AtomicBoolean();
    private final Runnable wakeUp = () -> execute(this::afterProgress, "Room for units");

    private final LoadMeter load;
    private final ScheduledFuture<?> measuring;
    private final AtomicBoolean measureScheduled = new AtomicBoolean();

    @Nullable private Rescale rescale;

    /** How often this subtask has begun to receive, and closed its watermark for that. */
    private long watermarkClosings;

    private boolean pushScheduled;
    private boolean drainScheduled;

    ElasticAgent(
            Environment environment,
            TaskLinks links,
            InputGroup inputs,
            OperatorChain<?, ?> chain,
            Handovers handovers,
            MailboxExecutor mailbox,
            Consumer<TaskReport> reports) {
        this.environment = environment;
        this.links = links;
        this.inputs = inputs;
        this.chain = chain;
        this.handovers = handovers;
        this.mailbox = mailbox;
        this.reports = reports;
        this.subtask = environment.getTaskInfo().getIndexOfThisSubtask();
        this.awaitsBroadcastState =
                subtask >= links.vertex().connected() && !inputs.broadcastChannels().isEmpty();
        this.load = new LoadMeter(chain, inputs.keyGroups());
        this.measuring = links.transition().every(LoadMeter.PERIOD, this::requestMeasuring);
        links.transition().service().register(links.attempt(), inbox);
    }

    /** Task thread, or the one that cleans up after it. */
    void close() {
        measuring.cancel(false);
        links.transition().service().unregister(links.attempt());
        if (rescale != null) {
            rescale.close();
            rescale = null;
        }
    }

    // ------------------------------------------------------------------------
    //  Commands
    // ------------------------------------------------------------------------

    void begin(TaskCommand.Begin command) throws Exception {
        if (rescale != null) {
            // word of its end is late, or has been lost and will come again
            end(new TaskCommand.End(rescale.id));
        }
        SubtaskMigration<InputElement> migration =
                new SubtaskMigration<>(
                        subtask,
                        inputs.keyGroups(),
                        inputs.subGroups(),
                        links.vertex().capacity(),
                        inputs.openChannels(),
                        inputs.broadcastChannels(),
                        awaitsBroadcastState,
                        links.transition().order(),
                        MAX_BACKLOG,
                        inputs.watermark(),
                        InputElement::unit,
                        InputElement::channel,
                        this);
        if (inputs.migration() != null) {
            migration.adopt(inputs.migration());
        }
        if (command.singleUpstream()) {
            migration.readFromSingleUpstream();
        }
        if (command.receives() && !command.singleUpstream()) {
            watermarkClosings++;
            inputs.inputs().forEach(ElasticNetworkInput::closeWatermark);
        }
        inputs.holdEnd();
        inputs.setMigration(migration);
        rescale =
                new Rescale(
                        command.rescale(),
                        migration,
                        new UnitTransfer(
                                chain,
                                links.transition().compression(),
                                links.transition().metrics()),
                        command.receives());
        reports.accept(
                new TaskReport.Begun(
                        command.rescale(),
                        links.transition()
                                .service()
                                .address()
                                .reachedAt(
                                        environment
                                                .getTaskManagerInfo()
                                                .getTaskManagerExternalAddress()),
                        new EventTime(inputs.watermark(), rescale.transfer.nextEventTime())));
    }

    void startStep(TaskCommand.StartStep command) throws Exception {
        Rescale current = current(command.rescale());
        StepMoves moves = command.moves();
        current.step = moves.step();
        current.exchange.meet(command.peers());
        for (int i = 0; i < moves.size(); i++) {
            if (moves.to(i) == subtask) {
                current.received.set(moves.keyGroup(i));
            }
        }
        letReceiverRise(current, command.watermarkOfReceivers());
        current.rising = command.watermarkOfReceivers();
        LOG.debug("Subtask {} starts {}", subtask, moves);
        reports.accept(new TaskReport.StepStarted(command.rescale(), moves.step()));
        current.migration.startStep(moves, command.watermarkOfReceivers());
        List<TransitionMessage> early = new ArrayList<>(current.early);
        current.early.clear();
        for (TransitionMessage message : early) {
            receive(message);
        }
        afterProgress();
    }

    void level(TaskCommand.Level command) throws Exception {
        Rescale current = rescale;
        if (current == null || !current.id.equals(command.rescale())) {
            LOG.debug("Rescale {} levels its receivers, which is over here", command.rescale());
            return;
        }
        letReceiverRise(current, command.watermark());
        current.rising = command.asks() ? command.watermark() : null;
        afterProgress();
    }

    /** Behind the records that wait here already. */
    private void letReceiverRise(Rescale current, long watermark) throws Exception {
        if (current.receives) {
            current.migration.onOther(
                    new WatermarkRelease(inputs, watermark, () -> rescale == current));
        }
    }

    /**
     * What will be when no watermark is held back any more: at once, or else the one that has been
     * emitted counts. Who gives must not lag behind those who take.
     */
    private EventTime foreseenTime() {
        return new EventTime(foreseenWatermark(), rescale.transfer.nextEventTime());
    }

    private long foreseenWatermark() {
        return rescale.migration.hasBacklog() ? inputs.watermark() : inputs.uncappedWatermark();
    }

    private void reportIfRisen() {
        if (rescale.rising != null && foreseenWatermark() > rescale.rising) {
            rescale.rising = null;
            reports.accept(new TaskReport.WatermarkRisen(rescale.id, foreseenTime()));
        }
    }

    void end(TaskCommand.End command) throws Exception {
        if (rescale == null || !rescale.id.equals(command.rescale())) {
            LOG.debug("Rescale {} ends, which has not begun here", command.rescale());
            return;
        }
        SubtaskMigration<InputElement> migration = rescale.migration;
        rescale.close();
        rescale = null;
        migration.end();
        // It may wait in the backlog for long; if the watermark has been closed anew by then, what
        // stands behind it may need it closed.
        long closings = watermarkClosings;
        migration.onOther(
                new WatermarkRelease(inputs, Long.MAX_VALUE, () -> watermarkClosings == closings));
        inputs.releaseEnd();
        afterProgress();
    }

    TaskReport.Load measureLoad(TaskCommand.MeasureLoad command) {
        return load.measure(command.rescale());
    }

    private Rescale current(UUID id) {
        checkState(rescale != null && rescale.id.equals(id), "rescale " + id + " is not running");
        return rescale;
    }

    // ------------------------------------------------------------------------
    //  Mails
    // ------------------------------------------------------------------------

    /** Schedules what there is to do besides reading the input. */
    void afterProgress() throws Exception {
        SubtaskMigration<InputElement> migration = inputs.migration();
        if (migration == null) {
            return;
        }
        if (migration.isOver()) {
            inputs.setMigration(null);
            inputs.maybeReadOn();
            return;
        }
        if (rescale != null) {
            while (!rescale.arrived.isEmpty() && migration.mayInstall()) {
                install(rescale.arrived.poll());
            }
            rescale.exchange.sendInstalled(rescale.step);
            reportIfRisen();
            sendHeld(unit -> unit.onDemand);
            if (rescale.held.needsDrain()) {
                rescale.held.beginDrain();
                rescale.chainDrain.drain(this::drained);
            }
        }
        if (migration.hasBacklog() && !drainScheduled) {
            drainScheduled = true;
            mailbox.execute(this::drain, "Process the backlog of a rescale");
        }
        if (rescale != null
                && !pushScheduled
                && (nextPushReceiver() >= 0
                        || rescale.held.hasSendable(this::maySend)
                        || mustFlush())) {
            pushScheduled = true;
            mailbox.execute(this::push, "Push units");
        }
        inputs.maybeReadOn();
    }

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
            links.transition().inFlight().remove(unit.state.length);
            send(unit);
            unit = rescale.held.pollSendable(condition);
        }
    }

    private boolean maySend(ExtractedUnit unit) {
        return unit.onDemand || rescale.exchange.mayPushTo(unit.receiver);
    }

    /** Who gets the next unit in the background; -1 if there is none, or flow control forbids. */
    private int nextPushReceiver() {
        SubtaskMigration<InputElement> migration = rescale.migration;
        if (!migration.canPush()) {
            return -1;
        }
        if (!links.transition().inFlight().hasRoom()) {
            // asked once only: another task may take the room between two questions
            links.transition().inFlight().whenRoom(wakeUp);
            return -1;
        }
        return migration.nextPushReceiver(rescale.exchange::mayPushTo);
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

    private void drain() throws Exception {
        drainScheduled = false;
        SubtaskMigration<InputElement> migration = inputs.migration();
        if (migration != null) {
            long deadline = System.nanoTime() + MAIL_BUDGET_NANOS;
            while (migration.processBacklog() && System.nanoTime() - deadline < 0) {
                // until the budget is used up
            }
            afterProgress();
        }
    }

    private void push() throws Exception {
        pushScheduled = false;
        if (rescale == null) {
            return;
        }
        long deadline = System.nanoTime() + MAIL_BUDGET_NANOS;
        sendHeld(this::maySend);
        int receiver = nextPushReceiver();
        while (receiver >= 0 && !inbox.hasUrgent() && System.nanoTime() - deadline < 0) {
            rescale.migration.push(receiver);
            receiver = nextPushReceiver();
        }
        rescale.exchange.flush(rescale.step, !rescale.migration.canPush(), receiver >= 0);
        afterProgress();
    }

    private void requestMeasuring() {
        if (measureScheduled.compareAndSet(false, true)) {
            execute(
                    () -> {
                        measureScheduled.set(false);
                        load.sample();
                    },
                    "Measure the load");
        }
    }

    private void requestRepeat() {
        if (repeatScheduled.compareAndSet(false, true)) {
            execute(
                    () -> {
                        repeatScheduled.set(false);
                        if (rescale != null) {
                            rescale.exchange.repeat();
                            // what time alone allows: a window that has opened again
                            afterProgress();
                        }
                    },
                    "Repeat transition messages");
        }
    }

    private void execute(
            org.apache.flink.util.function.ThrowingRunnable<? extends Exception> mail,
            String description) {
        try {
            mailbox.execute(mail, description);
        } catch (RejectedExecutionException e) {
            LOG.debug("The task has ended: {} is dropped", description, e);
        }
    }

    private void afterMessages() throws Exception {
        if (rescale != null) {
            rescale.exchange.acknowledge();
        }
        afterProgress();
    }

    private void receive(TransitionMessage message) throws Exception {
        if (rescale == null || !rescale.exchange.concerns(message)) {
            links.transition().metrics().dropped(DropReason.STALE);
            LOG.debug("Dropped, as it belongs to another rescale: {}", message);
        } else if (message.step() > rescale.step) {
            rescale.early.add(message);
        } else {
            rescale.exchange.onMessage(message);
        }
    }

    private void handle(int from, TransitionMessage message) throws Exception {
        if (message.isOutdated(rescale.step)) {
            // asked for, or told, too late: what it was about has happened without it
            rescale.exchange.drop(DropReason.STALE, message);
            return;
        }
        SubtaskMigration<InputElement> migration = rescale.migration;
        switch (message.kind()) {
            case SCHEMA:
            case UNIT:
            case CHUNK:
                // a schema counts for the units that follow it
                if (rescale.arrived.isEmpty() && migration.mayInstall()) {
                    install(message);
                } else {
                    rescale.arrived.add(message);
                }
                break;
            case BROADCAST_STATE:
                // before anything of it is read
                migration.checkBroadcastState(from);
                BroadcastTransfer.install(
                        chain,
                        message.payload(),
                        environment.getUserCodeClassLoader().asClassLoader());
                awaitsBroadcastState = false;
                migration.onBroadcastState(from);
                break;
            case FORWARD:
                onForwarded(from, message);
                break;
            case PASSED:
                migration.onPassed(from, message.channel());
                break;
            case ALIGNED:
                migration.onAligned(from);
                break;
            case REQUEST:
                onRequest(from, message.unit());
                break;
            case INSTALLED:
                for (long unit : TransitionCodec.decodeLongs(message.payload())) {
                    migration.onInstalled(from, (int) unit);
                }
                break;
            default:
                throw new FlinkException("unknown message " + message);
        }
    }

    private void install(TransitionMessage message) throws Exception {
        int from = message.origin().subtask();
        switch (message.kind()) {
            case SCHEMA:
                rescale.transfer.readSchema(from, message.lane(), message.payload());
                break;
            case CHUNK:
                handovers.takeOver(from, message.handover());
                for (UnitChunk.Part part : UnitChunk.read(message.payload())) {
                    install(from, message, part.unit(), part.state());
                }
                break;
            default:
                handovers.takeOver(from, message.handover());
                install(
                        from,
                        message,
                        message.unit(),
                        new DataInputDeserializer(message.payload()));
        }
    }

    private void install(int from, TransitionMessage message, int unit, DataInputDeserializer state)
            throws Exception {
        if (!rescale.migration.awaits(from, unit)) {
            throw new FlinkException("Unit " + unit + " came that is not awaited: " + message);
        }
        rescale.transfer.install(from, message.lane(), unit, inputs.subGroups(), state);
        Long requested = rescale.requested.remove(unit);
        if (requested != null) {
            links.transition().metrics().fetched(System.nanoTime() - requested);
        }
        rescale.migration.onUnitInstalled(from, unit);
    }

    private void onForwarded(int donor, TransitionMessage message) throws IOException {
        InputElement record =
                input(message.input())
                        .deserialize(message.payload(), message.channel(), message.unit());
        if (message.lane() == Lane.URGENT) {
            rescale.migration.onForwardedAhead(donor, message.unit(), record);
        } else {
            rescale.migration.onForwarded(donor, message.unit(), record);
        }
    }

    private void onRequest(int receiver, int unit) throws Exception {
        UnitTransfer.Schema schema = rescale.transfer.schema();
        if (rescale.transfer.isNew(schema, receiver, Lane.BULK)) {
            // what waits in a chunk can only be read with the schema of its lane
            rescale.exchange.flush(rescale.step, true, false);
        }
        byte[] state = rescale.exchange.takeBack(receiver, unit);
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

    private ElasticNetworkInput<?> input(int index) {
        for (ElasticNetworkInput<?> input : inputs.inputs()) {
            if (input.getInputIndex() == index) {
                return input;
            }
        }
        throw new IllegalArgumentException("no input " + index);
    }

    // ------------------------------------------------------------------------
    //  MigrationPort
    // ------------------------------------------------------------------------

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public void process(InputElement element) throws Exception {
        element.process();
        if (rescale != null
                && !rescale.firstRecordReported
                && element.unit() >= 0
                && rescale.received.get(element.unit() / inputs.subGroups())) {
            rescale.firstRecordReported = true;
            reports.accept(new TaskReport.FirstRecord(rescale.id));
        }
    }

    @Override
    public long sendUnit(int receiver, int unit, boolean onDemand) throws Exception {
        rescale.transfer.flush();
        UnitTransfer.Schema schema = rescale.transfer.schema();
        byte[] state = rescale.transfer.extract(unit, inputs.subGroups());
        ExtractedUnit extracted = new ExtractedUnit(receiver, unit, state, schema, onDemand);
        if (rescale.chainDrain.holdsBack()) {
            // results of its records are not outside yet: those of its receiver must not overtake
            rescale.held.hold(extracted);
            links.transition().inFlight().add(state.length);
        } else {
            send(extracted);
        }
        return state.length;
    }

    private void send(ExtractedUnit unit) throws IOException {
        PeerExchange exchange = rescale.exchange;
        Lane lane = unit.onDemand ? Lane.URGENT : Lane.BULK;
        if (rescale.transfer.isNew(unit.schema, unit.receiver, lane)) {
            exchange.flush(rescale.step, true, false);
            rescale.transfer.onSent(unit.schema, unit.receiver, lane);
            exchange.send(
                    unit.receiver,
                    lane,
                    exchange.messages()
                            .schema(
                                    exchange.attempt(unit.receiver),
                                    rescale.step,
                                    unit.schema.bytes()));
        }
        if (unit.onDemand) {
            exchange.sendOnDemand(unit.receiver, rescale.step, unit.unit, unit.state);
        } else {
            exchange.sendInBackground(unit.receiver, rescale.step, unit.unit, unit.state);
        }
    }

    @Override
    public void forward(int receiver, int unit, InputElement record) throws Exception {
        forward(receiver, Lane.CONTROL, unit, record);
    }

    @Override
    public void forwardAhead(int receiver, int unit, InputElement record) throws Exception {
        // the lane of the unit, as it leaves on demand
        forward(receiver, Lane.URGENT, unit, record);
    }

    private void forward(int receiver, Lane lane, int unit, InputElement record) throws Exception {
        DataOutputSerializer out = new DataOutputSerializer(128);
        StreamInputElement element = (StreamInputElement) record;
        element.serialize(out);
        send(
                receiver,
                lane,
                (messages, to) ->
                        messages.forward(
                                to,
                                rescale.step,
                                unit,
                                element.inputIndex(),
                                element.channel(),
                                out.getCopyOfBuffer()));
    }

    @Override
    public void sendPassed(int receiver, int channel) {
        send(receiver, (messages, to) -> messages.passed(to, rescale.step, channel));
    }

    @Override
    public void sendAligned(int receiver) {
        send(receiver, (messages, to) -> messages.aligned(to, rescale.step));
    }

    @Override
    public void sendRequest(int donor, int unit) {
        links.transition().metrics().requested();
        rescale.requested.put(unit, System.nanoTime());
        send(donor, (messages, to) -> messages.request(to, rescale.step, unit));
    }

    @Override
    public void sendInstalled(int donor, int unit) {
        rescale.exchange.installed(donor, unit);
    }

    @Override
    public void sendBroadcastState(BitSet receivers) throws Exception {
        byte[] state = BroadcastTransfer.write(chain);
        for (int r = receivers.nextSetBit(0); r >= 0; r = receivers.nextSetBit(r + 1)) {
            send(r, (messages, to) -> messages.broadcastState(to, rescale.step, state));
        }
    }

    private void send(
            int peer,
            BiFunction<TransitionMessage.Builder, ExecutionAttemptID, TransitionMessage> message) {
        send(peer, Lane.CONTROL, message);
    }

    private void send(
            int peer,
            Lane lane,
            BiFunction<TransitionMessage.Builder, ExecutionAttemptID, TransitionMessage> message) {
        PeerExchange exchange = rescale.exchange;
        exchange.send(peer, lane, message.apply(exchange.messages(), exchange.attempt(peer)));
    }

    @Override
    public void stepCompleted(long step, StepStatistics statistics) {
        LOG.debug(
                "Subtask {} has completed step {}: {} units sent ({} on demand), {} records"
                        + " forwarded; {}",
                subtask,
                step,
                statistics.unitsSent,
                statistics.unitsOnDemand,
                statistics.recordsForwarded,
                statistics.waits);
        reports.accept(
                new TaskReport.StepCompleted(
                        rescale.id,
                        step,
                        foreseenTime(),
                        statistics,
                        handovers.takeEvents(),
                        rescale.transfer.longestStopNanos()));
    }

    private void checkState(boolean condition, String violation) {
        if (!condition) {
            throw new IllegalStateException(
                    environment.getTaskInfo().getTaskNameWithSubtasks() + ": " + violation);
        }
    }

    /** What belongs to one rescale. */
    private final class Rescale {
        private final UUID id;
        private final SubtaskMigration<InputElement> migration;
        private final UnitTransfer transfer;
        private final ChainDrain chainDrain;
        private final HeldUnits<ExtractedUnit> held = new HeldUnits<>();
        private final boolean receives;
        private final PeerExchange exchange;
        private final ScheduledFuture<?> repeating;
        private final ArrayDeque<TransitionMessage> early = new ArrayDeque<>();
        private final ArrayDeque<TransitionMessage> arrived = new ArrayDeque<>();
        private final BitSet received = new BitSet();

        /** Units that were asked for, and when. */
        private final Map<Integer, Long> requested = new HashMap<>();

        /** Who gives is to say when its watermark has passed this; null: it need not. */
        @Nullable private Long rising;

        private long step = -1;
        private boolean firstRecordReported;

        private Rescale(
                UUID id,
                SubtaskMigration<InputElement> migration,
                UnitTransfer transfer,
                boolean receives) {
            this.id = id;
            this.migration = migration;
            this.transfer = transfer;
            this.receives = receives;
            this.exchange =
                    new PeerExchange(
                            links.transition(),
                            new TransitionOrigin(
                                    environment.getJobID(),
                                    environment.getJobVertexId(),
                                    id,
                                    links.attempt(),
                                    subtask),
                            handovers,
                            ElasticAgent.this::handle);
            this.chainDrain =
                    new ChainDrain(
                            chain,
                            environment.getUserCodeClassLoader().asClassLoader(),
                            links.transition().drains(),
                            ElasticAgent.this::execute);
            this.repeating = links.transition().every(REPEAT, ElasticAgent.this::requestRepeat);
        }

        private void close() {
            repeating.cancel(false);
            chainDrain.close();
            held.all().forEach(unit -> links.transition().inFlight().remove(unit.state.length));
            links.transition().inFlight().forget(wakeUp);
            exchange.close();
        }
    }
}
