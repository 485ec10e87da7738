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

package io.meces.runtime.simulation;

import io.meces.runtime.courier.Courier;
import io.meces.runtime.courier.CourierPort;
import io.meces.runtime.courier.Lane;
import io.meces.runtime.event.EventTime;
import io.meces.runtime.event.TaskCommand;
import io.meces.runtime.event.TaskReport;
import io.meces.runtime.migration.Handover;
import io.meces.runtime.migration.Handovers;
import io.meces.runtime.migration.HeldUnits;
import io.meces.runtime.migration.MigrationPort;
import io.meces.runtime.migration.StepMoves;
import io.meces.runtime.migration.StepStatistics;
import io.meces.runtime.migration.SubtaskMigration;
import io.meces.runtime.transition.TransitionAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;

/**
 * An elastic subtask: the protocol and the courier as they are in production, driven as {@code
 * ElasticAgent}, {@code PeerExchange} and {@code Departure} do it, with keyed state and timers in
 * maps.
 */
final class SimulatedElastic extends SimulatedTask
        implements MigrationPort<SimulatedElement>, CourierPort<SimulatedMessage> {

    private static final TransitionAddress SOMEWHERE = new TransitionAddress("simulation", 1);
    private static final long REPEAT_NANOS = 50_000_000;

    private final Ledger ledger;
    private final List<ArrayDeque<SimulatedElement>> channels = new ArrayList<>();
    private final List<ArrayDeque<SimulatedElement>> outputs = new ArrayList<>();
    private final List<SimulatedInput> inputs = new ArrayList<>();
    private final Alignment alignment;
    private final BitSet open = new BitSet();
    private final BitSet ended = new BitSet();
    private final TreeMap<Integer, SimulatedUnit> units = new TreeMap<>();
    private final TransactionalSink sink;
    private final BufferingSink outside;
    private final boolean isNew;

    private SubtaskMigration<SimulatedElement> migration;

    /** Per broadcast upstream: how many of its records are in the broadcast state. */
    private int[] broadcastState;

    /** Operator list state that is split: how many records were processed here. */
    private long listState;

    private final Handovers handovers =
            new Handovers(
                    new Handovers.Port() {
                        @Override
                        public int handedOver(Handover handover) {
                            tellHandedOver(handover);
                            return 1;
                        }

                        @Override
                        public int takenOver(int donor, Handover handover) {
                            tellTakenOver(donor, handover);
                            return 1;
                        }
                    });

    private boolean broadcastStateMissing;
    private boolean holdsEnd;
    private long emittedWatermark = Long.MIN_VALUE;

    // ---- the rescale; null if there is none ----

    private UUID rescale;
    private long step = -1;
    private boolean receives;
    private int watermarkClosings;
    private Long rising;
    private final Map<Integer, TaskCommand.Peer> peers = new HashMap<>();
    private final ArrayDeque<Transport.Parcel> early = new ArrayDeque<>();
    private final ArrayDeque<SimulatedMessage> arrived = new ArrayDeque<>();
    private Courier<SimulatedMessage> courier;
    private boolean repeatScheduled;
    private final HeldUnits<Held> held = new HeldUnits<>();
    private boolean draining;

    /** How many results are still to be written for the drain that runs. */
    private int undrained;

    // ---- leaving ----

    private UUID endWhenAtRest;
    private UUID departure;
    private boolean inputEnded;
    private boolean retired;

    /** Whether it has had a part in any step. */
    private boolean takesPart;

    private boolean starved;

    // ---- what only broken variants need ----

    private final List<SimulatedMessage> heldForwards = new ArrayList<>();
    private final List<Integer> heldReceivers = new ArrayList<>();
    private final Set<Integer> donorsTakenAsPassed = new HashSet<>();
    private final BitSet markersRead = new BitSet();
    private final BitSet markersFaked = new BitSet();
    private final long[] highestSeen = new long[64 * Lane.COUNT];
    private boolean gives;
    private boolean takes;
    private SimulatedElement untold;

    /**
     * @param isNew whether it begins while the job runs
     */
    SimulatedElastic(int index, Execution job, boolean isNew) {
        super("subtask", index, job);
        int upstreams = world.oracle().upstreams();
        this.isNew = isNew;
        this.ledger = job.ledger;
        this.broadcastState = new int[upstreams];
        this.broadcastStateMissing = isNew && !job.broadcastChannels.isEmpty();
        this.sink = new TransactionalSink(world.chained(), variant);
        boolean buffers = world.scenario().settings().buffersResults;
        this.outside = new BufferingSink(ledger, name, !buffers);
        this.alignment = new Alignment(upstreams);
        job.channelsOfInputs.forEach(c -> inputs.add(new SimulatedInput(c)));
        for (int c = 0; c < upstreams; c++) {
            channels.add(new ArrayDeque<>());
            open.set(c);
            int channel = c;
            act(() -> canRead(channel), () -> read(channel));
        }
        for (int s = 0; s < world.scenario().settings().sinks; s++) {
            outputs.add(new ArrayDeque<>());
        }
        act(() -> hasBacklog() && !isBlocked(), this::processBacklog).crawls =
                world.scenario().settings().slowOperators;
        act(() -> canPush() && !isBlocked(), this::push);
        act(() -> outside.size() > 0, outside::flush).crawls = true;
        act(() -> draining, this::endDrain);
        act(this::canFinish, this::finishAll);
        world.transport().register(this);
        if (!isNew) {
            job.downstream.connect(index);
        }
    }

    /** What it has after a restart. */
    void restore(int[] broadcasts, long list) {
        broadcastState = broadcasts.clone();
        listState = list;
    }

    @Override
    void start() {
        super.start();
        if (isNew) {
            emitEvent(SimulatedElement.up(index));
            job.downstream.connect(index);
        }
    }

    @Override
    void kill() {
        super.kill();
        world.transport().unregister(this);
        draining = false;
    }

    void give(int unit, SimulatedUnit state) {
        ledger.onInstalled(index, unit, state, emittedWatermark);
        units.put(unit, state);
    }

    int[] broadcastState() {
        return broadcastState;
    }

    Map<Integer, SimulatedUnit> units() {
        return units;
    }

    ArrayDeque<SimulatedElement> channel(int channel) {
        return channels.get(channel);
    }

    ArrayDeque<SimulatedElement> output(int consumer) {
        return outputs.get(consumer);
    }

    List<Transaction> uncommitted() {
        return sink.uncommitted();
    }

    boolean isStepRunning() {
        return migration != null && migration.isStepRunning();
    }

    boolean hasLeft() {
        return inputEnded;
    }

    /** The operator's watermark: the lowest of its inputs. */
    long watermark() {
        long lowest = Long.MAX_VALUE;
        for (SimulatedInput input : inputs) {
            lowest = Math.min(lowest, input.emitted());
        }
        return lowest;
    }

    private long foreseenWatermark() {
        if (migration != null && migration.hasBacklog()) {
            return watermark();
        }
        long lowest = Long.MAX_VALUE;
        for (SimulatedInput input : inputs) {
            lowest = Math.min(lowest, input.come());
        }
        return lowest;
    }

    @Override
    boolean isBlocked() {
        int capacity = world.scenario().settings().channelCapacity;
        for (ArrayDeque<SimulatedElement> output : outputs) {
            if (output.size() >= capacity) {
                return true;
            }
        }
        return false;
    }

    // ------------------------------------------------------------------------
    //  Commands
    // ------------------------------------------------------------------------

    @Override
    void onCommand(TaskCommand command) throws Exception {
        if (command instanceof TaskCommand.Begin) {
            begin((TaskCommand.Begin) command);
        } else if (command instanceof TaskCommand.StartStep) {
            startStep((TaskCommand.StartStep) command);
        } else if (command instanceof TaskCommand.Level) {
            level((TaskCommand.Level) command);
        } else if (command instanceof TaskCommand.End) {
            end((TaskCommand.End) command);
        } else if (command instanceof TaskCommand.EndInput) {
            endWhenAtRest = command.rescale();
            afterProgress();
        } else if (command instanceof TaskCommand.Retire) {
            retire((TaskCommand.Retire) command);
        } else {
            throw new IllegalArgumentException("unknown command " + command);
        }
    }

    private void begin(TaskCommand.Begin command) throws Exception {
        if (rescale != null && variant != Variant.LOST_END_HINDERS_NEXT_BEGINNING) {
            end(new TaskCommand.End(rescale));
        }
        Ledger.check(rescale == null, "%s: a rescale begins while another one runs", name);
        Scenario.Settings settings = world.scenario().settings();
        SubtaskMigration<SimulatedElement> next =
                new SubtaskMigration<>(
                        index,
                        settings.keyGroups,
                        settings.subGroups,
                        settings.capacity,
                        open,
                        job.broadcastChannels,
                        broadcastStateMissing,
                        settings.order,
                        settings.maxBacklog,
                        watermark(),
                        SimulatedElement::unit,
                        SimulatedElement::channel,
                        this);
        if (migration != null && variant != Variant.BACKLOG_NOT_ADOPTED) {
            next.adopt(migration);
        }
        if (command.singleUpstream() && variant != Variant.MARKER_IS_NO_CUT_IN_EVENT_TIME) {
            next.readFromSingleUpstream();
        }
        if (command.receives() && !command.singleUpstream()) {
            watermarkClosings++;
            if (variant != Variant.WATERMARK_NOT_CAPPED) {
                inputs.forEach(SimulatedInput::close);
            }
        }
        holdsEnd = true;
        migration = next;
        rescale = command.rescale();
        rising = null;
        receives = command.receives();
        step = -1;
        early.clear();
        arrived.clear();
        peers.clear();
        courier = new Courier<>(this, m -> m.kind == SimulatedMessage.Kind.UNIT ? 1 : 0);
        java.util.Arrays.fill(highestSeen, 0);
        report(new TaskReport.Begun(rescale, SOMEWHERE, eventTime(watermark())));
    }

    private void startStep(TaskCommand.StartStep command) throws Exception {
        takesPart = true;
        Ledger.check(
                command.rescale().equals(rescale), "%s: a step of another rescale starts", name);
        StepMoves moves = command.moves();
        step = moves.step();
        peers.putAll(command.peers());
        letReceiverRise(command.watermarkOfReceivers());
        rising = command.watermarkOfReceivers();
        report(new TaskReport.StepStarted(rescale, step));
        donorsTakenAsPassed.clear();
        migration.startStep(
                moves,
                variant == Variant.WATERMARK_OF_RECEIVERS_IGNORED
                        ? Long.MIN_VALUE
                        : command.watermarkOfReceivers());
        breakStep(moves);
        List<Transport.Parcel> kept = new ArrayList<>(early);
        early.clear();
        for (Transport.Parcel parcel : kept) {
            receive(parcel);
        }
        afterProgress();
    }

    private void letReceiverRise(long watermark) throws Exception {
        if (receives) {
            long cap = variant == Variant.RECEIVERS_NOT_LEVELLED ? Long.MIN_VALUE : watermark;
            UUID current = rescale;
            migration.onOther(SimulatedElement.release(cap, () -> current.equals(rescale)));
        }
    }

    private void level(TaskCommand.Level command) throws Exception {
        if (!command.rescale().equals(rescale)) {
            return;
        }
        long before = watermark();
        letReceiverRise(command.watermark());
        if (watermark() > before) {
            world.onLevelled();
        }
        rising = command.asks() ? command.watermark() : null;
        afterProgress();
    }

    private EventTime eventTime(long watermark) {
        long next = Long.MAX_VALUE;
        for (SimulatedUnit unit : units.values()) {
            if (!unit.timers.isEmpty()) {
                next = Math.min(next, unit.timers.first().time);
            }
        }
        return new EventTime(watermark, next);
    }

    private void reportIfRisen() {
        if (rescale != null && rising != null && foreseenWatermark() > rising) {
            rising = null;
            report(new TaskReport.WatermarkRisen(rescale, eventTime(foreseenWatermark())));
        }
    }

    private void breakStep(StepMoves moves) throws Exception {
        markersRead.clear();
        markersFaked.clear();
        gives = false;
        takes = false;
        for (int i = 0; i < moves.size(); i++) {
            gives |= moves.from(i) == index;
            takes |= moves.to(i) == index;
        }
        if (variant == Variant.UNIT_LEAVES_BEFORE_CUT && gives
                || variant == Variant.UNIT_INSTALLED_BEFORE_CUT && takes
                || variant == Variant.HANDOVER_BEFORE_CUT && moves.giver() == index) {
            fakeMarkers(job.broadcastChannels);
        }
        if (variant == Variant.HANDED_OVER_TOO_EARLY && gives) {
            emitEvent(SimulatedElement.handedOver(index, new Handover(step, Integer.MAX_VALUE)));
        }
        if (variant == Variant.GRANT_BEFORE_MARKER && gives) {
            fakeMarkers(open);
        }
        if (variant == Variant.RECEIVER_DOES_NOT_WAIT) {
            for (int i = 0; i < moves.size(); i++) {
                if (moves.to(i) == index && donorsTakenAsPassed.add(moves.from(i))) {
                    migration.onAligned(moves.from(i));
                }
            }
        }
    }

    private void fakeMarkers(BitSet of) throws Exception {
        for (int c : of.stream().toArray()) {
            if (open.get(c) && isStepRunning()) {
                markersFaked.set(c);
                migration.onMarker(step, c);
            }
        }
    }

    private void end(TaskCommand.End command) throws Exception {
        if (!command.rescale().equals(rescale)) {
            return;
        }
        SubtaskMigration<SimulatedElement> ending = migration;
        rescale = null;
        courier.close();
        ending.end();
        int closings = watermarkClosings;
        ending.onOther(
                SimulatedElement.release(
                        Long.MAX_VALUE,
                        () ->
                                variant == Variant.OLD_RELEASE_LIFTS_NEW_CAP
                                        ? rescale == null || !receives
                                        : watermarkClosings == closings));
        holdsEnd = false;
        afterProgress();
    }

    private void retire(TaskCommand.Retire command) {
        Ledger.check(units.isEmpty(), "%s leaves with units", name);
        Ledger.check(
                migration == null || migration.isEnded() || !takesPart,
                "%s leaves in a rescale",
                name);
        emitEvent(SimulatedElement.down(index));
        retired = true;
        job.downstream.disconnect(index);
        report(new TaskReport.Retired(command.rescale()));
    }

    /** It asks for what an upstream has that had ended before it was connected with it. */
    void starve() {
        if (isAlive() && !retired) {
            starved = true;
            crash();
        }
    }

    boolean hasStarved() {
        return starved;
    }

    /** It is cancelled because it has left, or was never connected. */
    void leave() {
        if (!isDead() && !job.isFailing()) {
            Ledger.check(units.isEmpty(), "%s is cancelled with units", name);
            Ledger.check(sink.isEmpty(), "%s is cancelled with output uncommitted", name);
            Ledger.check(outside.size() == 0, "%s is cancelled with output in its sink", name);
            for (ArrayDeque<SimulatedElement> channel : channels) {
                for (SimulatedElement element : channel) {
                    Ledger.check(
                            element.kind != SimulatedElement.Kind.RECORD,
                            "%s has left, and %s was on its way there",
                            name,
                            element);
                }
            }
        }
        job.downstream.disconnect(index);
        kill();
    }

    private void afterProgress() throws Exception {
        while (rescale != null && migration.mayInstall() && !arrived.isEmpty()) {
            install(arrived.poll());
        }
        if (held.needsDrain() && !draining) {
            held.beginDrain();
            undrained = outside.size();
            draining = true;
        }
        for (Held unit = held.pollSendable(u -> true);
                unit != null;
                unit = held.pollSendable(u -> true)) {
            send(unit);
        }
        reportIfRisen();
        if (migration != null && migration.isOver()) {
            migration = null;
        }
        if (endWhenAtRest != null && migration == null) {
            inputEnded = true;
            departure = endWhenAtRest;
            endWhenAtRest = null;
            emitEvent(SimulatedElement.idle(index));
            report(new TaskReport.InputEnded(departure));
        }
    }

    // ------------------------------------------------------------------------
    //  Input
    // ------------------------------------------------------------------------

    private boolean canRead(int channel) {
        return !channels.get(channel).isEmpty()
                && !alignment.isBlocked(channel)
                && (migration == null
                        || !migration.hasBacklog()
                        || migration.readsAhead()
                        || variant == Variant.BARRIER_OVERTAKES_BACKLOG)
                && (migration == null || !migration.isFull())
                && !isBlocked();
    }

    private void read(int channel) throws Exception {
        SimulatedElement element = channels.get(channel).poll();
        world.trace("%s reads %s of channel %d", name, element, channel);
        switch (element.kind) {
            case MARKER:
                if (element.time == step) {
                    markersRead.set(channel);
                }
                if (migration != null && !(element.time == step && markersFaked.get(channel))) {
                    migration.onMarker(element.time, channel);
                }
                break;
            case BARRIER:
                if (alignment.onBarrier(element.time, channel, new BitSet())) {
                    takeCheckpoint(element.time);
                }
                break;
            case CANCEL:
                if (alignment.onCancel(element.time)) {
                    decline();
                }
                break;
            case BROADCAST:
                if (migration == null || doesNotWaitWith(channel)) {
                    process(element);
                } else {
                    migration.onBroadcast(element);
                }
                break;
            case END:
                open.clear(channel);
                ended.set(channel);
                if (alignment.onEnd()) {
                    decline();
                }
                if (migration != null && variant != Variant.END_IS_NO_MARKER) {
                    migration.onChannelEnded(channel);
                }
                break;
            case RECORD:
                if (migration != null
                        && !(variant == Variant.HELD_BACK_WATERMARK_IS_OVERTAKEN
                                && markersRead.get(channel)
                                && isStepRunning()
                                && units.containsKey(element.unit))) {
                    migration.onRecord(element);
                } else {
                    process(element);
                }
                break;
            default:
                if (migration != null) {
                    migration.onOther(element);
                } else {
                    process(element);
                }
        }
        afterProgress();
    }

    private boolean doesNotWaitWith(int channel) {
        boolean passed = markersRead.get(channel) && isStepRunning();
        switch (variant) {
            case BROADCAST_NOT_HELD_BACK_AT_DONOR:
                return gives && passed;
            case BROADCAST_NOT_HELD_BACK_AT_RECEIVER:
                return takes && passed;
            case NEW_SUBTASK_IGNORES_NOTHING:
                return broadcastStateMissing && !passed;
            case NEW_SUBTASK_DOES_NOT_WAIT:
                return broadcastStateMissing && passed;
            default:
                return false;
        }
    }

    private boolean hasBacklog() {
        return migration != null && migration.hasBacklog();
    }

    private void processBacklog() throws Exception {
        migration.processBacklog();
        afterProgress();
    }

    private boolean canPush() {
        return rescale != null && migration.canPush() && nextPushReceiver() >= 0;
    }

    private int nextPushReceiver() {
        return migration.nextPushReceiver(
                receiver ->
                        courier.bytesInFlight(receiver, Lane.BULK)
                                < world.scenario().settings().pushWindow);
    }

    private void push() throws Exception {
        migration.push(nextPushReceiver());
        afterProgress();
    }

    /** In a thread of its own: the sink writes what it had when the drain began. */
    private void endDrain() {
        draining = false;
        world.trace("%s has drained its sink", name);
        outside.write(Math.min(undrained, outside.size()));
        post(
                () -> {
                    held.endDrain();
                    if (variant == Variant.DRAIN_COUNTS_FOR_LATER_UNITS && held.needsDrain()) {
                        held.beginDrain();
                        held.endDrain();
                    }
                    afterProgress();
                });
    }

    private boolean canFinish() {
        return !holdsEnd && ended.cardinality() == channels.size() && !hasBacklog();
    }

    private void finishAll() {
        for (ArrayDeque<SimulatedElement> channel : channels) {
            Ledger.check(channel.isEmpty(), "%s ends with input", name);
        }
        for (SimulatedUnit unit : units.values()) {
            Ledger.check(unit.timers.isEmpty(), "%s ends with timers", name);
        }
        outside.flush();
        emitEvent(SimulatedElement.end(index));
        job.downstream.finish(index);
        finish();
    }

    // ------------------------------------------------------------------------
    //  Checkpoints
    // ------------------------------------------------------------------------

    private void decline() {
        long id = alignment.current();
        emitEvent(SimulatedElement.cancel(index, id));
        tell(() -> master.coordinator().decline(id));
    }

    private void takeCheckpoint(long id) {
        if (isAborted(id)) {
            emitEvent(SimulatedElement.cancel(index, id));
            return;
        }
        world.trace("%s takes part in checkpoint %d", name, id);
        outside.flush();
        Snapshot part = new Snapshot(id, 0);
        units.forEach(
                (unit, state) -> {
                    SimulatedUnit copy = state.copy();
                    if (variant == Variant.TIMERS_NOT_IN_CHECKPOINT) {
                        copy.timers.clear();
                    }
                    part.units.computeIfAbsent(unit, u -> new ArrayList<>()).add(copy);
                });
        if (!inputEnded) {
            part.broadcastStates.put(index, broadcastState.clone());
        }
        part.listStates.put(index, listState);
        sink.snapshot(id, part);
        emitEvent(SimulatedElement.barrier(index, id));
        tell(() -> master.coordinator().acknowledge(id, this, snapshot -> snapshot.add(part)));
    }

    @Override
    void onCheckpointComplete(long checkpoint) {
        sink.onComplete(checkpoint);
        if (departure != null) {
            report(new TaskReport.CheckpointConfirmed(departure, checkpoint));
        }
    }

    // ------------------------------------------------------------------------
    //  Messages
    // ------------------------------------------------------------------------

    /** Something has come from the transport. */
    void receive(Transport.Parcel parcel) throws Exception {
        boolean fences = variant != Variant.NO_FENCING;
        if (rescale == null || fences && !parcel.rescale.equals(rescale)) {
            return;
        }
        if (parcel.message != null && parcel.message.step > step) {
            if (variant != Variant.EARLY_MESSAGES_DROPPED) {
                early.add(parcel);
            } else {
                // as if it had been handled
                courier.onParcel(parcel.from, parcel.lane, parcel.sequence, parcel.message);
            }
            return;
        }
        TaskCommand.Peer sender = peers.get(parcel.from);
        if (sender == null || fences && !sender.attempt().equals(parcel.sender)) {
            return;
        }
        if (parcel.message == null) {
            acknowledged(parcel);
        } else if (variant == Variant.LINK_NOT_IN_ORDER && world.random().nextInt(4) == 0) {
            handle(parcel.message);
        } else {
            int lane = parcel.from * Lane.COUNT + parcel.lane.ordinal();
            highestSeen[lane] = Math.max(highestSeen[lane], parcel.sequence + 1);
            courier.onParcel(parcel.from, parcel.lane, parcel.sequence, parcel.message);
        }
        courier.acknowledge();
        afterProgress();
    }

    private void acknowledged(Transport.Parcel parcel) {
        try {
            courier.onAcknowledgement(parcel.from, parcel.acknowledged, world.now());
        } catch (IllegalArgumentException e) {
            // of somebody else, whom nobody has fenced
            Ledger.check(variant != Variant.SOUND, "%s: %s", name, e);
        }
    }

    private void handle(SimulatedMessage message) throws Exception {
        world.trace("%s handles %s", name, message);
        if (message.step != step && variant != Variant.NO_FENCING) {
            return;
        }
        switch (message.kind) {
            case UNIT:
                Ledger.check(
                        migration.awaits(message.from, message.unit),
                        "%s does not await %s",
                        name,
                        message);
                arrived.add(message);
                break;
            case BROADCAST_STATE:
                broadcastState = message.broadcastState.clone();
                broadcastStateMissing = false;
                migration.onBroadcastState(message.from);
                break;
            case FORWARD:
                if (message.lane == Lane.URGENT) {
                    migration.onForwardedAhead(message.from, message.unit, message.record);
                } else {
                    migration.onForwarded(message.from, message.unit, message.record);
                }
                break;
            case PASSED:
                if (variant == Variant.PASSED_COUNTS_FOR_ALL_CHANNELS
                        && donorsTakenAsPassed.add(message.from)) {
                    migration.onAligned(message.from);
                } else if (!donorsTakenAsPassed.contains(message.from)) {
                    migration.onPassed(message.from, message.channel);
                }
                break;
            case ALIGNED:
                if (donorsTakenAsPassed.add(message.from)) {
                    migration.onAligned(message.from);
                }
                break;
            case REQUEST:
                onRequest(message.from, message.unit);
                break;
            default:
                migration.onInstalled(message.from, message.unit);
        }
        afterProgress();
    }

    private void onRequest(int receiver, int unit) throws Exception {
        Held waiting = held.find(u -> u.unit == unit);
        if (waiting == null) {
            migration.onRequest(receiver, unit);
        } else {
            waiting.onDemand = true;
        }
    }

    private void install(SimulatedMessage message) throws Exception {
        handovers.takeOver(message.from, message.handover);
        give(message.unit, message.state.copy());
        migration.onUnitInstalled(message.from, message.unit);
    }

    private void send(int peer, SimulatedMessage message) {
        courier.send(peer, message.lane, message, world.now());
        repeatLater();
    }

    private void repeatLater() {
        if (repeatScheduled || !courier.isWaiting()) {
            return;
        }
        repeatScheduled = true;
        world.at(
                world.now() + REPEAT_NANOS,
                () -> {
                    repeatScheduled = false;
                    post(
                            () -> {
                                if (rescale != null) {
                                    courier.repeat(world.now());
                                    repeatLater();
                                }
                            });
                });
    }

    // ------------------------------------------------------------------------
    //  CourierPort
    // ------------------------------------------------------------------------

    @Override
    public void transmit(int peer, Lane lane, long sequence, SimulatedMessage message) {
        world.transport()
                .send(
                        new Transport.Parcel(
                                rescale,
                                attempt,
                                peers.get(peer).attempt(),
                                index,
                                peer,
                                message,
                                lane,
                                sequence,
                                null));
        if (variant == Variant.SENT_COUNTS_AS_INSTALLED
                && message.kind == SimulatedMessage.Kind.UNIT) {
            UUID current = rescale;
            long[] next = new long[Lane.COUNT];
            next[lane.ordinal()] = sequence + 1;
            world.at(
                    world.now() + Courier.FIRST_PATIENCE_NANOS / 2,
                    () ->
                            post(
                                    () -> {
                                        if (current.equals(rescale)) {
                                            courier.onAcknowledgement(peer, next, world.now());
                                        }
                                    }));
        }
    }

    @Override
    public void acknowledge(int peer, long[] next) {
        if (peers.get(peer) == null) {
            return;
        }
        long[] said = next.clone();
        if (variant == Variant.ACKNOWLEDGED_BEFORE_HANDLED) {
            System.arraycopy(highestSeen, peer * Lane.COUNT, said, 0, said.length);
        }
        world.transport()
                .send(
                        new Transport.Parcel(
                                rescale,
                                attempt,
                                peers.get(peer).attempt(),
                                index,
                                peer,
                                null,
                                null,
                                -1,
                                said));
    }

    @Override
    public void deliver(int peer, SimulatedMessage message) throws Exception {
        if (message.step <= step) {
            handle(message);
        }
    }

    @Override
    public void release(int peer, Lane lane, long sequence, SimulatedMessage message) {
        // it is kept by nobody else
    }

    // ------------------------------------------------------------------------
    //  MigrationPort
    // ------------------------------------------------------------------------

    @Override
    public long nanoTime() {
        return world.now();
    }

    @Override
    public void process(SimulatedElement element) throws Exception {
        switch (element.kind) {
            case RECORD:
                processRecord(element);
                break;
            case BROADCAST:
                processBroadcast(element);
                break;
            case RELEASE:
                if (element.valid.getAsBoolean()) {
                    for (SimulatedInput input : inputs) {
                        if (input.raise(element.time)) {
                            onInputWatermark();
                        }
                    }
                }
                break;
            default:
                for (SimulatedInput input : inputs) {
                    if (input.has(element.channel)
                            && input.onWatermark(element.channel, element.time)) {
                        onInputWatermark();
                    }
                }
        }
    }

    private void processRecord(SimulatedElement record) {
        world.trace("%s processes %s of channel %d", name, record, record.channel);
        Ledger.check(!inputEnded, "%s has left and gets %s", name, record);
        ledger.onProcessed(index, record, emittedWatermark);
        SimulatedUnit unit = units.get(record.unit);
        long fold = unit.fold(record, channels.size());
        listState++;
        SimulatedUnit.Timer timer = SimulatedUnit.Timer.of(record);
        if (timer != null) {
            unit.timers.add(timer);
        }
        emit(record.key, 2 * record.index, record.time, fold);
        if (untold != null) {
            tellTakenOver();
        }
    }

    private void processBroadcast(SimulatedElement record) {
        if (inputEnded) {
            return;
        }
        world.trace("%s processes %s of channel %d", name, record, record.channel);
        ledger.onBroadcast(index, record, emittedWatermark, units, broadcastState);
        broadcastState[record.channel]++;
        units.values().forEach(unit -> unit.broadcasts.merge(record.channel, 1, Integer::sum));
    }

    private void onInputWatermark() throws Exception {
        long watermark = watermark();
        Ledger.check(watermark >= emittedWatermark, "the watermark of %s has fallen", name);
        if (watermark > emittedWatermark && !inputEnded) {
            emittedWatermark = watermark;
            fireTimers(watermark);
            world.trace("%s is at watermark %d", name, watermark);
            job.downstream.onWatermark(index, watermark);
            emitEvent(SimulatedElement.watermark(index, watermark));
        }
        if (migration != null) {
            migration.onWatermark(watermark);
        }
    }

    private void fireTimers(long watermark) {
        ArrayDeque<SimulatedUnit.Timer> due = new ArrayDeque<>();
        for (SimulatedUnit unit : units.values()) {
            while (!unit.timers.isEmpty() && unit.timers.first().time <= watermark) {
                due.add(unit.timers.pollFirst());
            }
        }
        due.stream().sorted().forEach(this::fire);
    }

    private void fire(SimulatedUnit.Timer timer) {
        world.trace("%s fires %s", name, timer);
        world.onTimer();
        ledger.onTimer(index, timer);
        SimulatedElement record = timer.record;
        emit(record.key, 2 * record.index + 1, timer.time, timer.time);
    }

    private void emit(int key, int number, long time, long value) {
        SimulatedElement output =
                SimulatedElement.output(index, key, ledger.onResult(key), number, time, value);
        job.downstream.emit(index, output.time, output);
        sink.add(output);
        outside.add(output);
        outputs.get(output.key % outputs.size()).add(output);
    }

    private void tellHandedOver(Handover handover) {
        if (variant != Variant.HANDED_OVER_LEFT_OUT) {
            emitEvent(SimulatedElement.handedOver(index, handover));
        }
    }

    private void tellTakenOver(int donor, Handover handover) {
        switch (variant) {
            case TAKEN_OVER_LEFT_OUT:
                break;
            case TAKEN_OVER_TOO_LATE:
                untold = SimulatedElement.takenOver(index, donor, handover);
                break;
            case TAKEN_OVER_WITH_ANOTHER_NUMBER:
                emitEvent(
                        SimulatedElement.takenOver(
                                index,
                                donor,
                                new Handover(handover.step(), handover.number() - 1)));
                break;
            default:
                emitEvent(SimulatedElement.takenOver(index, donor, handover));
        }
    }

    private void tellTakenOver() {
        emitEvent(untold);
        untold = null;
    }

    private void emitEvent(SimulatedElement event) {
        if (!retired) {
            outputs.forEach(o -> o.add(event));
        }
    }

    @Override
    public long sendUnit(int receiver, int unit, boolean onDemand) throws Exception {
        ledger.onExtracted(index, unit);
        SimulatedUnit state = units.remove(unit);
        if (variant == Variant.TIMERS_COPIED || variant == Variant.TIMERS_LEFT_BEHIND) {
            SimulatedUnit ghost = new SimulatedUnit();
            ghost.timers.addAll(state.timers);
            units.put(unit, ghost);
        }
        if (variant == Variant.TIMERS_LEFT_BEHIND) {
            state.timers.clear();
        }
        Held extracted = new Held(receiver, unit, state, onDemand);
        if (outside.size() == 0 || variant == Variant.UNIT_SENT_BEFORE_DRAIN) {
            send(extracted);
        } else {
            held.hold(extracted);
        }
        return 1 + state.folds.size();
    }

    private void send(Held extracted) throws Exception {
        int receiver = extracted.receiver;
        int unit = extracted.unit;
        SimulatedMessage message =
                SimulatedMessage.unit(
                        index,
                        unit,
                        extracted.state,
                        extracted.onDemand ? Lane.URGENT : Lane.BULK,
                        handovers.handOver(step));
        if (variant != Variant.UNIT_DROPPED) {
            send(receiver, message);
        }
        if (variant == Variant.UNIT_DELIVERED_TWICE) {
            send(receiver, message);
        }
        if (variant == Variant.QUEUED_RECORDS_FOLLOW_THEIR_UNIT) {
            heldForwards.stream()
                    .filter(forward -> forward.unit == unit)
                    .forEach(forward -> send(receiver, forward));
            heldForwards.removeIf(forward -> forward.unit == unit);
        }
    }

    @Override
    public void forward(int receiver, int unit, SimulatedElement record) throws Exception {
        SimulatedMessage message = SimulatedMessage.forward(step, index, record);
        switch (variant) {
            case LATE_RECORDS_ARE_PROCESSED:
                process(record);
                break;
            case LATE_RECORDS_ARE_DROPPED:
                break;
            case PASSED_BEFORE_FORWARDED:
                heldForwards.add(message);
                heldReceivers.add(receiver);
                break;
            default:
                send(receiver, message);
        }
    }

    @Override
    public void forwardAhead(int receiver, int unit, SimulatedElement record) {
        switch (variant) {
            case QUEUED_RECORDS_FOLLOW_THEIR_UNIT:
                heldForwards.add(SimulatedMessage.forward(step, index, record));
                break;
            case QUEUED_RECORDS_IN_ANOTHER_LANE:
                send(receiver, SimulatedMessage.forward(step, index, record));
                break;
            default:
                send(receiver, SimulatedMessage.forwardAhead(step, index, record));
        }
    }

    @Override
    public void sendPassed(int receiver, int channel) {
        send(receiver, SimulatedMessage.passed(step, index, channel));
        sendHeld(receiver, channel);
    }

    @Override
    public void sendAligned(int receiver) {
        send(receiver, SimulatedMessage.aligned(step, index));
        sendHeld(receiver, -1);
    }

    private void sendHeld(int receiver, int channel) {
        if (variant != Variant.PASSED_BEFORE_FORWARDED) {
            return;
        }
        for (int i = 0; i < heldForwards.size(); i++) {
            if (heldReceivers.get(i) == receiver
                    && (channel < 0 || heldForwards.get(i).channel == channel)) {
                send(receiver, heldForwards.remove(i));
                heldReceivers.remove(i--);
            }
        }
    }

    @Override
    public void sendRequest(int donor, int unit) throws Exception {
        SimulatedMessage message = SimulatedMessage.request(step, index, unit);
        if (variant != Variant.REQUESTS_DROPPED) {
            send(donor, message);
        }
        if (variant == Variant.REQUESTS_DELIVERED_TWICE) {
            send(donor, message);
        }
    }

    @Override
    public void sendInstalled(int donor, int unit) {
        if (variant != Variant.CONFIRMATION_DROPPED) {
            send(donor, SimulatedMessage.installed(step, index, unit));
        }
    }

    @Override
    public void sendBroadcastState(BitSet receivers) {
        receivers.stream()
                .forEach(
                        r -> send(r, SimulatedMessage.broadcastState(step, index, broadcastState)));
    }

    @Override
    public void stepCompleted(long completedStep, StepStatistics statistics) {
        world.onStepCompleted(statistics);
        world.trace("%s has completed step %d", name, completedStep);
        report(
                new TaskReport.StepCompleted(
                        rescale,
                        completedStep,
                        eventTime(foreseenWatermark()),
                        statistics,
                        handovers.takeEvents(),
                        0));
    }

    /** A unit that has been taken out of the state and is not sent yet. */
    private static final class Held {
        private final int receiver;
        private final int unit;
        private final SimulatedUnit state;
        private boolean onDemand;

        private Held(int receiver, int unit, SimulatedUnit state, boolean onDemand) {
            this.receiver = receiver;
            this.unit = unit;
            this.state = state;
            this.onDemand = onDemand;
        }
    }
}
