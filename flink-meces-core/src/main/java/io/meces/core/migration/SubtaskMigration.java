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

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntPredicate;
import javax.annotation.Nullable;

/**
 * One elastic subtask's part in a rescale: which record is processed, parked or forwarded, which
 * unit is given when. A unit is {@code keyGroup * subGroups + subGroup}.
 *
 * <p>It lives from the beginning of a rescale to its end, and through one step after another.
 * Within a step a subtask is <em>aligning</em> until the marker of the step has come on all its
 * channels, then <em>aligned</em>. Records are never held back for that:
 *
 * <ul>
 *   <li>As a <b>donor</b> it keeps processing records of a unit that it still holds. A unit that a
 *       receiver asks for leaves at once; a record of it that comes later, before the marker of its
 *       channel, is forwarded. What is left is pushed when it is aligned, the most recently used
 *       first. It tells the receivers of every channel whose marker has passed.
 *   <li>As a <b>receiver</b> it processes a record of a moved unit from a channel when the unit is
 *       installed and the donor has passed the marker of that channel; until then the record is
 *       parked and others go on. So the order per key and upstream subtask is kept.
 *   <li>While a donor aligns it <b>reads ahead</b>: records of units that stay, or may not leave
 *       yet, go to the backlog, in order, those of moved units are forwarded with their unit. Thus
 *       alignment does not wait for long input queues to be worked off.
 * </ul>
 *
 * <p>This is the {@link MigrationOrder#DEMAND} order. In the {@link MigrationOrder#SEQUENTIAL} one
 * nobody asks for units, and none leaves before the donor is aligned and has processed its backlog.
 *
 * <p>A unit travels exactly once per step. (The Meces paper, section 3.3, lets it travel back for
 * each record that reaches the donor late.)
 *
 * <p>Broadcast inputs: a record of one concerns all units, so each must be processed once for each
 * unit, at the donor or at the receiver. The markers on the broadcast channels are the <em>cut</em>
 * between the two. A unit leaves, and is installed, only where all records before the cut have been
 * processed; those behind it wait until all units have left, and all have been installed. The state
 * that such records leave behind is the same at all subtasks; a new one is given that of the cut of
 * a step in which nothing moves ({@link StepMoves#handover}), and until then ignores the records
 * before it. No order is promised between inputs, so their elements do not queue in the backlog.
 *
 * <p>Event time: a unit may only leave when this subtask's watermark has reached that of its
 * receivers, which stand still during the step; until then a donor processes as ever, in order, and
 * does not read ahead. A watermark that comes after the marker of its channel waits until all units
 * have left: records that came before it may be at the receiver, and timers must not fire without
 * them.
 *
 * <p>Where all elements come from one upstream subtask, it determines between which watermarks a
 * record is processed, and so which timers have fired before. Then the marker is a <em>cut</em> in
 * event time as well: a unit leaves when its donor has processed all before the marker, and is
 * installed when the receiver has, both at the watermark before it. Elements behind a watermark
 * that has to wait, wait with it.
 *
 * <p>Not thread-safe: one thread (the task thread) calls everything.
 *
 * @param <E> an element of the input
 */
public final class SubtaskMigration<E extends MigratingElement> {

    private static final byte ELSEWHERE = 0;
    private static final byte HELD = 1;
    private static final byte SENT = 2;
    private static final byte MISSING = 3;
    private static final byte REQUESTED = 4;
    private static final byte INSTALLED = 5;

    /** So many elements behind a watermark end reading: all go before the next marker. */
    private static final int MAX_HELD_BACK = 10_000;

    private final int subtask;
    private final int subGroups;
    private final MigrationOrder order;
    private final MigrationSettings.Pace pace;
    private final MigrationPort<E> port;

    /** Channels that can still bring records: connected and not at their end. */
    private final BitSet openChannels;

    /** Elements that have been read, are in order and wait for the operator. */
    private final ArrayDeque<E> backlog = new ArrayDeque<>();

    /** Channels of broadcast inputs, whether they are open or not. */
    private final BitSet broadcastChannels;

