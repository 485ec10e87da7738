// SPDX-License-Identifier: Apache-2.0
package io.meces.core.simulation;

import io.meces.core.command.MigrationReporter;
import io.meces.core.command.MigrationReports;
import io.meces.core.command.TaskCommand;
import io.meces.core.command.TaskReport;
import io.meces.core.eventtime.KeyTimes;
import io.meces.core.exchange.ExchangeMetrics;
import io.meces.core.exchange.Handover;
import io.meces.core.exchange.Handovers;
import io.meces.core.exchange.InFlightBytes;
import io.meces.core.exchange.PeerLink;
import io.meces.core.exchange.PeerMessage;
import io.meces.core.exchange.Priority;
import io.meces.core.exchange.TaskThread;
import io.meces.core.exchange.TestEnvelope;
import io.meces.core.exchange.TransitionAddress;
import io.meces.core.exchange.UncountedExchange;
import io.meces.core.id.AttemptId;
import io.meces.core.protocol.MigrationEnvironment;
import io.meces.core.protocol.MigrationInputs;
import io.meces.core.protocol.ResultDrain;
import io.meces.core.protocol.SubtaskMigration;
import io.meces.core.protocol.SubtaskRescale;
import io.meces.core.store.DeferredKey;
import io.meces.core.store.UnitState;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import javax.annotation.Nullable;

/**
 * An elastic subtask: the product's {@link SubtaskRescale} in a task whose mails, elements and
 * sinks get their turn when the schedule says so, with keyed state and timers in maps.
 */
