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

import io.meces.runtime.event.TaskCommand;
import io.meces.runtime.event.TaskReport;
import io.meces.runtime.migration.MigrationPort;
import io.meces.runtime.migration.StepMoves;
import io.meces.runtime.migration.StepStatistics;
import io.meces.runtime.migration.SubtaskMigration;
import io.meces.runtime.transition.TransitionAddress;
import io.meces.runtime.transition.TransitionInbox;
import io.meces.runtime.transition.TransitionMessage;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import javax.annotation.Nullable;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.streaming.api.operators.MailboxExecutor;
import org.apache.flink.streaming.runtime.tasks.OperatorChain;
import org.apache.flink.util.FlinkException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An elastic subtask's part in rescales: carries out what the migration protocol decides, with the
 * state, the transition service and the mailbox of the task.
 *
 * <p>Owned by the task thread, except for the {@link TransitionInbox}, which any thread may call.
 */
final class ElasticAgent implements TransitionInbox, MigrationPort<InputElement> {

    private static final Logger LOG = LoggerFactory.getLogger(ElasticAgent.class);

    /** Reading ahead ends with this many elements in the backlog. */
    private static final int MAX_BACKLOG = 1_000_000;

    /** How long a mail pushes units or works on the backlog before records get their turn. */
    private static final long MAIL_BUDGET_NANOS = 250_000;

    /** Bytes pushed in the background that the receivers have not confirmed yet. */
    private static final long PUSH_WINDOW_BYTES = 1 << 20;

    private final Environment environment;
    private final TaskLinks links;
    private final InputGroup inputs;
    private final OperatorChain<?, ?> chain;
    private final MailboxExecutor mailbox;
    private final Consumer<TaskReport> reports;
    private final int subtask;

    /** Whether this subtask is new, and has not been handed over the broadcast state yet. */
    private boolean awaitsBroadcastState;