    /** Elements of broadcast channels that were held back, and what came behind them. */
    private final ArrayDeque<E> broadcastBacklog = new ArrayDeque<>();

    /** Whether the state of broadcast records up to the cut has not been handed over yet. */
    private boolean broadcastStateMissing;

    /** Whether records before the cut are to be ignored: they are in the state handed over. */
    private boolean isNew;

    /** Per unit: when it was last used, on a clock that ticks with each record. */
    private final int[] lastUsed;

    private int useClock;
    private long watermark;

    /** Whether all elements come on one channel; its markers are cuts in event time then. */
    private final boolean singleUpstream;

    private boolean ended;

    // ---- the current step; moves == null between steps ----

    private StepMoves moves;

    /** Per unit: where it stands in this step; {@link #ELSEWHERE} if it does not move. */
    private final byte[] state;

    /** Per key-group: the other side of its move; -1 if it does not move from or to here. */
    private final int[] peer;

    private final BitSet passed = new BitSet();
    private boolean aligned;
    private boolean releasable;
    private long watermarkOfReceivers;

    private final BitSet receivers = new BitSet();

    /** Per receiver: the units that are left when all markers have come, in the order to push. */
    private final Map<Integer, ArrayDeque<Integer>> toPush = new TreeMap<>();

    private int unitsToSend;

    /**
     * Watermarks and the like that came after the marker of their channel: not for our units. If it
     * is a cut in event time, all that came behind them as well.
     */
    private final ArrayDeque<E> heldBack = new ArrayDeque<>();

    /** Elements of broadcast channels behind the cut: not before all units have moved. */
    private final ArrayDeque<E> broadcastHeldBack = new ArrayDeque<>();

    /** Whether this subtask is the one that hands over the broadcast state, and has not yet. */
    private boolean broadcastStateToSend;

    private final BitSet requestedEarly = new BitSet();

    private final BitSet donors = new BitSet();
    private final BitSet donorsAligning = new BitSet();

    /** Per donor of the step: the channels of which nothing more will come from it. */
    private final BitSet[] passedAtDonor;

    private int unitsMissing;
    private final Parking<E> parking;

    private int unitsSent;
    private int unitsOnDemand;
    private long bytesSent;
    private long recordsForwarded;
    private boolean completed;

    /** A rescale begins. */
    public SubtaskMigration(
            MigrationSettings settings, MigrationStart start, MigrationPort<E> port) {
        this.subtask = settings.subtask;
        this.subGroups = settings.subGroups;
        this.order = settings.order;
        this.pace = settings.pace;
        this.port = port;
        this.parking = new Parking<>(port::nanoTime, port::waited);
        this.openChannels = (BitSet) start.openChannels.clone();
        this.broadcastChannels = start.broadcastChannels;
        this.broadcastStateMissing = start.broadcastStateMissing;
        this.isNew = broadcastStateMissing;
        this.watermark = start.watermark;
        this.singleUpstream = start.singleUpstream;
        int units = Math.multiplyExact(settings.keyGroups, subGroups);
        this.lastUsed = new int[units];
        this.state = new byte[units];
        this.peer = new int[settings.keyGroups];
        Arrays.fill(peer, -1);
        this.passedAtDonor = new BitSet[settings.capacity];
    }

    /** Takes over what an earlier rescale has left to be processed. Call before the first step. */
    public void adopt(SubtaskMigration<E> previous) {
        checkState(previous.ended && !hasBacklog(), "adoption from a running rescale");
        backlog.addAll(previous.backlog);
        previous.backlog.clear();
        broadcastBacklog.addAll(previous.broadcastBacklog);
        previous.broadcastBacklog.clear();
    }

    // ------------------------------------------------------------------------
    //  The life of a step
    // ------------------------------------------------------------------------

