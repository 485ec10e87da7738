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

package io.meces.runtime.migration;

import io.meces.runtime.courier.Lane;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * An elastic subtask: the protocol as it is in production, driven as it is there, with keyed state
 * and timers in maps.
 */
final class SimulatedSubtask implements MigrationPort<SimulatedElement> {

    final int index;
    private final Simulation world;
    private final Ledger ledger;
    private final Variant variant;
    private final List<ArrayDeque<SimulatedElement>> channels = new ArrayList<>();
    private final List<SimulatedInput> inputs = new ArrayList<>();
    private final BitSet open = new BitSet();
    private final BitSet ended = new BitSet();
    private final Map<Integer, SimulatedUnit> units = new TreeMap<>();

    private SubtaskMigration<SimulatedElement> migration;

    /** Per broadcast upstream: how many of its records are in the broadcast state. */
    private int[] broadcastState;

    private boolean broadcastStateMissing;
    private boolean holdsEnd;
    private boolean finished;
    private long emittedWatermark = Long.MIN_VALUE;

    // ---- the rescale; rescale < 0 if there is none ----

    private int rescale = -1;
    private long step = -1;
    private boolean receives;
    private int watermarkClosings;
    private Set<Integer> peers = new HashSet<>();
    private final ArrayDeque<SimulatedMessage> early = new ArrayDeque<>();

    /** Per receiver. */
    private final Map<Integer, Integer> unitsInFlight = new HashMap<>();

    private final ArrayDeque<SimulatedMessage> arrived = new ArrayDeque<>();

    // ---- what only broken variants need ----

    private final List<SimulatedMessage> heldForwards = new ArrayList<>();
    private final List<Integer> heldReceivers = new ArrayList<>();
    private final Set<Integer> donorsTakenAsPassed = new HashSet<>();
    private final BitSet markersRead = new BitSet();
    private final BitSet markersFaked = new BitSet();
    private boolean gives;
    private boolean takes;

    SimulatedSubtask(
            int index, Simulation world, List<BitSet> channelsOfInputs, boolean whileTheJobRuns) {
        this.broadcastState = new int[world.upstreams()];
        this.broadcastStateMissing = whileTheJobRuns && !world.broadcastChannels().isEmpty();
        this.index = index;
        this.world = world;
        this.ledger = world.ledger();
        this.variant = world.variant();
        channelsOfInputs.forEach(c -> inputs.add(new SimulatedInput(c)));
        for (int c = 0; c < world.upstreams(); c++) {
            channels.add(new ArrayDeque<>());
            open.set(c);
        }
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

    boolean isFinished() {
        return finished;
    }

    boolean isStepRunning() {
        return migration != null && migration.isStepRunning();
    }

    /** The operator's watermark: the lowest of its inputs. */
    long watermark() {
        return inputs.stream().mapToLong(SimulatedInput::emitted).min().getAsLong();
    }

    // ------------------------------------------------------------------------
    //  Commands
    // ------------------------------------------------------------------------

    void begin(int newRescale, boolean receiver) {
        Ledger.check(rescale < 0, "subtask %d: a rescale begins while another one runs", index);
        SubtaskMigration<SimulatedElement> next =
                new SubtaskMigration<>(
                        index,
                        world.keyGroups(),
                        world.subGroups(),
                        world.capacity(),
                        open,
                        world.broadcastChannels(),
                        broadcastStateMissing,
                        world.maxBacklog(),
                        watermark(),
                        SimulatedElement::unit,
                        SimulatedElement::channel,
                        this);
        if (migration != null && variant != Variant.BACKLOG_NOT_ADOPTED) {
            next.adopt(migration);
        }
        if (receiver) {
            watermarkClosings++;
        }
        if (receiver && variant != Variant.WATERMARK_NOT_CAPPED) {
            inputs.forEach(SimulatedInput::close);
        }
        holdsEnd = true;
        migration = next;
        rescale = newRescale;
        receives = receiver;
        step = -1;
        early.clear();
        peers.clear();
        unitsInFlight.clear();
    }

    /**
     * @param started is told when the step has begun here, before anything comes of that
     */
    void startStep(StepMoves moves, long watermarkCap, long watermarkOfReceivers, Runnable started)
            throws Exception {
        step = moves.step();
        peers = new HashSet<>();
        moves.participants().stream().forEach(peers::add);
        if (receives) {
            int current = rescale;
            migration.onOther(SimulatedElement.release(watermarkCap, () -> rescale == current));
        }
        started.run();
        donorsTakenAsPassed.clear();
        migration.startStep(
                moves,
                variant == Variant.WATERMARK_OF_RECEIVERS_IGNORED
                        ? Long.MIN_VALUE
                        : watermarkOfReceivers);
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
            fakeMarkersOfBroadcastChannels();
        }
        if (variant == Variant.RECEIVER_DOES_NOT_WAIT) {
            for (int i = 0; i < moves.size(); i++) {
                if (moves.to(i) == index && donorsTakenAsPassed.add(moves.from(i))) {
                    migration.onAligned(moves.from(i));
                }
            }
        }
        List<SimulatedMessage> kept = new ArrayList<>(early);
        early.clear();
        for (SimulatedMessage message : kept) {
            handle(message);
        }
        afterProgress();
    }