    private final ConcurrentLinkedQueue<TransitionMessage> inbox = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean inboxScheduled = new AtomicBoolean();

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
            MailboxExecutor mailbox,
            Consumer<TaskReport> reports) {
        this.environment = environment;
        this.links = links;
        this.inputs = inputs;
        this.chain = chain;
        this.mailbox = mailbox;
        this.reports = reports;
        this.subtask = environment.getTaskInfo().getIndexOfThisSubtask();
        this.awaitsBroadcastState =
                subtask >= links.vertex().connected() && !inputs.broadcastChannels().isEmpty();
        links.transition().register(links.attempt(), this);
    }

    void close() {
        links.transition().unregister(links.attempt());
    }

    // ------------------------------------------------------------------------
    //  Commands
    // ------------------------------------------------------------------------

    void begin(TaskCommand.Begin command) {
        checkState(rescale == null, "a rescale begins while another one runs");
        SubtaskMigration<InputElement> migration =
                new SubtaskMigration<>(
                        subtask,
                        inputs.keyGroups(),
                        inputs.subGroups(),
                        links.vertex().capacity(),
                        inputs.openChannels(),
                        inputs.broadcastChannels(),
                        awaitsBroadcastState,
                        MAX_BACKLOG,
                        inputs.watermark(),
                        InputElement::unit,
                        InputElement::channel,
                        this);
        if (inputs.migration() != null) {
            migration.adopt(inputs.migration());
        }
        if (command.receives()) {
            watermarkClosings++;
            inputs.inputs().forEach(ElasticNetworkInput::closeWatermark);
        }
        inputs.holdEnd();
        inputs.setMigration(migration);
        rescale =
                new Rescale(
                        command.rescale(), migration, new UnitTransfer(chain), command.receives());
        reports.accept(
                new TaskReport.Begun(
                        command.rescale(),
                        links.transition()
                                .address()
                                .reachedAt(
                                        environment
                                                .getTaskManagerInfo()
                                                .getTaskManagerExternalAddress()),
                        inputs.watermark()));
    }

    void startStep(TaskCommand.StartStep command) throws Exception {
        Rescale current = current(command.rescale());
        StepMoves moves = command.moves();
        current.step = moves.step();
        current.peers = command.peers();
        current.peers.values().forEach(peer -> links.transition().prepare(peer.address()));
        for (int i = 0; i < moves.size(); i++) {
            if (moves.to(i) == subtask) {
                current.received.set(moves.keyGroup(i));
            }
        }
        if (current.receives) {
            current.migration.onOther(
                    new WatermarkRelease(
                            inputs, command.watermarkOfReceivers(), () -> rescale == current));
        }
        LOG.debug("Subtask {} starts {}", subtask, moves);
        reports.accept(new TaskReport.StepStarted(command.rescale(), moves.step()));
        current.migration.startStep(moves, command.watermarkOfReceivers());
        List<TransitionMessage> early = new ArrayList<>(current.early);
        current.early.clear();
        for (TransitionMessage message : early) {
            handle(message);
        }
        afterProgress();
    }

    void end(TaskCommand.End command) throws Exception {
        if (rescale == null || !rescale.id.equals(command.rescale())) {
            LOG.debug("Rescale {} ends, which has not begun here", command.rescale());
            return;
        }
        SubtaskMigration<InputElement> migration = rescale.migration;
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
            return;
        }
        if (rescale != null) {
            while (!rescale.arrived.isEmpty() && migration.mayInstall()) {
                install(rescale.arrived.poll());
            }
        }
        if (migration.hasBacklog() && !drainScheduled) {
            drainScheduled = true;
            mailbox.execute(this::drain, "Process the backlog of a rescale");
        }
        if (rescale != null
                && migration.canPush()
                && !pushScheduled
                && rescale.bytesInFlight < PUSH_WINDOW_BYTES) {
            pushScheduled = true;
            mailbox.execute(this::push, "Push units");
        }
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
        while (rescale.migration.canPush()
                && rescale.bytesInFlight < PUSH_WINDOW_BYTES
                && System.nanoTime() - deadline < 0) {
            rescale.migration.push();
        }
        afterProgress();
    }

    @Override
    public void onMessage(TransitionMessage message) {
        inbox.add(message);
        if (inboxScheduled.compareAndSet(false, true)) {
            execute(this::drainInbox, "Transition messages");
        }
    }

    @Override
    public void onPeerLost(TransitionAddress peer, Throwable cause) {
        execute(
                () -> {
                    if (rescale != null && rescale.migration.isStepRunning()) {
                        for (TaskCommand.Peer p : rescale.peers.values()) {
                            if (p.address().equals(peer)) {
                                throw new FlinkException(
                                        "The transition service at "
                                                + peer
                                                + " was lost in the middle of a rescale",
                                        cause);
                            }
                        }
                    }
                },
                "Peer lost");
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

    private void drainInbox() throws Exception {
        inboxScheduled.set(false);
        TransitionMessage message;
        while ((message = inbox.poll()) != null) {
            handle(message);
        }
        afterProgress();
    }

    private void handle(TransitionMessage message) throws Exception {
        if (rescale == null || !rescale.is(message)) {
            LOG.debug("Dropped, as it belongs to another rescale: {}", message);
            return;
        }
        if (message.step() > rescale.step) {
            rescale.early.add(message);
            return;
        }
        TaskCommand.Peer sender = rescale.peers.get(message.senderSubtask());
        if (message.step() < rescale.step
                || sender == null
                || !sender.attempt().equals(message.sender())) {
            LOG.debug("Dropped, as it is stale: {}", message);
            return;
        }
        SubtaskMigration<InputElement> migration = rescale.migration;
        int from = message.senderSubtask();
        switch (message.kind()) {
            case SCHEMA:
            case UNIT:
                // a schema counts for the units that follow it
                if (rescale.arrived.isEmpty() && migration.mayInstall()) {
                    install(message);
                } else {
                    rescale.arrived.add(message);
                }
                break;
            case BROADCAST_STATE:
                BroadcastTransfer.install(
                        chain,
                        message.payload(),
                        environment.getUserCodeClassLoader().asClassLoader());
                awaitsBroadcastState = false;
                migration.onBroadcastState(from);
                break;
            case FORWARD:
                migration.onForwarded(
                        from,
                        message.unit(),
                        input(message.input())
                                .deserialize(message.payload(), message.channel(), message.unit()));
                break;
            case PASSED:
                migration.onPassed(from, message.channel());
                break;
            case ALIGNED:
                migration.onAligned(from);
                break;
            case REQUEST:
                migration.onRequest(from, message.unit());
                break;
            case INSTALLED:
                rescale.bytesInFlight -= rescale.unconfirmed.remove(message.unit());
                migration.onInstalled(from, message.unit());
                break;
            default:
                throw new FlinkException("unknown message " + message);
        }
    }

    private void install(TransitionMessage message) throws Exception {
        int from = message.senderSubtask();
        if (message.kind() == TransitionMessage.Kind.SCHEMA) {
            rescale.transfer.readSchema(from, message.payload());
            return;
        }
        if (!rescale.migration.awaits(from, message.unit())) {
            throw new FlinkException("A unit came that is not awaited: " + message);
        }
        rescale.transfer.install(from, message.unit(), inputs.subGroups(), message.payload());
        rescale.migration.onUnitInstalled(from, message.unit());
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
        byte[] schema = rescale.transfer.schemaIfNew(receiver);
        TaskCommand.Peer peer = rescale.peers.get(receiver);
        if (schema != null) {
            send(peer, rescale.messages.schema(peer.attempt(), rescale.step, 0, schema));
        }
        byte[] state = rescale.transfer.extract(unit, inputs.subGroups());
        rescale.bytesInFlight += state.length;
        rescale.unconfirmed.put(unit, (long) state.length);
        send(peer, rescale.messages.unit(peer.attempt(), rescale.step, unit, state));
        return state.length;
    }

    @Override
    public void forward(int receiver, int unit, InputElement record) throws Exception {
        DataOutputSerializer out = new DataOutputSerializer(128);
        StreamInputElement element = (StreamInputElement) record;
        element.serialize(out);
        TaskCommand.Peer peer = rescale.peers.get(receiver);
        send(
                peer,
                rescale.messages.forward(
                        peer.attempt(),
                        rescale.step,
                        unit,
                        element.inputIndex(),
                        element.channel(),
                        out.getCopyOfBuffer()));
    }

    @Override
    public void sendPassed(int receiver, int channel) {
        TaskCommand.Peer peer = rescale.peers.get(receiver);
        send(peer, rescale.messages.passed(peer.attempt(), rescale.step, channel));
    }

    @Override
    public void sendAligned(int receiver) {
        TaskCommand.Peer peer = rescale.peers.get(receiver);
        send(peer, rescale.messages.aligned(peer.attempt(), rescale.step));
    }

    @Override
    public void sendRequest(int donor, int unit) {
        TaskCommand.Peer peer = rescale.peers.get(donor);
        send(peer, rescale.messages.request(peer.attempt(), rescale.step, unit));
    }

    @Override
    public void sendInstalled(int donor, int unit) {
        TaskCommand.Peer peer = rescale.peers.get(donor);
        send(peer, rescale.messages.installed(peer.attempt(), rescale.step, unit));
    }

    @Override
    public void sendBroadcastState(BitSet receivers) throws Exception {
        byte[] state = BroadcastTransfer.write(chain);
        for (int r = receivers.nextSetBit(0); r >= 0; r = receivers.nextSetBit(r + 1)) {
            TaskCommand.Peer peer = rescale.peers.get(r);
            send(peer, rescale.messages.broadcastState(peer.attempt(), rescale.step, state));
        }
    }

    private void send(TaskCommand.Peer peer, TransitionMessage message) {
        links.transition().send(peer.address(), message);
    }

    @Override
    public void stepCompleted(long step, StepStatistics statistics) {
        LOG.debug(
                "Subtask {} has completed step {}: {} units sent ({} on demand), {} records"
                        + " forwarded, {} parked",
                subtask,
                step,
                statistics.unitsSent,
                statistics.unitsOnDemand,
                statistics.recordsForwarded,
                statistics.recordsParked);
        reports.accept(
                new TaskReport.StepCompleted(rescale.id, step, inputs.watermark(), statistics));
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
        private final boolean receives;
        private final TransitionMessage.Builder messages;
        private final ArrayDeque<TransitionMessage> early = new ArrayDeque<>();
        private final ArrayDeque<TransitionMessage> arrived = new ArrayDeque<>();
        private final BitSet received = new BitSet();
        private final Map<Integer, Long> unconfirmed = new HashMap<>();
        private Map<Integer, TaskCommand.Peer> peers = new HashMap<>();
        private long step = -1;
        private long bytesInFlight;
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
            this.messages =
                    new TransitionMessage.Builder(
                            id.getMostSignificantBits(),
                            id.getLeastSignificantBits(),
                            links.attempt(),
                            subtask);
        }

        private boolean is(TransitionMessage message) {
            return message.rescaleHigh() == id.getMostSignificantBits()
                    && message.rescaleLow() == id.getLeastSignificantBits();
        }
    }
}