    /**
     * Begins a step. No marker of it can have come yet.
     *
     * @param watermarkOfReceivers the highest watermark at which a receiver of this donor stands
     */
    public void startStep(StepMoves step, long watermarkOfReceivers) throws Exception {
        checkState(moves == null, "a step begins while another one runs");
        checkState(!ended, "a step begins after the end of the rescale");
        this.moves = step;
        this.watermarkOfReceivers = watermarkOfReceivers;
        aligned = false;
        completed = false;
        for (int i = 0; i < step.size(); i++) {
            int keyGroup = step.keyGroup(i);
            if (step.from(i) == subtask) {
                peer[keyGroup] = step.to(i);
                receivers.set(step.to(i));
                unitsToSend += subGroups;
                setState(keyGroup, HELD);
            } else if (step.to(i) == subtask) {
                peer[keyGroup] = step.from(i);
                donors.set(step.from(i));
                unitsMissing += subGroups;
                setState(keyGroup, MISSING);
            }
        }
        for (int d = donors.nextSetBit(0); d >= 0; d = donors.nextSetBit(d + 1)) {
            passedAtDonor[d] = new BitSet();
        }
        donorsAligning.or(donors);
        releasable = false;
        broadcastStateToSend = step.donor() == subtask;
        maybeAtCut();
        maybeAligned();
        maybeCompleted();
    }

    private void setState(int keyGroup, byte value) {
        Arrays.fill(state, keyGroup * subGroups, (keyGroup + 1) * subGroups, value);
    }

    /** The rescale is over. What is left in the backlog is still to be processed. */
    public void end() {
        checkState(moves == null, "the rescale ends while a step runs");
        ended = true;
    }

    /** Whether nothing is left to do and this object can be dropped. */
    public boolean isOver() {
        return ended && !hasBacklog();
    }

    public boolean isEnded() {
        return ended;
    }

    public boolean isStepRunning() {
        return moves != null;
    }

    private void maybeCompleted() throws Exception {
        if (moves == null || completed || !aligned) {
            return;
        }
        if (unitsToSend > 0
                || unitsMissing > 0
                || !parking.isEmpty()
                || !donorsAligning.isEmpty()
                || broadcastStateToSend
                || broadcastStateMissing) {
            return;
        }
        completed = true;
        long step = moves.step();
        StepStatistics statistics =
                new StepStatistics(
                        unitsSent, unitsOnDemand, bytesSent, recordsForwarded, parking.takeWaits());
        for (int i = 0; i < moves.size(); i++) {
            if (peer[moves.keyGroup(i)] >= 0) {
                peer[moves.keyGroup(i)] = -1;
                setState(moves.keyGroup(i), ELSEWHERE);
            }
        }
        moves = null;
        isNew = false;
        passed.clear();
        receivers.clear();
        donors.clear();
        toPush.clear();
        requestedEarly.clear();
        unitsSent = 0;
        unitsOnDemand = 0;
        bytesSent = 0;
        recordsForwarded = 0;
        port.stepCompleted(step, statistics);
    }

    // ------------------------------------------------------------------------
    //  Input
    // ------------------------------------------------------------------------

    /** What brings elements. */
    @FunctionalInterface
    public interface Source {

        /** Hands over the next element, or what else has come. */
        Read readNext() throws Exception;
    }

    /** What a source has brought. */
    public enum Read {
        ELEMENT,
        /** The source has handled an event, after which something else gets its turn. */
        EVENT,
        NOTHING
    }

    /**
     * Reads some elements and processes some; not too many, as there is other work.
     *
     * @return whether there was anything to do
     */
    public boolean turn(Source source) throws Exception {
        boolean any = false;
        int reads = (readsAhead() ? pace.ahead : pace.usual).reads;
        for (int i = 0; i < reads && mayRead(); i++) {
            Read read = source.readNext();
            any |= read != Read.NOTHING;
            if (read != Read.ELEMENT) {
                break;
            }
        }
        int processes = (readsAhead() ? pace.ahead : pace.usual).processes;
        for (int i = 0; i < processes && processBacklog(); i++) {
            any = true;
        }
        return any;
    }

    /** Whether an element may be read now. */
    public boolean mayRead() {
        return (!hasBacklog() || readsAhead()) && !isFull();
    }

    /** Whether the input shall be read although the backlog is not empty. */
    public boolean readsAhead() {
        return moves != null
                && !aligned
                && !singleUpstream
                && (receivers.isEmpty() || hasCaughtUp())
                && backlog.size() < pace.maxBacklog;
    }