    private void fakeMarkersOfBroadcastChannels() throws Exception {
        for (int c : world.broadcastChannels().stream().toArray()) {
            if (open.get(c) && isStepRunning()) {
                markersFaked.set(c);
                migration.onMarker(step, c);
            }
        }
    }

    void end() throws Exception {
        SubtaskMigration<SimulatedElement> ending = migration;
        rescale = -1;
        ending.end();
        int closings = watermarkClosings;
        ending.onOther(
                SimulatedElement.release(
                        Long.MAX_VALUE,
                        () ->
                                variant == Variant.OLD_RELEASE_LIFTS_NEW_CAP
                                        ? rescale < 0 || !receives
                                        : watermarkClosings == closings));
        holdsEnd = false;
        afterProgress();
    }

    private void afterProgress() throws Exception {
        while (migration != null && migration.mayInstall() && !arrived.isEmpty()) {
            install(arrived.poll());
        }
        if (migration != null && migration.isOver()) {
            migration = null;
        }
    }

    /** Checks that nothing gets lost if this subtask goes now. */
    void leave() {
        Ledger.check(units.isEmpty(), "subtask %d leaves with units", index);
        Ledger.check(
                migration == null || migration.isEnded(), "subtask %d leaves in a rescale", index);
    }

    // ------------------------------------------------------------------------
    //  Input
    // ------------------------------------------------------------------------

    boolean canRead(int channel) {
        return !finished
                && !channels.get(channel).isEmpty()
                && (migration == null || !migration.hasBacklog() || migration.readsAhead());
    }

