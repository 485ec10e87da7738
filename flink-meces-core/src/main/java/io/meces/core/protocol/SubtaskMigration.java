// SPDX-License-Identifier: Apache-2.0
package io.meces.core.protocol;

import static io.meces.core.exchange.MigrationProtocolException.checkState;
import static io.meces.core.protocol.StepUnits.ELSEWHERE;
import static io.meces.core.protocol.StepUnits.HELD;
import static io.meces.core.protocol.StepUnits.SENT;

import io.meces.core.command.StepMoves;
import io.meces.core.waiting.Line;
import io.meces.core.waiting.Waiting;
import java.util.function.IntPredicate;

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
 * <p>{@link BroadcastInputs Broadcast inputs}: the markers on their channels are the <em>cut</em>
 * between the records that the donor of a unit processes for it and those that its receiver does.
 * No order is promised between inputs, so their elements do not queue in the backlog.
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

    /** So many elements behind a watermark end reading: all go before the next marker. */
    private static final int MAX_HELD_BACK = 10_000;

    private final int subtask;
    private final boolean demands;
    private final MigrationSettings.Pace pace;
    private final MigrationPort<E> port;
    private final Output<E> output;
    private final InputChannels channels;

    /** Whether all elements come on one channel; its markers are cuts in event time then. */
    private final boolean singleUpstream;

    private final StepUnits units;
    private final UnitDonor<E> donor;
    private final UnitReceiver<E> receiver;
    private final BroadcastInputs<E> broadcasts;
    private final ReadAhead readAhead;

    private final Waiting<E> waiting;

    /**
     * Elements that have been read, are in order and wait for the operator. It holds back
     * watermarks and the like that came after the marker of their channel: not for our units. If it
     * is a cut in event time, all that came behind them as well.
     */
    private final Line<E> backlog;

    /** The same of broadcast inputs. */
    private final Line<E> broadcastBacklog;

    /** Whether all markers of the current step have come. */
    private boolean aligned;

    /** See {@link #workedOff}. */
    private long workedOff;

    private boolean ended;

    /**
     * A rescale begins.
     *
     * @param output gets what may be processed
     * @param waiting where elements wait; nothing does yet
     */
    public SubtaskMigration(
            MigrationSettings settings,
            MigrationStart start,
            MigrationPort<E> port,
            Output<E> output,
            Waiting<E> waiting) {
        this.subtask = settings.subtask;
        this.demands = settings.order == MigrationOrder.DEMAND;
        this.pace = settings.pace;
        this.port = port;
        this.output = output;
        this.waiting = waiting;
        this.backlog = waiting.inOrder;
        this.broadcastBacklog = waiting.broadcasts;
        this.channels = new InputChannels(start);
        this.singleUpstream = start.singleUpstream;
        this.units = new StepUnits(settings);
        this.donor = new UnitDonor<>(settings, channels, units, port, start.watermark);
        this.receiver = new UnitReceiver<>(settings, singleUpstream, units, port, waiting);
        this.broadcasts =
                new BroadcastInputs<>(
                        channels,
                        units,
                        port,
                        output,
                        broadcastBacklog,
                        start.broadcastStateMissing);
        this.readAhead = new ReadAhead(pace, settings.memory, port.nanoTime());
    }

    /** Takes over what an earlier rescale has left to be processed. Call before the first step. */
    public void adopt(SubtaskMigration<E> previous) {
        checkState(previous.ended && !hasBacklog(), "adoption from a running rescale");
        waiting.adopt(previous.waiting);
        readAhead.adopt(previous.readAhead);
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
        checkState(!isStepRunning(), "a step begins while another one runs");
        checkState(!ended, "a step begins after the end of the rescale");
        aligned = false;
        units.startStep(step);
        donor.startStep(step, watermarkOfReceivers);
        receiver.startStep(step);
        broadcasts.startStep(step.donor() == subtask);
        readAhead.startStep();
        maybeAtCut();
        maybeAligned();
        maybeCompleted();
    }

    /** The rescale is over. What is left in the backlog is still to be processed. */
    public void end() {
        checkState(!isStepRunning(), "the rescale ends while a step runs");
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
        return units.step() != null;
    }

    private void maybeCompleted() throws Exception {
        if (!isStepRunning()
                || !aligned
                || units.areToLeave()
                || units.areToCome()
                || !receiver.isDone()
                || broadcasts.isHandover()) {
            return;
        }
        long step = units.step().step();
        units.endStep();
        channels.endStep();
        broadcasts.endStep();
        port.stepCompleted(
                step, donor.endStep(waiting.units.takeWaits(), readAhead.endStep(waiting.size())));
    }

    // ------------------------------------------------------------------------
    //  Input
    // ------------------------------------------------------------------------

    /** What brings elements. */
    @FunctionalInterface
    public interface Source {

        /** Hands over the next element, or what else has come. */
        Read readNext() throws Exception;

        /** How many bytes its elements had so far, as they came; 0 if that is not known. */
        default long bytesRead() {
            return 0;
        }
    }

    /**
     * Where an element goes that may be processed: to the operator, or to what has it wait for data
     * that follows its unit. By default nothing waits.
     */
    @FunctionalInterface
    public interface Output<E> {

        /** Takes an element, in the order in which they are to be processed. */
        void process(E element) throws Exception;

        /** Whether {@link #processNext} has something to do. */
        default boolean canProcess() {
            return false;
        }

        /**
         * Processes one element that has waited for data which is here now, if there is one. There
         * may be many, and messages must not wait for that.
         */
        default boolean processNext() throws Exception {
            return false;
        }

        /** Whether a watermark that has come has not risen yet to where it may. */
        default boolean isWatermarkWaiting() {
            return false;
        }

        /** Whether so much waits for data that nothing more should be read, if it need not be. */
        default boolean isFull() {
            return false;
        }
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
        int elements = 0;
        long bytes = source.bytesRead();
        long until = readAhead.beginTurn(port.nanoTime());
        Read last = Read.ELEMENT;
        do {
            int reads = (readsAhead() ? pace.ahead : pace.usual).reads;
            for (int i = 0; i < reads && mayRead() && last == Read.ELEMENT; i++) {
                last = source.readNext();
                any |= last != Read.NOTHING;
                elements += last == Read.ELEMENT ? 1 : 0;
            }
        } while (last == Read.ELEMENT && readsAhead() && port.nanoTime() - until < 0);
        readAhead.endTurn(port.nanoTime(), elements, source.bytesRead() - bytes);
        workOff(elements);
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
        return isStepRunning()
                && !aligned
                && !singleUpstream
                && (!donor.isDonor() || donor.hasCaughtUp())
                && !readAhead.isFull(waiting.size());
    }

    /** Does what has become possible without anything having come, as data is here. */
    public void proceed() throws Exception {
        maybeReleasable();
        maybeCompleted();
    }

    /** Notes how much waits; to be called when that may have changed. */
    public void countWaiting() {
        readAhead.onWaiting(waiting.size());
    }

    /**
     * Whether nothing is to be read before units have come or left, or data has come: the marker of
     * the step has been read.
     */
    public boolean isFull() {
        return singleUpstream && backlog.heldBack() >= Math.min(pace.maxBacklog, MAX_HELD_BACK)
                || (!isStepRunning() || aligned) && output.isFull();
    }

    /** The elements that have been read and are not processed. */
    Waiting<E> waiting() {
        return waiting;
    }

    public boolean hasBacklog() {
        return !backlog.isEmpty() || !broadcastBacklog.isEmpty() || output.canProcess();
    }

    /**
     * Counts elements that have been read, or processed, while the step waits for this subtask to
     * do so: until all markers have come, and what was before them has been processed where units
     * wait for that.
     */
    public long workedOff() {
        return workedOff;
    }

    private void workOff(int elements) {
        if (isStepRunning()
                && (!aligned
                        || !broadcasts.isAtCut()
                        || donor.isDonor() && !donor.isReleasable())) {
            workedOff += elements;
        }
    }

    /** Processes the oldest element of the backlog, if there is one. */
    public boolean processBacklog() throws Exception {
        boolean any = processNext();
        workOff(any ? 1 : 0);
        return any;
    }

    private boolean processNext() throws Exception {
        if (output.processNext()) {
            return true;
        }
        E broadcast = broadcastBacklog.poll();
        if (broadcast != null) {
            output.process(broadcast);
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
        process(element);
        if (backlog.isEmpty()) {
            maybeReleasable();
            maybeCompleted();
        }
        return true;
    }

    /** An element other than a record: a watermark, a status, a latency marker. */
    public void onOther(E element) throws Exception {
        int channel = element.channel();
        if (channels.isBroadcast(channel)) {
            broadcasts.onElement(element);
        } else if (holdsBack() && channels.isPassed(channel)) {
            backlog.holdBack(element);
        } else if (backlog.isEmpty() && !readsAhead()) {
            output.process(element);
        } else {
            backlog.add(element);
        }
    }

    /** Whether watermarks behind the marker of their channel have to wait. */
    private boolean holdsBack() {
        return units.areToLeave() || singleUpstream && units.areToCome();
    }

    /** Has what waits for the last unit processed next, if that has left or come. */
    private void maybeGoOn() {
        if (!holdsBack()) {
            backlog.goOn();
        }
        broadcasts.maybeGoOn();
    }

    /** A record of a broadcast input, which concerns all units. */
    public void onBroadcast(E record) throws Exception {
        broadcasts.onRecord(record);
    }

    /** A record that the input has read. */
    public void onRecord(E record) throws Exception {
        switch (units.state(record.unit())) {
            case ELSEWHERE:
                onRecordOfThisSubtask(record);
                return;
            case HELD:
                if (donor.isMisplaced(record)) {
                    onRecordOfThisSubtask(record);
                } else if (backlog.isEmpty() && (donor.isReleasable() || !readsAhead())) {
                    process(record);
                } else if (donor.isReleasable()) {
                    donor.sendWithUnit(record);
                    maybeGoOn();
                } else {
                    backlog.add(record);
                }
                return;
            case SENT:
                if (donor.isMisplaced(record)) {
                    onRecordOfThisSubtask(record);
                } else {
                    donor.forward(record);
                }
                return;
            default:
                if (singleUpstream && backlog.holdsBack()) {
                    backlog.holdBack(record);
                } else if (!receiver.onRecord(record)) {
                    return;
                } else if (backlog.isEmpty()) {
                    process(record);
                } else {
                    backlog.add(record);
                }
        }
    }

    private void onRecordOfThisSubtask(E record) throws Exception {
        if (singleUpstream && backlog.holdsBack()) {
            backlog.holdBack(record);
        } else if (backlog.isEmpty() && !readsAhead()) {
            process(record);
        } else {
            backlog.add(record);
        }
    }

    private void process(E element) throws Exception {
        if (element.unit() >= 0) {
            donor.onUse(element.unit());
        }
        output.process(element);
    }

    // ------------------------------------------------------------------------
    //  Markers and event time
    // ------------------------------------------------------------------------

    /** The marker of a step has come on a channel; markers of other steps are ignored. */
    public void onMarker(long step, int channel) throws Exception {
        if (isStepRunning() && units.step().step() == step) {
            pass(channel);
        }
    }

    /** A channel has brought its last element; that stands for its marker too. */
    public void onChannelEnded(int channel) throws Exception {
        channels.end(channel);
        if (isStepRunning() && !channels.isPassed(channel)) {
            pass(channel);
        } else {
            maybeCompleted();
        }
    }

    private void pass(int channel) throws Exception {
        channels.pass(channel);
        donor.onPassed(channel);
        maybeAtCut();
        maybeAligned();
        maybeCompleted();
    }

    private void maybeAligned() throws Exception {
        if (!aligned && channels.areAllPassed()) {
            aligned = true;
            maybeReleasable();
            donor.onAligned();
        }
    }

    /** The operator's watermark has risen. */
    public void onWatermark(long newWatermark) throws Exception {
        donor.onWatermark(newWatermark);
        maybeReleasable();
        maybeCompleted();
    }

    private void maybeAtCut() throws Exception {
        broadcasts.maybeHandOver();
        maybeReleasable();
    }

    private void maybeReleasable() throws Exception {
        if (!isStepRunning() || !donor.isDonor() || donor.isReleasable()) {
            return;
        }
        // An aligned donor forwards nothing; what it has read but not processed comes first, and
        // watermarks among that may wait for data, as a donor may be a receiver as well.
        boolean mayLeave =
                aligned
                        ? backlog.isEmpty() && !output.isWatermarkWaiting()
                        : demands && !singleUpstream && donor.hasCaughtUp();
        if (mayLeave && broadcasts.isAtCut()) {
            donor.release(backlog);
            maybeGoOn();
        }
    }

    // ------------------------------------------------------------------------
    //  Donor
    // ------------------------------------------------------------------------

    /** Whether {@link #push} has something to give. */
    public boolean canPush() {
        return isStepRunning() && aligned && donor.isReleasable() && units.areToLeave();
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
        return donor.nextPushReceiver(mayGet);
    }

    /** Gives a receiver the first unit in order that is left for it. */
    public void push(int to) throws Exception {
        checkState(canPush(), "nothing to push");
        donor.push(to);
        maybeGoOn();
        maybeCompleted();
    }

    /** A receiver asks for a unit. Repeated or outdated requests do nothing. */
    public void onRequest(int from, int unit) throws Exception {
        donor.onRequest(from, unit);
        maybeGoOn();
        maybeCompleted();
    }

    // ------------------------------------------------------------------------
    //  Receiver
    // ------------------------------------------------------------------------

    /**
     * Whether a unit that arrives is one that this subtask waits for. It must be installed, as soon
     * as it {@link #mayInstall may}, before {@link #onUnitInstalled} is called.
     */
    public boolean awaits(int from, int unit) {
        return units.isAwaited(unit) && units.peer(unit) == from;
    }

    /**
     * Whether units that have arrived may be installed: not before this subtask has processed the
     * broadcast records, and has come to the watermark, that the donor has processed with them.
     */
    public boolean mayInstall() {
        return broadcasts.isAtCut();
    }

    /** A unit is now installed. */
    public void onUnitInstalled(int from, int unit) throws Exception {
        checkState(awaits(from, unit), "a unit came that is not awaited: " + unit);
        checkState(mayInstall(), "a unit was installed too early: " + unit);
        receiver.onUnitInstalled(from, unit);
        maybeGoOn();
        maybeCompleted();
    }

    /** Fails if broadcast state of that subtask is not awaited. */
    public void checkBroadcastState(int from) {
        broadcasts.checkAwaited(from);
    }

    /** The broadcast state of another subtask is now in place, as of the cut of this step. */
    public void onBroadcastState(int from) throws Exception {
        broadcasts.onState(from);
        maybeCompleted();
    }

    /** A record that a donor got before the marker and after its unit had left. */
    public void onForwarded(int from, int unit, E record) {
        receiver.onForwarded(from, unit, record);
    }

    /** The donor has forwarded a record ahead of its unit. */
    public void onForwardedAhead(int from, int unit, E record) {
        receiver.onForwardedAhead(from, unit, record);
    }

    /** A donor has passed the marker of a channel. */
    public void onPassed(int from, int channel) throws Exception {
        receiver.onPassed(from, channel);
        maybeCompleted();
    }

    /** A donor has passed the markers of all its channels. */
    public void onAligned(int from) throws Exception {
        receiver.onAligned(from);
        maybeCompleted();
    }
}