    /** Whether units may leave before the last marker has come. */
    private boolean mayLeaveEarly() {
        return order == MigrationOrder.DEMAND && !singleUpstream && hasCaughtUp();
    }

    private boolean hasCaughtUp() {
        return watermark >= watermarkOfReceivers;
    }

    /**
     * Whether nothing is to be read before units have come or left, or data has come: the marker of
     * the step has been read.
     */
    public boolean isFull() {
        return singleUpstream && heldBack.size() >= Math.min(pace.maxBacklog, MAX_HELD_BACK)
                || moves == null && port.isFull();
    }

    /** How many records wait for their unit, or for what the donor still has of their key. */
    public int parked() {
        return parking.size();
    }

    /** How many elements have been read and are not processed, without those that are parked. */
    public int backlog() {
        return backlog.size()
                + broadcastBacklog.size()
                + heldBack.size()
                + broadcastHeldBack.size();
    }

    public boolean hasBacklog() {
        return !backlog.isEmpty() || !broadcastBacklog.isEmpty();
    }

    /** Processes the oldest element of the backlog, if there is one. */
    public boolean processBacklog() throws Exception {
        if (!broadcastBacklog.isEmpty()) {
            port.process(broadcastBacklog.poll());
            if (broadcastBacklog.isEmpty()) {
                maybeAtCut();
                maybeCompleted();
            }
            return true;
        }
        E element = backlog.poll();
        if (element == null) {
            return false;
        }
        process(element, element.unit());
        if (backlog.isEmpty()) {
            maybeReleasable();
            maybeCompleted();
        }
        return true;
    }

    /** An element other than a record: a watermark, a status, a latency marker. */
    public void onOther(E element) throws Exception {
        int channel = element.channel();
        if (channel >= 0 && broadcastChannels.get(channel)) {
            onBroadcastChannel(element, channel);
        } else if (holdsBack() && channel >= 0 && passed.get(channel)) {
            heldBack.add(element);
        } else if (backlog.isEmpty() && !readsAhead()) {
            port.process(element);
        } else {
            backlog.add(element);
        }
    }

    /** Whether watermarks behind the marker of their channel have to wait. */
    private boolean holdsBack() {
        return unitsToSend > 0 || singleUpstream && unitsMissing > 0;
    }

    private void maybeGoOnBehindMarker() {
        if (!holdsBack()) {
            backlog.addAll(heldBack);
            heldBack.clear();
        }
    }

    /** A record of a broadcast input, which concerns all units. */
    public void onBroadcast(E record) throws Exception {
        int channel = record.channel();
        if (!isNew || passed.get(channel)) {
            onBroadcastChannel(record, channel);
        }
    }

    private void onBroadcastChannel(E element, int channel) throws Exception {
        if (passed.get(channel) && waitsBehindCut()) {
            broadcastHeldBack.add(element);
        } else if (broadcastBacklog.isEmpty()) {
            port.process(element);
        } else {
            broadcastBacklog.add(element);
        }
    }

    /** Whether something is still to move that belongs to the cut. */
    private boolean waitsBehindCut() {
        return unitsToSend > 0 || unitsMissing > 0 || broadcastStateToSend || broadcastStateMissing;
    }

    private void maybeGoOnBehindCut() {
        if (!waitsBehindCut()) {
            broadcastBacklog.addAll(broadcastHeldBack);
            broadcastHeldBack.clear();
        }
    }

    /** Whether all that came before the marker, on the channels where it is a cut, is processed. */
    private boolean isAtCut() {
        return moves != null
                && broadcastBacklog.isEmpty()
                && hasPassed(singleUpstream ? openChannels : broadcastChannels);
    }

    private void maybeAtCut() throws Exception {
        if (broadcastStateToSend && isAtCut()) {
            broadcastStateToSend = false;
            port.sendBroadcastState(moves.takers());
            maybeGoOnBehindCut();
        }
        maybeReleasable();
    }