final class SimulatedElastic extends SimulatedTask
        implements MigrationEnvironment<SimulatedElement> {

    private static final TransitionAddress SOMEWHERE = new TransitionAddress("simulation", 1);

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
    private final Mails mails = new Mails();
    private final SubtaskRescale<SimulatedElement> driver;

    /** What the driver has attached to the inputs. */
    @Nullable private SubtaskMigration<SimulatedElement> migration;

    /** Per broadcast upstream: how many of its records are in the broadcast state. */
    private int[] broadcastState;

    /** Operator list state that is split: how many records were processed here. */
    private long listState;

    /**
     * In which format it writes its list state: that which the job was restored from, if this
     * subtask was restored or told so, else that of the code.
     */
    private byte listFormat;

    private boolean isRestored;

    private boolean holdsEnd;
    private long emittedWatermark = Long.MIN_VALUE;
    private final KeyTimes times;
    private final Map<Integer, AttemptId> peers = new HashMap<>();

    /** That of the last rescale. */
    @Nullable private SimulatedState state;

    /** The drain that runs. */
    @Nullable private Drain draining;

    // ---- leaving ----

    private boolean inputEnded;
    private boolean retired;

    /** Whether it has had a part in any step. */
    private boolean takesPart;

    private boolean starved;

    private final BitSet finishedBefore = new BitSet();

    /**
     * @param isNew whether it begins while the job runs
     */
    SimulatedElastic(int index, AttemptId attempt, Execution job, boolean isNew) {
        super("subtask", index, attempt, job);
        int upstreams = world.oracle().upstreams();
        Scenario.Settings settings = world.scenario().settings();
        this.isNew = isNew;
        this.ledger = job.ledger;
        this.times = new KeyTimes(settings.keyGroups * settings.subGroups);
        this.broadcastState = new int[upstreams];
        this.sink = new TransactionalSink(world.chained());
        this.outside = new BufferingSink(ledger, name, !settings.buffersResults);
        this.alignment = new Alignment(upstreams);
        job.channelsOfInputs.forEach(c -> inputs.add(new SimulatedInput(c)));
        this.driver =
                new SubtaskRescale<>(
                        settings.migration(index, world.readAhead().share()), this, isNew);
        for (int c = 0; c < upstreams; c++) {
            channels.add(new ArrayDeque<>());
            open.set(c);
            int channel = c;
            act(() -> canRead(channel), () -> read(channel));
        }
        for (int s = 0; s < settings.sinks; s++) {
            outputs.add(new ArrayDeque<>());
        }
        act(() -> hasBacklog() && !isBlocked(), this::turnWithoutInput).crawls = true;
        act(() -> outside.size() > 0, outside::flush).crawls = true;
        act(() -> draining != null, this::endDrain);
        act(this::canFinish, this::finishAll);
        world.transport().register(this);
        if (!isNew) {
            job.downstream.connect(index);
        }
    }

    /** The format in which it is to write its list state, before it starts. */
    SimulatedElastic withListFormat(byte format) {
        listFormat = format;
        return this;
    }

    /** An upstream that had finished before this subtask was deployed, as is known there. */
    void markFinished(int channel) {
        channels.get(channel).add(SimulatedElement.watermark(channel, Long.MAX_VALUE));
        channels.get(channel).add(SimulatedElement.end(channel));
        finishedBefore.set(channel);
    }

    /** Whether an upstream has finished, and it is not known here: it will ask it in vain. */
    private boolean missesUpstream() {
        for (SimulatedSource source : job.sources) {
            if (source.isFinished() && !finishedBefore.get(source.index)) {
                return true;
            }
        }
        return false;
    }

    byte listFormat() {
        return listFormat;
    }

    /** What it has after a restart. */
    void restore(int[] broadcasts, long list) {
        broadcastState = broadcasts.clone();
        listState = list;
        isRestored = true;
    }

    @Override
    void start() {
        super.start();
        if (isNew) {
            emitEvent(SimulatedElement.up(index));
            job.downstream.connect(index);
            if (missesUpstream()) {
                crash();
                return;
            }
        }
        if (isRestored && world.scenario().settings().dataIsDeferred && index % 2 == 1) {
            // a state on disk has come with key-groups of others
            report(new TaskReport.Clearing());
        }
    }

    @Override
    void kill() {
        super.kill();
        world.transport().unregister(this);
        driver.close();
        mails.clear();
        draining = null;
    }

    void give(int unit, SimulatedUnit state) {
        ledger.onInstalled(index, unit, state, emittedWatermark);
        units.put(unit, state);
    }

    SimulatedUnit take(int unit) {
        ledger.onExtracted(index, unit);
        return units.remove(unit);
    }

    KeyTimes times() {
        return times;
    }

    boolean isOfLateRecord(SimulatedUnit.Timer timer) {
        return ledger.isOfLateRecord(timer);
    }

    long emittedWatermark() {
        return emittedWatermark;
    }

    /** Something that another thread does, and then has this one do. */
    void later(long nanos, TaskThread.Mail mail) {
        world.at(world.now() + nanos, () -> mails.execute(mail, "Data in the background"));
    }

    int[] broadcastState() {
        return broadcastState;
    }

    void setBroadcastState(int[] state) {
        broadcastState = state;
    }

    Map<Integer, SimulatedUnit> units() {
        return units;
    }

    /** How many records were processed here. */
    long processed() {
        return listState;
    }

    SubtaskRescale<SimulatedElement> driver() {
        return driver;
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

    /** What a rescale has put into a channel to or from it, or into its backlog; null: nothing. */
    @Nullable
    String inFlightOfRescale() {
        if (isStepRunning() || hasBacklog()) {
            return "a step, or a backlog, of " + this;
        }
        for (List<ArrayDeque<SimulatedElement>> side : Arrays.asList(channels, outputs)) {
            for (ArrayDeque<SimulatedElement> channel : side) {
                for (SimulatedElement element : channel) {
                    if (element.kind.isOfRescale()) {
                        return element + ", next to " + this;
                    }
                }
            }
        }
        return null;
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
            lowest = Math.min(lowest, input.cap.emitted());
        }
        return lowest;
    }

    @Override
    boolean isBlocked() {
        int capacity = world.scenario().settings().channelCapacity;
        for (int i = 0; i < outputs.size(); i++) {
            // what goes to a consumer that has finished is dropped
            if (outputs.get(i).size() >= capacity && !isFinished(job.sinks[i])) {
                return true;
            }
        }
        return false;
    }

    private static boolean isFinished(@Nullable SimulatedSink consumer) {
        return consumer != null && consumer.isFinished();
    }

    // ------------------------------------------------------------------------
    //  Commands
    // ------------------------------------------------------------------------

    @Override
    void onCommand(TaskCommand command) throws Exception {
        if (command instanceof TaskCommand.Begin) {
            TaskCommand.Begin begin = (TaskCommand.Begin) command;
            driver.begin(begin.rescale(), begin.receives(), begin.singleUpstream());
        } else if (command instanceof TaskCommand.StartStep) {
            startStep((TaskCommand.StartStep) command);
        } else if (command instanceof TaskCommand.AlignWatermark) {
            TaskCommand.AlignWatermark align = (TaskCommand.AlignWatermark) command;
            long before = watermark();
            driver.alignWatermark(align.rescale(), align.watermark(), align.asks());
            if (watermark() > before) {
                world.onWatermarksAligned();
            }
        } else if (command instanceof TaskCommand.End) {
            driver.end(command.rescale());
        } else if (command instanceof TaskCommand.EndInput) {
            driver.endInput(command.rescale());
        } else if (command instanceof TaskCommand.Retire) {
            retire((TaskCommand.Retire) command);
        } else {
            throw new IllegalArgumentException("unknown command " + command);
        }
    }

    private void startStep(TaskCommand.StartStep command) throws Exception {
        takesPart = true;
        Map<Integer, AttemptId> attempts = new HashMap<>();
        command.peers().forEach((subtask, peer) -> attempts.put(subtask, peer.attempt()));
        peers.putAll(attempts);
        driver.startStep(
                command.rescale(), command.moves(), attempts, command.watermarkOfReceivers());
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

    // ------------------------------------------------------------------------
    //  Input
    // ------------------------------------------------------------------------

    private boolean canRead(int channel) {
        return !channels.get(channel).isEmpty()
                && !alignment.isBlocked(channel)
                && (migration == null || migration.mayRead())
                && !isBlocked();
    }

    private void read(int channel) throws Exception {
        if (migration == null) {
            readNext(channel);
        } else {
            migration.turn(
                    () -> canRead(channel) ? readNext(channel) : SubtaskMigration.Read.NOTHING);
            driver.afterProgress();
        }
    }

    private void turnWithoutInput() throws Exception {
        migration.turn(() -> SubtaskMigration.Read.NOTHING);
        driver.afterProgress();
    }

    private boolean hasBacklog() {
        return migration != null && migration.hasBacklog();
    }

    private SubtaskMigration.Read readNext(int channel) throws Exception {
        SimulatedElement element = channels.get(channel).poll();
        world.trace("%s reads %s of channel %d", name, element, channel);
        switch (element.kind) {
            case MARKER:
                if (migration != null) {
                    migration.onMarker(element.time, channel);
                }
                return SubtaskMigration.Read.EVENT;
            case BARRIER:
                if (alignment.onBarrier(element.time, channel, new BitSet())) {
                    takeCheckpoint(element.time);
                }
                return SubtaskMigration.Read.EVENT;
            case CANCEL:
                if (alignment.onCancel(element.time)) {
                    decline();
                }
                return SubtaskMigration.Read.EVENT;
            case END:
                open.clear(channel);
                ended.set(channel);
                if (alignment.onEnd()) {
                    decline();
                }
                if (migration != null) {
                    migration.onChannelEnded(channel);
                }
                return SubtaskMigration.Read.EVENT;
            case BROADCAST:
                if (migration != null) {
                    migration.onBroadcast(element);
                } else {
                    process(element);
                }
                return SubtaskMigration.Read.ELEMENT;
            case RECORD:
                if (migration != null) {
                    migration.onRecord(element);
                } else {
                    process(element);
                }
                return SubtaskMigration.Read.ELEMENT;
            default:
                if (migration != null) {
                    migration.onOther(element);
                } else {
                    process(element);
                }
                return SubtaskMigration.Read.ELEMENT;
        }
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
        if (master.coordinator().stands(id)) {
            checkIsWhole(id);
        } else if (hasFrozen()) {
            // as our backend for RocksDB: it has been aborted, and this has not been heard of
            emitEvent(SimulatedElement.barrier(index, id));
            tell(() -> master.coordinator().decline(id));
            return;
        }
        Snapshot part = new Snapshot(id, 0);
        units.forEach(
                (unit, state) -> {
                    SimulatedUnit copy = state.copy();
                    part.units.computeIfAbsent(unit, u -> new ArrayList<>()).add(copy);
                });
        if (!inputEnded) {
            part.broadcastStates.put(index, broadcastState.clone());
        }
        part.listStates.put(index, listState);
        part.listFormats.put(index, listFormat);
        sink.snapshot(id, part);
        emitEvent(SimulatedElement.barrier(index, id));
        tell(() -> master.coordinator().acknowledge(id, this, snapshot -> snapshot.add(part)));
    }

    private boolean hasFrozen() {
        return state != null && state.deferred() != null && state.deferred().hasFrozen();
    }

    private void checkIsWhole(long id) {
        Ledger.check(!hasFrozen(), "%s has data that has left in checkpoint %d", name, id);
        Ledger.check(
                state == null || state.deferred() == null || !state.deferred().isSettling(),
                "%s holds up checkpoint %d",
                name,
                id);
        units.forEach(
                (unit, state) ->
                        Ledger.check(
                                state.missing.isEmpty() && state.asleep.isEmpty(),
                                "the data of unit %d is not here in checkpoint %d",
                                unit,
                                id));
    }

    @Override
    void onCheckpointComplete(long checkpoint) {
        sink.onComplete(checkpoint);
        driver.afterCheckpointComplete(checkpoint);
    }

    // ------------------------------------------------------------------------
    //  Processing
    // ------------------------------------------------------------------------

    private void process(SimulatedElement element) throws Exception {
        switch (element.kind) {
            case RECORD:
                processRecord(element);
                break;
            case BROADCAST:
                processBroadcast(element);
                break;
            case ACTION:
                element.action.run();
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
        ledger.onProcessed(index, record, times.of(record.unit));
        SimulatedUnit unit = units.get(record.unit);
        checkHere(unit, record);
        long fold = unit.fold(record, channels.size());
        listState++;
        SimulatedUnit.Timer timer = SimulatedUnit.Timer.of(record);
        if (timer != null) {
            unit.timers.add(timer);
        }
        emit(record.key, 2 * record.index, record.time, fold);
    }

    private void checkHere(SimulatedUnit unit, SimulatedElement record) {
        Ledger.check(
                !unit.missing.contains(record.key),
                "%s gets %s before the data of its key",
                name,
                record);
    }

    private void processBroadcast(SimulatedElement record) {
        if (inputEnded) {
            return;
        }
        world.trace("%s processes %s of channel %d", name, record, record.channel);
        for (SimulatedUnit unit : units.values()) {
            Ledger.check(unit.missing.isEmpty(), "%s gets %s before all data", name, record);
        }
        ledger.onBroadcast(index, record, emittedWatermark, units, broadcastState);
        broadcastState[record.channel]++;
        units.values().forEach(unit -> unit.broadcasts.merge(record.channel, 1, Integer::sum));
    }

    private void onInputWatermark() throws Exception {
        long watermark = watermark();
        Ledger.check(watermark >= emittedWatermark, "the watermark of %s has fallen", name);
        if (watermark > emittedWatermark && !inputEnded) {
            emittedWatermark = watermark;
            if (units.values().stream().anyMatch(unit -> !unit.missing.isEmpty())) {
                world.onRiseAmidData();
            }
            times.onWatermark(watermark);
            fireTimers(watermark);
            // as if each key had a window to be evaluated now
            units.keySet().forEach(unit -> ledger.onTime(index, unit, times.of(unit)));
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
        ledger.onTimer(index, timer, times.of(timer.record.unit));
        SimulatedElement record = timer.record;
        checkHere(units.get(record.unit), record);
        emit(record.key, 2 * record.index + 1, timer.time, timer.time);
    }

    private void emit(int key, int number, long time, long value) {
        SimulatedElement output =
                SimulatedElement.output(index, key, ledger.onResult(key), number, time, value);
        if (!world.oracle().isLate(number / 2)) {
            job.downstream.emit(index, output.time, output);
        }
        sink.add(output);
        outside.add(output);
        outputs.get(output.key % outputs.size()).add(output);
    }

    private void emitEvent(SimulatedElement event) {
        if (!retired) {
            outputs.forEach(o -> o.add(event));
        }
    }

    // ------------------------------------------------------------------------
    //  MigrationEnvironment
    // ------------------------------------------------------------------------

    @Override
    public TaskThread thread() {
        return mails;
    }

    @Override
    public MigrationInputs<SimulatedElement> inputs() {
        return new Inputs();
    }

    @Override
    public MigrationReports reports() {
        return new MigrationReporter(() -> SOMEWHERE, this::tellAndReport);
    }

    private void tellAndReport(TaskReport report) {
        if (report instanceof TaskReport.StepCompleted) {
            TaskReport.StepCompleted completed = (TaskReport.StepCompleted) report;
            world.onStepCompleted(completed.statistics);
            world.trace("%s has completed step %d", name, completed.step);
        } else if (report instanceof TaskReport.DataCompleted) {
            TaskReport.DataCompleted completed = (TaskReport.DataCompleted) report;
            world.onDataCompleted(completed.statistics);
            world.trace("%s has all data of step %d", name, completed.step);
        }
        report(report);
    }

    @Override
    public Handovers.Port consumers() {
        return new Handovers.Port() {
            @Override
            public int handedOver(Handover handover) {
                emitEvent(SimulatedElement.handedOver(index, handover));
                return 1;
            }

            @Override
            public int takenOver(int donor, Handover handover) {
                emitEvent(SimulatedElement.takenOver(index, donor, handover));
                return 1;
            }
        };
    }

    @Override
    public UnitState openState() {
        boolean deferred = world.scenario().settings().dataIsDeferred;
        state = new SimulatedState(this, deferred ? new SimulatedData(this, world) : null);
        return state;
    }

    @Override
    public ResultDrain openDrain() {
        return new Drain();
    }

    @Override
    public PeerLink link() {
        return new Link();
    }

    @Override
    public void endOperators(Runnable whenQuiet) {
        inputEnded = true;
        emitEvent(SimulatedElement.idle(index));
        whenQuiet.run();
    }

    /** The task thread: mails of different kinds get their turn in any order. */
    private final class Mails implements TaskThread {
        private final Map<String, ArrayDeque<Mail>> byKind = new HashMap<>();

        @Override
        public long nanoTime() {
            return world.pass();
        }

        @Override
        public void execute(Mail mail, String description) {
            if (!isDead() && !isFinished()) {
                byKind.computeIfAbsent(description, this::addKind).add(mail);
            }
        }

        private ArrayDeque<Mail> addKind(String description) {
            ArrayDeque<Mail> mails = new ArrayDeque<>();
            act(() -> !mails.isEmpty() && !isBlocked(), () -> mails.remove().run()).crawls =
                    description.equals(SubtaskRescale.BACKLOG)
                            && world.scenario().settings().slowOperators;
            return mails;
        }

        @Override
        public void executeAfter(long nanos, Mail mail, String description) {
            world.at(world.now() + nanos, () -> execute(mail, description));
        }

        private void clear() {
            byKind.values().forEach(ArrayDeque::clear);
        }
    }

    private final class Inputs implements MigrationInputs<SimulatedElement> {
        @Override
        public BitSet openChannels() {
            return (BitSet) open.clone();
        }

        @Override
        public BitSet broadcastChannels() {
            return (BitSet) job.broadcastChannels.clone();
        }

        @Override
        public long watermark() {
            return SimulatedElastic.this.watermark();
        }

        @Override
        public long uncappedWatermark() {
            long lowest = Long.MAX_VALUE;
            for (SimulatedInput input : inputs) {
                lowest = Math.min(lowest, input.cap.come());
            }
            return lowest;
        }

        @Override
        public void closeWatermark() {
            inputs.forEach(input -> input.cap.close());
        }

        @Override
        public void raiseWatermark(long watermark) throws Exception {
            for (SimulatedInput input : inputs) {
                if (input.cap.raise(watermark)) {
                    onInputWatermark();
                }
            }
        }

        @Override
        public SimulatedElement action(TaskThread.Mail action) {
            return SimulatedElement.action(action);
        }

        @Override
        public DeferredKey keyOf(SimulatedElement record) {
            return SimulatedData.keyOf(record);
        }

        @Override
        public void process(SimulatedElement element) throws Exception {
            SimulatedElastic.this.process(element);
        }

        @Override
        public byte[] serialize(SimulatedElement record) throws IOException {
            return Bytes.write(record::write);
        }

        @Override
        public int inputOf(SimulatedElement record) {
            return 0;
        }

        @Override
        public SimulatedElement deserialize(byte[] record, int input, int channel, int unit)
                throws IOException {
            SimulatedElement element = SimulatedElement.read(Bytes.read(record));
            Ledger.check(
                    element.channel == channel && element.unit == unit,
                    "%s comes as one of unit %d and channel %d",
                    element,
                    unit,
                    channel);
            return element;
        }

        @Override
        public void attach(@Nullable SubtaskMigration<SimulatedElement> next) {
            migration = next;
        }

        @Override
        public void readOn() {
            // the schedule looks by itself whether it may
        }

        @Override
        public void holdEnd() {
            holdsEnd = true;
        }

        @Override
        public void releaseEnd() {
            holdsEnd = false;
        }
    }

    /** Has the sink write what it had when the drain began, in a thread of its own. */
    private final class Drain implements ResultDrain {
        private int results;
        private TaskThread.Mail whenDrained;
        private boolean closed;

        @Override
        public boolean holdsBack() {
            return outside.size() > 0;
        }

        @Override
        public void drain(TaskThread.Mail action) throws Exception {
            Ledger.check(draining == null, "%s is drained twice", name);
            if (outside.size() == 0) {
                action.run();
                return;
            }
            results = outside.size();
            whenDrained = action;
            draining = this;
        }

        @Override
        public void close() {
            closed = true;
            if (draining == this) {
                draining = null;
            }
        }
    }

    private void endDrain() {
        Drain ending = draining;
        draining = null;
        world.trace("%s has drained its sink", name);
        outside.write(Math.min(ending.results, outside.size()));
        mails.execute(
                () -> {
                    if (!ending.closed) {
                        ending.whenDrained.run();
                    }
                },
                "The sink is drained");
    }

    private final class Link implements PeerLink {
        @Override
        public void send(
                UUID rescale, int peer, Priority priority, long sequence, PeerMessage message) {
            world.transport()
                    .send(
                            peers.get(peer),
                            peer,
                            new TestEnvelope(rescale, index, attempt, priority, sequence, message));
        }

        @Override
        public void release(
                UUID rescale, int peer, Priority priority, long sequence, PeerMessage message) {
            // it is kept by nobody else
        }

        @Override
        public InFlightBytes inFlight() {
            return world.inFlight();
        }

        @Override
        public ExchangeMetrics metrics() {
            return UncountedExchange.INSTANCE;
        }
    }
}
