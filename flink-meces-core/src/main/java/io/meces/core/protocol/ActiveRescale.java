// SPDX-License-Identifier: Apache-2.0
package io.meces.core.protocol;

import io.meces.core.command.EventTime;
import io.meces.core.command.MigrationReports;
import io.meces.core.command.StepMoves;
import io.meces.core.command.StepStatistics;
import io.meces.core.exchange.Handovers;
import io.meces.core.exchange.MigrationProtocolException;
import io.meces.core.exchange.PeerEnvelope;
import io.meces.core.exchange.PeerExchange;
import io.meces.core.exchange.PeerMessage;
import io.meces.core.exchange.Priority;
import io.meces.core.exchange.TaskThread;
import io.meces.core.store.DeferredData;
import io.meces.core.store.KeyCodec;
import io.meces.core.store.UnitState;
import io.meces.core.waiting.Waiting;
import java.util.BitSet;
import java.util.Map;
import java.util.UUID;

/**
 * An elastic subtask's part in one rescale: connects the protocol, {@link SubtaskMigration}, with
 * the task's inputs and state, with its peers, and with what is reported to the JobManager.
 *
 * <p>Owned by the task thread.
 *
 * @param <E> an element of an input
 */
final class ActiveRescale<E extends MigratingElement>
        implements MigrationPort<E>, DeferredReceiver.Host<E> {

    private final UUID id;
    private final MigrationSettings settings;
    private final MigrationInputs<E> inputs;
    private final MigrationReports reports;
    private final TaskThread thread;
    private final Handovers handovers;
    private final Host host;
    private final UnitState state;
    private final PeerExchange exchange;

    private final SubtaskMigration<E> migration;
    private final UnitSender sender;
    private final UnitInstaller installer;

    /** What comes of data that follows the units. */
    private final DeferredReceiver<E> data;

    private final DeferredMigration deferred;
    private final RescaleWatermark<E> watermark;
    private final StepProgress progress;

    /** Key-groups that this subtask takes. */
    private final BitSet received = new BitSet();

    private boolean firstRecordReported;

    /** The driver of the subtask. */
    interface Host {

        /** What tells consumers of units that move. */
        Handovers handovers();

        /** Holds the operator's watermark where it is. */
        void closeWatermark();

        /** A new subtask has been handed over the state of broadcast records. */
        void broadcastStateInstalled();

        /** A message has been sent, which may have to be repeated. */
        void sent();

        /** Looks for what there is to do now. */
        void afterProgress() throws Exception;

        /** Has {@link #afterProgress} run soon, in a mail of its own; any thread. */
        Runnable wakeUp();
    }

    ActiveRescale(
            UUID id,
            MigrationSettings settings,
            MigrationEnvironment<E> environment,
            MigrationStart start,
            Host host) {
        this.id = id;
        this.settings = settings;
        this.inputs = environment.inputs();
        this.reports = environment.reports();
        this.thread = environment.thread();
        this.handovers = host.handovers();
        this.host = host;
        this.state = environment.openState();
        this.exchange =
                new PeerExchange(
                        id,
                        settings.flowControl,
                        environment.link(),
                        thread::nanoTime,
                        handovers,
                        this::handle,
                        host::sent);
        Waiting<E> waiting = new Waiting<>(thread::nanoTime, environment.link().metrics()::waited);
        DeferredData following = state.deferred();
        this.data =
                new DeferredReceiver<>(
                        settings, environment, start, following, exchange, waiting, this);
        this.migration = new SubtaskMigration<>(settings, start, this, data, waiting);
        this.sender =
                new UnitSender(
                        settings,
                        environment,
                        migration,
                        state,
                        following,
                        exchange,
                        host,
                        this::dataDropped);
        this.installer =
                new UnitInstaller(environment, migration, state, handovers, data.installer());
        this.deferred =
                new DeferredMigration(
                        settings, environment, exchange, following, sender, data, this::time);
        this.watermark =
                new RescaleWatermark<>(id, start.receives, environment, state, migration, data);
        this.progress =
                new StepProgress(
                        thread::nanoTime,
                        migration::workedOff,
                        () -> reports.stepProceeds(id, exchange.step()));
    }

    UUID id() {
        return id;
    }

    SubtaskMigration<E> migration() {
        return migration;
    }

    // ------------------------------------------------------------------------
    //  Commands
    // ------------------------------------------------------------------------

    /** See {@link SubtaskRescale#startStep}. */
    void startStep(StepMoves moves, Map<Integer, ?> attempts, long watermarkOfReceivers)
            throws Exception {
        exchange.startStep(moves.step(), attempts);
        moves.forEachTo(settings.subtask, (keyGroup, from) -> received.set(keyGroup));
        watermark.allow(watermarkOfReceivers);
        watermark.askFor(watermarkOfReceivers);
        reports.stepStarted(id, moves.step());
        deferred.startStep(moves);
        progress.startStep();
        migration.startStep(moves, watermarkOfReceivers);
        for (PeerEnvelope message : exchange.takeEarly()) {
            exchange.onMessage(message);
        }
    }

    /** See {@link SubtaskRescale#alignWatermark}. */
    void alignWatermark(long newWatermark, boolean asks) throws Exception {
        watermark.allow(newWatermark);
        watermark.askFor(asks ? newWatermark : null);
    }

    /** The protocol may go on, to work off its backlog; the rescale does not. */
    void close() {
        // what is still worked off is not of the rescale any more
        firstRecordReported = true;
        watermark.close();
        // first what other tasks of the TaskManager wait for
        exchange.close();
        sender.close();
        data.close();
    }

    // ------------------------------------------------------------------------
    //  Work
    // ------------------------------------------------------------------------

    /** Does what has become possible, and does not take long. */
    void proceed() throws Exception {
        installer.installArrived();
        migration.proceed();
        watermark.reportIfRisen();
        sender.sendDrained();
        progress.tell();
    }

    UnitSender sender() {
        return sender;
    }

    PeerExchange exchange() {
        return exchange;
    }

    /** Whether time alone may change something. */
    boolean waits() {
        return exchange.isWaiting() || migration.canPush() || sender.givesData();
    }

    /** Whether data is still to come that follows the units. */
    boolean awaitsData() {
        return data.isIncomplete();
    }

    /** To be called from time to time while data is awaited. */
    void tick() throws Exception {
        if (awaitsData()) {
            deferred.tick();
        }
    }

    // ------------------------------------------------------------------------
    //  Messages
    // ------------------------------------------------------------------------

    private void handle(int from, Priority priority, PeerMessage message) throws Exception {
        switch (message.kind()) {
            case SCHEMA:
            case UNIT:
            case CHUNK:
                installer.onMessage(from, priority, message);
                break;
            case BROADCAST_STATE:
                // before anything of it is read
                migration.checkBroadcastState(from);
                state.installBroadcastState(message.payload());
                host.broadcastStateInstalled();
                migration.onBroadcastState(from);
                break;
            case FORWARD:
                onForwarded(from, priority, message);
                break;
            case PASSED:
                migration.onPassed(from, message.channel());
                break;
            case ALIGNED:
                migration.onAligned(from);
                break;
            case REQUEST:
                sender.onRequest(from, message.unit());
                break;
            case KEY_REQUEST:
                sender.onKeyRequest(from, message.unit(), KeyCodec.read(message.payload()));
                break;
            case PACE:
                sender.onPace(from, message.wantsMore());
                break;
            case DATA_INSTALLED:
                sender.onDataInstalled(message.unit());
                break;
            case KEY_DATA:
                data.installer().onKeys(from, message.unit(), message.payload());
                break;
            case DATA:
                data.installer().onChunk(from, message.unit(), message.payload());
                break;
            case DATA_END:
                data.installer().onEnd(from, message.unit());
                break;
            default:
                throw new MigrationProtocolException("unknown message " + message);
        }
    }

    private void onForwarded(int donor, Priority priority, PeerMessage message) throws Exception {
        E record =
                inputs.deserialize(
                        message.payload(), message.input(), message.channel(), message.unit());
        if (priority == Priority.URGENT) {
            migration.onForwardedAhead(donor, message.unit(), record);
        } else {
            migration.onForwarded(donor, message.unit(), record);
        }
    }

    // ------------------------------------------------------------------------
    //  What the protocol asks for
    // ------------------------------------------------------------------------

    @Override
    public long nanoTime() {
        return thread.nanoTime();
    }

    @Override
    public boolean hasState() {
        return state.isRegistered();
    }

    @Override
    public void toOperator(E element) throws Exception {
        inputs.process(element);
        if (!firstRecordReported
                && element.unit() >= 0
                && received.get(element.unit() / settings.subGroups)) {
            firstRecordReported = true;
            reports.firstRecord(id);
        }
    }

    @Override
    public long sendUnit(int receiver, int unit, boolean onDemand) throws Exception {
        return sender.sendUnit(receiver, unit, onDemand);
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
        exchange.send(
                receiver,
                priority,
                PeerMessage.forward(
                        exchange.step(),
                        unit,
                        inputs.inputOf(record),
                        record.channel(),
                        inputs.serialize(record)));
    }

    @Override
    public void sendPassed(int receiver, int channel) {
        exchange.send(receiver, PeerMessage.passed(exchange.step(), channel));
    }

    @Override
    public void sendAligned(int receiver) {
        exchange.send(receiver, PeerMessage.aligned(exchange.step()));
    }

    @Override
    public void sendRequest(int donor, int unit) {
        installer.onRequest(unit);
        exchange.send(donor, PeerMessage.request(exchange.step(), unit));
    }

    @Override
    public void sendBroadcastState(BitSet receivers) throws Exception {
        PeerMessage message = PeerMessage.broadcastState(exchange.step(), state.broadcastState());
        receivers.stream().forEach(receiver -> exchange.send(receiver, message));
    }

    @Override
    public void stepCompleted(long step, StepStatistics statistics) throws Exception {
        reports.stepCompleted(
                id,
                step,
                time(),
                statistics,
                deferred.reports(),
                handovers.takeEvents(),
                state.longestStopNanos());
        deferred.onStepCompleted();
    }

    // ------------------------------------------------------------------------
    //  What data that follows the units asks for
    // ------------------------------------------------------------------------

    @Override
    public void closeWatermark() {
        host.closeWatermark();
    }

    @Override
    public void dataCompleted() throws Exception {
        deferred.dataCompleted();
    }

    private void dataDropped() throws Exception {
        deferred.onDropped();
    }

    /** How far the subtask is in event time. */
    EventTime time() {
        return watermark.time();
    }
}