    /** A record that the input has read. */
    public void onRecord(E record) throws Exception {
        int unit = record.unit();
        switch (state[unit]) {
            case ELSEWHERE:
                if (singleUpstream && !heldBack.isEmpty()) {
                    heldBack.add(record);
                } else if (backlog.isEmpty() && !readsAhead()) {
                    process(record, unit);
                } else {
                    backlog.add(record);
                }
                return;
            case HELD:
                checkGiven(record, unit);
                if (backlog.isEmpty() && (releasable || !readsAhead())) {
                    process(record, unit);
                } else if (releasable) {
                    // the record would have to wait here; at the receiver it may not
                    release(unit, true);
                    forward(record, unit);
                } else {
                    backlog.add(record);
                }
                return;
            case SENT:
                checkGiven(record, unit);
                forward(record, unit);
                return;
            default:
                if (singleUpstream && !heldBack.isEmpty()) {
                    heldBack.add(record);
                } else {
                    receive(record, unit);
                }
        }
    }

    /** Behind the marker, upstreams send the records of a unit that leaves to its receiver. */
    private void checkGiven(E record, int unit) {
        if (passed.get(record.channel())) {
            throw new MigrationProtocolException(
                    "A record came for key-group "
                            + unit / subGroups
                            + ", which has been moved, so its sender takes it to be of another one."
                            + " The hashCode() of a key must be the same in all processes.");
        }
    }

    private void receive(E record, int unit) throws Exception {
        int donor = peer[unit / subGroups];
        if (state[unit] == INSTALLED && passedAt(donor, record) && !parking.holds(unit)) {
            if (backlog.isEmpty()) {
                process(record, unit);
            } else {
                backlog.add(record);
            }
            return;
        }
        parking.park(unit, record);
        if (state[unit] == MISSING && order == MigrationOrder.DEMAND) {
            state[unit] = REQUESTED;
            port.sendRequest(donor, unit);
        }
    }

    private void process(E element, int unit) throws Exception {
        if (unit >= 0) {
            lastUsed[unit] = ++useClock;
        }
        port.process(element);
    }

    /** The marker of a step has come on a channel; markers of other steps are ignored. */
    public void onMarker(long step, int channel) throws Exception {
        if (moves == null || moves.step() != step) {
            return;
        }
        checkState(!passed.get(channel), "a marker came twice");
        pass(channel);
    }

    /** A channel has brought its last element; that stands for its marker too. */
    public void onChannelEnded(int channel) throws Exception {
        openChannels.clear(channel);
        if (moves != null) {
            if (!passed.get(channel)) {
                pass(channel);
            } else {
                maybeCompleted();
            }
        }
    }

    private void pass(int channel) throws Exception {
        passed.set(channel);
        for (int r = receivers.nextSetBit(0); r >= 0; r = receivers.nextSetBit(r + 1)) {
            port.sendPassed(r, channel);
        }
        maybeAtCut();
        maybeAligned();
        maybeCompleted();
    }

    /** Whether the marker has come on all of the channels that are open. */
    private boolean hasPassed(BitSet channels) {
        for (int c = channels.nextSetBit(0); c >= 0; c = channels.nextSetBit(c + 1)) {
            if (openChannels.get(c) && !passed.get(c)) {
                return false;
            }
        }
        return true;
    }

    private void maybeAligned() throws Exception {
        if (aligned || !hasPassed(openChannels)) {
            return;
        }
        aligned = true;
        maybeReleasable();
        for (int r = receivers.nextSetBit(0); r >= 0; r = receivers.nextSetBit(r + 1)) {
            port.sendAligned(r);
        }
        preparePush();
    }

    /** The operator's watermark has risen. */
    public void onWatermark(long newWatermark) throws Exception {
        watermark = newWatermark;
        maybeReleasable();
        maybeCompleted();
    }