    void read(int channel) throws Exception {
        SimulatedElement element = channels.get(channel).poll();
        world.trace("subtask %d reads %s of channel %d", index, element, channel);
        switch (element.kind) {
            case MARKER:
                if (element.time == step) {
                    markersRead.set(channel);
                }
                if (migration != null && !(element.time == step && markersFaked.get(channel))) {
                    migration.onMarker(element.time, channel);
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
                if (migration != null && variant != Variant.END_IS_NO_MARKER) {
                    migration.onChannelEnded(channel);
                }
                break;
            case RECORD:
                if (migration != null) {
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

    boolean hasBacklog() {
        return !finished && migration != null && migration.hasBacklog();
    }

    void processBacklog() throws Exception {
        migration.processBacklog();
        afterProgress();
    }

    boolean canPush() {
        return rescale >= 0 && migration.canPush() && nextPushReceiver() >= 0;
    }

    private int nextPushReceiver() {
        return migration.nextPushReceiver(
                receiver -> unitsInFlight.getOrDefault(receiver, 0) < world.pushWindow());
    }

    void push() throws Exception {
        migration.push(nextPushReceiver());
        afterProgress();
    }

    boolean canFinish() {
        return !finished && !holdsEnd && !hasBacklog() && ended.cardinality() == channels.size();
    }

    void finish() {
        for (ArrayDeque<SimulatedElement> channel : channels) {
            Ledger.check(channel.isEmpty(), "subtask %d ends with input", index);
        }
        for (SimulatedUnit unit : units.values()) {
            Ledger.check(unit.timers.isEmpty(), "subtask %d ends with timers", index);
        }
        finished = true;
        world.downstream().finish(index);
    }

    // ------------------------------------------------------------------------
    //  Messages
    // ------------------------------------------------------------------------

    void handle(SimulatedMessage message) throws Exception {
        if (rescale != message.rescale) {
            return;
        }
        if (message.step > step) {
            if (variant != Variant.EARLY_MESSAGES_DROPPED) {
                early.add(message);
            }
            return;
        }
        if (message.step < step || !peers.contains(message.from)) {
            return;
        }
        switch (message.kind) {
            case UNIT:
                Ledger.check(
                        migration.awaits(message.from, message.unit),
                        "subtask %d does not await %s",
                        index,
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
                migration.onRequest(message.from, message.unit);
                break;
            default:
                unitsInFlight.merge(message.from, -1, Integer::sum);
                migration.onInstalled(message.from, message.unit);
        }
        afterProgress();
    }

    private void install(SimulatedMessage message) throws Exception {
        give(message.unit, message.state);
        migration.onUnitInstalled(message.from, message.unit);
    }

    // ------------------------------------------------------------------------
    //  MigrationPort
    // ------------------------------------------------------------------------

    @Override
    public void process(SimulatedElement element) throws Exception {
        if (element.kind == SimulatedElement.Kind.RECORD) {
            processRecord(element);
            return;
        }
        if (element.kind == SimulatedElement.Kind.BROADCAST) {
            processBroadcast(element);
            return;
        }
        if (element.kind == SimulatedElement.Kind.RELEASE) {
            if (element.valid.getAsBoolean()) {
                for (SimulatedInput input : inputs) {
                    raise(input, element.time);
                }
            }
            return;
        }
        for (SimulatedInput input : inputs) {
            if (input.has(element.channel) && input.onWatermark(element.channel, element.time)) {
                onInputWatermark();
            }
        }
    }

    private void processRecord(SimulatedElement record) {
        world.trace("subtask %d processes %s of channel %d", index, record, record.channel);
        ledger.onProcessed(index, record, emittedWatermark);
        SimulatedUnit unit = units.get(record.unit);
        unit.fold(record, channels.size());
        SimulatedUnit.Timer timer = SimulatedUnit.Timer.of(record);
        if (timer != null) {
            unit.timers.add(timer);
        }
        world.downstream().emit(index, record.time, record);
    }

    private void processBroadcast(SimulatedElement record) {
        world.trace("subtask %d processes %s of channel %d", index, record, record.channel);
        ledger.onBroadcast(index, record, emittedWatermark, units, broadcastState);
        broadcastState[record.channel]++;
        units.values().forEach(unit -> unit.broadcasts.merge(record.channel, 1, Integer::sum));
    }

    private void raise(SimulatedInput input, long cap) throws Exception {
        if (input.raise(cap)) {
            onInputWatermark();
        }
    }

    private void onInputWatermark() throws Exception {
        long watermark = watermark();
        Ledger.check(
                watermark >= emittedWatermark, "the watermark of subtask %d has fallen", index);
        if (watermark > emittedWatermark) {
            emittedWatermark = watermark;
            fireTimers(watermark);
            world.trace("subtask %d is at watermark %d", index, watermark);
            world.downstream().onWatermark(index, watermark);
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
        world.trace("subtask %d fires %s", index, timer);
        ledger.onTimer(index, timer);
        world.downstream().emit(index, timer.time, timer);
    }

    @Override
    public long sendUnit(int receiver, int unit, boolean onDemand) {
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
        unitsInFlight.merge(receiver, 1, Integer::sum);
        SimulatedMessage message =
                SimulatedMessage.unit(
                        rescale, step, index, unit, state, onDemand ? Lane.URGENT : Lane.BULK);
        if (variant != Variant.UNIT_DROPPED) {
            world.send(receiver, message);
        }
        if (variant == Variant.UNIT_DELIVERED_TWICE) {
            world.send(receiver, message);
        }
        if (variant == Variant.QUEUED_RECORDS_FOLLOW_THEIR_UNIT) {
            heldForwards.stream()
                    .filter(forward -> forward.unit == unit)
                    .forEach(forward -> world.send(receiver, forward));
            heldForwards.removeIf(forward -> forward.unit == unit);
        }
        return 1 + state.folds.size();
    }

    @Override
    public void forward(int receiver, int unit, SimulatedElement record) throws Exception {
        SimulatedMessage message = SimulatedMessage.forward(rescale, step, index, record);
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
                world.send(receiver, message);
        }
    }

    @Override
    public void forwardAhead(int receiver, int unit, SimulatedElement record) throws Exception {
        switch (variant) {
            case QUEUED_RECORDS_FOLLOW_THEIR_UNIT:
                heldForwards.add(SimulatedMessage.forward(rescale, step, index, record));
                break;
            case QUEUED_RECORDS_IN_ANOTHER_LANE:
                world.send(receiver, SimulatedMessage.forward(rescale, step, index, record));
                break;
            default:
                world.send(receiver, SimulatedMessage.forwardAhead(rescale, step, index, record));
        }
    }

    @Override
    public void sendPassed(int receiver, int channel) {
        world.send(receiver, SimulatedMessage.passed(rescale, step, index, channel));
        sendHeld(receiver, channel);
    }

    @Override
    public void sendAligned(int receiver) {
        world.send(receiver, SimulatedMessage.aligned(rescale, step, index));
        sendHeld(receiver, -1);
    }

    private void sendHeld(int receiver, int channel) {
        if (variant != Variant.PASSED_BEFORE_FORWARDED) {
            return;
        }
        for (int i = 0; i < heldForwards.size(); i++) {
            if (heldReceivers.get(i) == receiver
                    && (channel < 0 || heldForwards.get(i).channel == channel)) {
                world.send(receiver, heldForwards.remove(i));
                heldReceivers.remove(i--);
            }
        }
    }

    @Override
    public void sendRequest(int donor, int unit) {
        SimulatedMessage message = SimulatedMessage.request(rescale, step, index, unit);
        if (variant != Variant.REQUESTS_DROPPED) {
            world.send(donor, message);
        }
        if (variant == Variant.REQUESTS_DELIVERED_TWICE) {
            world.send(donor, message);
        }
    }

    @Override
    public void sendInstalled(int donor, int unit) {
        if (variant != Variant.CONFIRMATION_DROPPED) {
            world.send(donor, SimulatedMessage.installed(rescale, step, index, unit));
        }
    }

    @Override
    public void sendBroadcastState(BitSet receivers) {
        receivers.stream()
                .forEach(
                        r ->
                                world.send(
                                        r,
                                        SimulatedMessage.broadcastState(
                                                rescale, step, index, broadcastState)));
    }

    @Override
    public void stepCompleted(long completedStep, StepStatistics statistics) {
        world.onStepCompleted(index, completedStep, watermark(), statistics);
    }
}