    private void maybeReleasable() throws Exception {
        if (moves == null || releasable || receivers.isEmpty()) {
            return;
        }
        // An aligned donor forwards nothing; what it has read but not processed comes first.
        if (aligned ? !backlog.isEmpty() : !mayLeaveEarly()) {
            return;
        }
        if (!isAtCut()) {
            return;
        }
        releasable = true;
        // Nothing of a unit that may leave stays in the backlog, or it would be overtaken.
        List<E> moved = new ArrayList<>();
        for (Iterator<E> all = backlog.iterator(); all.hasNext(); ) {
            E element = all.next();
            int unit = element.unit();
            if (unit >= 0 && state[unit] == HELD) {
                moved.add(element);
                all.remove();
            }
        }
        // Before their units: markers of their channels may have been passed.
        for (E record : moved) {
            int unit = record.unit();
            recordsForwarded++;
            port.forwardAhead(peer[unit / subGroups], unit, record);
        }
        for (E record : moved) {
            int unit = record.unit();
            if (state[unit] == HELD) {
                release(unit, true);
            }
        }
        for (int u = requestedEarly.nextSetBit(0); u >= 0; u = requestedEarly.nextSetBit(u + 1)) {
            if (state[u] == HELD) {
                release(u, true);
            }
        }
        requestedEarly.clear();
    }

    // ------------------------------------------------------------------------
    //  Donor
    // ------------------------------------------------------------------------

    private void release(int unit, boolean onDemand) throws Exception {
        state[unit] = SENT;
        unitsToSend--;
        unitsSent++;
        if (onDemand) {
            unitsOnDemand++;
        }
        bytesSent += port.sendUnit(peer[unit / subGroups], unit, onDemand);
        if (unitsToSend == 0) {
            maybeGoOnBehindMarker();
            maybeGoOnBehindCut();
        }
    }

    private void forward(E record, int unit) throws Exception {
        recordsForwarded++;
        port.forward(peer[unit / subGroups], unit, record);
    }

    private void preparePush() {
        List<Integer> units = new ArrayList<>();
        for (int i = 0; i < moves.size(); i++) {
            if (moves.from(i) == subtask) {
                int first = moves.keyGroup(i) * subGroups;
                for (int u = first; u < first + subGroups; u++) {
                    if (state[u] == HELD) {
                        units.add(u);
                    }
                }
            }
        }
        units.sort((a, b) -> Integer.compare(rank(b), rank(a)));
        for (int u : units) {
            toPush.computeIfAbsent(peer[u / subGroups], r -> new ArrayDeque<>()).add(u);
        }
    }

    private int rank(int unit) {
        return order.rank(unit, lastUsed[unit]);
    }

    /** Whether {@link #push} has something to give. */
    public boolean canPush() {
        return moves != null && aligned && releasable && unitsToSend > 0;
    }

    /**
     * Whose unit is to be pushed next: that with the first one in order among those who may get
     * one, so that a slow receiver does not hold up the others.
     *
     * @param mayGet whether a receiver may get one now
     * @return -1 if nothing is left for any of them
     */
    public int nextPushReceiver(IntPredicate mayGet) {
        checkState(canPush(), "nothing to push");
        int best = -1;
        int bestRank = 0;
        for (Map.Entry<Integer, ArrayDeque<Integer>> units : toPush.entrySet()) {
            int receiver = units.getKey();
            Integer unit = firstHeld(units.getValue());
            if (unit != null && (best < 0 || rank(unit) > bestRank) && mayGet.test(receiver)) {
                best = receiver;
                bestRank = rank(unit);
            }
        }
        return best;
    }

    @Nullable
    private Integer firstHeld(ArrayDeque<Integer> units) {
        while (!units.isEmpty() && state[units.peek()] != HELD) {
            units.poll();
        }
        return units.peek();
    }

    /**
     * Gives a receiver the first unit in order that is left for it.
     *
     * @return its serialised size in bytes
     */
    public long push(int receiver) throws Exception {
        checkState(canPush(), "nothing to push");
        ArrayDeque<Integer> units = toPush.get(receiver);
        Integer unit = units == null ? null : firstHeld(units);
        checkState(unit != null, "nothing to push to " + receiver);
        long before = bytesSent;
        release(unit, false);
        long bytes = bytesSent - before;
        maybeCompleted();
        return bytes;
    }

    /** A receiver asks for a unit. Repeated or outdated requests do nothing. */
    public void onRequest(int receiver, int unit) throws Exception {
        if (moves == null || state[unit] != HELD || peer[unit / subGroups] != receiver) {
            return;
        }
        if (releasable) {
            release(unit, true);
            maybeCompleted();
        } else {
            requestedEarly.set(unit);
        }
    }

    // ------------------------------------------------------------------------
    //  Receiver
    // ------------------------------------------------------------------------

    /**
     * Whether a unit that arrives is one that this subtask waits for. It must be installed, as soon
     * as it {@link #mayInstall may}, before {@link #onUnitInstalled} is called.
     */
    public boolean awaits(int donor, int unit) {
        return moves != null
                && (state[unit] == MISSING || state[unit] == REQUESTED)
                && peer[unit / subGroups] == donor;
    }

    /**
     * Whether units that have arrived may be installed: not before this subtask has processed the
     * broadcast records, and has come to the watermark, that the donor has processed with them.
     */
    public boolean mayInstall() {
        return isAtCut();
    }

    /** A unit is now installed. */
    public void onUnitInstalled(int donor, int unit) throws Exception {
        checkState(awaits(donor, unit), "a unit came that is not awaited: " + unit);
        checkState(mayInstall(), "a unit was installed too early: " + unit);
        state[unit] = INSTALLED;
        unitsMissing--;
        maybeGoOnBehindCut();
        unpark(unit, donor);
        maybeGoOnBehindMarker();
        maybeCompleted();
    }

    /** Fails if broadcast state of that subtask is not awaited. */
    public void checkBroadcastState(int donor) {
        checkState(
                moves != null && moves.donor() == donor && broadcastStateMissing,
                "broadcast state came that is not awaited");
    }

    /** The broadcast state of another subtask is now in place, as of the cut of this step. */
    public void onBroadcastState(int donor) throws Exception {
        checkBroadcastState(donor);
        broadcastStateMissing = false;
        maybeGoOnBehindCut();
        maybeCompleted();
    }

    /** A record that a donor got before the marker and after its unit had left. */
    public void onForwarded(int donor, int unit, E record) {
        checkForwarded(donor, unit);
        if (state[unit] == INSTALLED) {
            backlog.add(record);
        } else {
            parking.parkForwarded(unit, record);
        }
    }

    /** The donor has forwarded a record ahead of its unit. */
    public void onForwardedAhead(int donor, int unit, E record) {
        checkForwarded(donor, unit);
        checkState(state[unit] != INSTALLED, "a record came behind its unit, not ahead: " + unit);
        parking.parkAhead(unit, record);
    }

    private void checkForwarded(int donor, int unit) {
        checkState(
                moves != null && peer[unit / subGroups] == donor && state[unit] >= MISSING,
                "a record of a unit was forwarded that does not come here: " + unit);
    }

    /** A donor has passed the marker of a channel. */
    public void onPassed(int donor, int channel) throws Exception {
        checkDonorAligning(donor);
        passedAtDonor[donor].set(channel);
        unparkAll(donor);
    }

    /** A donor has passed the markers of all its channels. */
    public void onAligned(int donor) throws Exception {
        checkDonorAligning(donor);
        donorsAligning.clear(donor);
        unparkAll(donor);
    }

    private void checkDonorAligning(int donor) {
        checkState(
                moves != null && donorsAligning.get(donor),
                "a subtask that is not an aligning donor passed a marker: " + donor);
    }

    private void unparkAll(int donor) throws Exception {
        for (int unit : parking.units()) {
            if (peer[unit / subGroups] == donor) {
                unpark(unit, donor);
            }
        }
        maybeCompleted();
    }

    private boolean passedAt(int donor, E record) {
        // behind a cut in event time nothing is forwarded
        return singleUpstream
                || !donorsAligning.get(donor)
                || passedAtDonor[donor].get(record.channel());
    }

    /** Moves what may be processed now to the backlog, in order. */
    private void unpark(int unit, int donor) {
        if (state[unit] == INSTALLED) {
            parking.unpark(unit, record -> passedAt(donor, record), backlog::add);
        }
    }

    private static void checkState(boolean condition, String violation) {
        if (!condition) {
            throw new MigrationProtocolException(violation);
        }
    }
}
