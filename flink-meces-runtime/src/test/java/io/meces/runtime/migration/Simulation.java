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
import io.meces.runtime.plan.Assignment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * A job with an elastic vertex that is rescaled while records flow, on one thread and without a
 * clock: what happens next is drawn from a seed. After each event the {@link Ledger} and the {@link
 * SimulatedDownstream} have been asked whether it may happen.
 */
final class Simulation {

    private static final int MAX_EVENTS = 200_000;

    /** How eager an actor is; drawn anew from time to time, so any of them may crawl for long. */
    private static final int[] EAGERNESS = {0, 0, 1, 2, 4, 16};

    private final Variant variant;
    private final Consumer<String> trace;
    private final Random random;

    private final int upstreamCount;
    private final int capacity;
    private final int keyGroups;
    private final int subGroups;
    private final int keysPerUnit = 2;
    private final int maxBacklog;
    private final int pushWindow;
    private final int channelCapacity;
    private final boolean uniform;

    /** Operators that hardly ever get to work: backlogs outlive steps and rescales. */
    private final boolean slowOperators;

    private final int patience;
    private final List<BitSet> channelsOfInputs = new ArrayList<>();
    private final BitSet broadcastChannels = new BitSet();
    private final int[] keys;

    private final Ledger ledger;
    private final SimulatedDownstream downstream = new SimulatedDownstream();
    private final SimulatedUpstream[] upstreams;
    private final SimulatedSubtask[] subtasks;
    private final SimulatedController controller;
    private int rescalesLeft;

    /** By sender, and by receiver and lane: within a lane messages keep their order. */
    private final List<List<ArrayDeque<SimulatedMessage>>> links = new ArrayList<>();

    /** By task: first the elastic subtasks, then the upstreams. */
    private final List<ArrayDeque<Event>> commands = new ArrayList<>();

    private final List<ArrayDeque<Event>> reports = new ArrayList<>();

    private final List<Actor> actors = new ArrayList<>();
    private int events;
    private long unitsPushed;
    private long unitsOnDemand;
    private long recordsForwarded;
    private long recordsParked;

    Simulation(long seed, Variant variant, Consumer<String> trace) {
        this.variant = variant;
        this.trace = trace;
        this.random = new Random(seed * 0x9E3779B97F4A7C15L);
        upstreamCount = 1 + random.nextInt(4);
        capacity = 2 + random.nextInt(4);
        keyGroups = 4 + random.nextInt(13);
        subGroups = 1 + random.nextInt(4);
        maxBacklog = random.nextInt(3) == 0 ? 1 + random.nextInt(10) : 1_000;
        pushWindow = 1 + random.nextInt(6);
        channelCapacity = random.nextBoolean() ? 2 + random.nextInt(8) : 1_000;
        uniform = random.nextBoolean();
        slowOperators = random.nextInt(4) == 0;
        patience = random.nextBoolean() ? 1 : 20;
        rescalesLeft = 1 + random.nextInt(random.nextInt(4) == 0 ? 16 : 4);
        drawInputs();

        int units = keyGroups * subGroups;
        ledger = new Ledger(units, keysPerUnit, upstreamCount);
        keys = new int[1 + random.nextInt(units * keysPerUnit)];
        for (int i = 0; i < keys.length; i++) {
            keys[i] = random.nextInt(units * keysPerUnit);
        }
        int parallelism = 1 + random.nextInt(Math.min(capacity, keyGroups));
        Assignment assignment = Assignment.contiguous(keyGroups, parallelism);
        subtasks = new SimulatedSubtask[capacity];
        upstreams = new SimulatedUpstream[upstreamCount];
        for (int i = 0; i < capacity; i++) {
            List<ArrayDeque<SimulatedMessage>> ofSender = new ArrayList<>();
            for (int k = 0; k < capacity * Lane.COUNT; k++) {
                ofSender.add(new ArrayDeque<>());
            }
            links.add(ofSender);
        }
        for (int i = 0; i < capacity + upstreamCount; i++) {
            commands.add(new ArrayDeque<>());
            reports.add(new ArrayDeque<>());
        }
        for (int i = 0; i < parallelism; i++) {
            deploy(i, false);
        }
        for (int unit = 0; unit < units; unit++) {
            subtasks[assignment.owner(unit / subGroups)].give(unit, new SimulatedUnit());
        }
        boolean ends = random.nextBoolean();
        for (int u = 0; u < upstreamCount; u++) {
            upstreams[u] =
                    new SimulatedUpstream(
                            u,
                            this,
                            assignment.toArray(),
                            parallelism,
                            random.nextInt(150),
                            ends || random.nextInt(4) == 0,
                            2 + random.nextInt(10),
                            broadcastChannels.get(u));
        }
        controller = new SimulatedController(this, random, assignment, parallelism);
        addActors();
    }

    private void drawInputs() {
        BitSet first = new BitSet();
        first.set(0, upstreamCount);
        channelsOfInputs.add(first);
        if (upstreamCount > 1 && random.nextInt(2) == 0) {
            int split = 1 + random.nextInt(upstreamCount - 1);
            first.clear(split, upstreamCount);
            BitSet second = new BitSet();
            second.set(split, upstreamCount);
            channelsOfInputs.add(second);
            if (random.nextInt(3) > 0) {
                broadcastChannels.or(second);
            }
        }
    }

    // ------------------------------------------------------------------------
    //  Running
    // ------------------------------------------------------------------------

    private void addActors() {
        for (SimulatedUpstream upstream : upstreams) {
            add(true, upstream::canEmit, () -> upstream.emit(random, keys));
        }
        add(
                true,
                () -> rescalesLeft > 0 && controller.isIdle() && random.nextInt(patience) == 0,
                () -> {
                    rescalesLeft--;
                    controller.rescale();
                });
        for (int i = 0; i < capacity; i++) {
            int s = i;
            for (int c = 0; c < upstreamCount; c++) {
                int channel = c;
                add(
                        false,
                        () -> subtasks[s] != null && subtasks[s].canRead(channel),
                        () -> subtasks[s].read(channel));
            }
            add(
                                    false,
                                    () -> subtasks[s] != null && subtasks[s].hasBacklog(),
                                    () -> subtasks[s].processBacklog())
                            .crawls =
                    slowOperators;
            add(
                    false,
                    () -> subtasks[s] != null && subtasks[s].canPush(),
                    () -> subtasks[s].push());
            add(
                    false,
                    () -> subtasks[s] != null && subtasks[s].canFinish(),
                    () -> subtasks[s].finish());
            for (int k = 0; k < capacity; k++) {
                for (Lane lane : Lane.values()) {
                    ArrayDeque<SimulatedMessage> link = link(k, s, lane);
                    add(false, () -> !link.isEmpty(), () -> deliver(link, s));
                }
            }
        }
        for (ArrayDeque<Event> queue : commands) {
            add(false, () -> !queue.isEmpty(), () -> queue.poll().happen());
        }
        for (ArrayDeque<Event> queue : reports) {
            add(false, () -> !queue.isEmpty(), () -> queue.poll().happen());
        }
    }

    private Actor add(boolean fromOutside, BooleanSupplier possible, Event event) {
        Actor actor = new Actor(fromOutside, possible, event);
        actors.add(actor);
        return actor;
    }

    private void deliver(ArrayDeque<SimulatedMessage> link, int receiver) throws Exception {
        SimulatedMessage message = link.poll();
        if (variant == Variant.LINK_NOT_IN_ORDER && random.nextInt(4) == 0 && !link.isEmpty()) {
            link.add(message);
            message = link.poll();
        }
        trace("subtask %d gets %s", receiver, message);
        if (subtasks[receiver] != null) {
            subtasks[receiver].handle(message);
        }
    }

    /** Runs to the end, with pauses of the outside in which everything must come to rest. */
    void run() throws Exception {
        drawEagerness();
        while (true) {
            if (events % 64 == 0) {
                drawEagerness();
            }
            if (random.nextInt(1_000) == 0) {
                settle();
            }
            if (!next(true) && rescalesLeft == 0) {
                break;
            }
        }
        settle();
        for (int unit = 0; unit < keyGroups * subGroups; unit++) {
            ledger.onState(unit, subtasks[ledger.holder(unit)].units().get(unit));
        }
    }

    /** Nothing comes from outside: what has begun must end by itself. */
    private void settle() throws Exception {
        while (next(false)) {
            // until nothing is left to happen
        }
        Ledger.check(controller.isIdle(), "a rescale is stuck: %s", controller);
        for (SimulatedSubtask subtask : subtasks) {
            if (subtask != null) {
                Ledger.check(
                        !subtask.isStepRunning(), "subtask %d is stuck in a step", subtask.index);
                Ledger.check(
                        subtask.isFinished() || subtask.watermark() == watermark(),
                        "subtask %d is at watermark %d instead of %d",
                        subtask.index,
                        subtask.watermark(),
                        watermark());
            }
        }
        ledger.onQuiet(watermark());
        for (SimulatedSubtask subtask : subtasks) {
            if (subtask != null) {
                ledger.onQuiet(subtask.index, subtask.units(), subtask.broadcastState());
            }
        }
    }

    /** The watermark that a subtask which has read all is at. */
    private long watermark() {
        long lowest = Long.MAX_VALUE;
        for (SimulatedUpstream upstream : upstreams) {
            lowest = Math.min(lowest, upstream.watermark());
        }
        return lowest;
    }

    private void drawEagerness() {
        for (Actor actor : actors) {
            actor.eagerness =
                    actor.crawls && random.nextInt(24) != 0
                            ? 0
                            : EAGERNESS[random.nextInt(EAGERNESS.length)];
        }
    }

    private boolean next(boolean withOutside) throws Exception {
        int total = 0;
        boolean any = false;
        for (Actor actor : actors) {
            actor.weight = 0;
            if ((withOutside || !actor.fromOutside) && actor.possible.getAsBoolean()) {
                any = true;
                actor.weight = actor.eagerness;
                total += actor.weight;
            }
        }
        if (!any) {
            return false;
        }
        if (total == 0) {
            drawEagerness();
            return true;
        }
        int drawn = random.nextInt(total);
        for (Actor actor : actors) {
            drawn -= actor.weight;
            if (drawn < 0) {
                events++;
                Ledger.check(events < MAX_EVENTS, "no end after %d events", events);
                actor.event.happen();
                return true;
            }
        }
        throw new IllegalStateException();
    }

    // ------------------------------------------------------------------------
    //  What the parts need of each other
    // ------------------------------------------------------------------------

    void send(int from, int receiver, SimulatedMessage message) {
        link(from, receiver, message.lane).add(message);
    }

    private ArrayDeque<SimulatedMessage> link(int from, int receiver, Lane lane) {
        return links.get(from).get(receiver * Lane.COUNT + lane.ordinal());
    }

    void send(int receiver, SimulatedMessage message) {
        send(message.from, receiver, message);
    }

    /** For the controller to tell a subtask; {@code otherwise} if it does not run any more. */
    void command(int subtask, String name, Command command, Event otherwise) {
        commands.get(subtask)
                .add(
                        () -> {
                            trace("subtask %d is told: %s", subtask, name);
                            if (subtasks[subtask] == null || subtasks[subtask].isFinished()) {
                                otherwise.happen();
                            } else {
                                command.carryOut(subtasks[subtask]);
                            }
                        });
    }

    void commandUpstream(int upstream, String name, Event command, Event otherwise) {
        commands.get(capacity + upstream)
                .add(
                        () -> {
                            trace("upstream %d is told: %s", upstream, name);
                            if (upstreams[upstream].isFinished()) {
                                otherwise.happen();
                            } else {
                                command.happen();
                            }
                        });
    }

    void report(int subtask, Event received) {
        reports.get(subtask).add(received);
    }

    void reportOfUpstream(int upstream, Event received) {
        reports.get(capacity + upstream).add(received);
    }

    void onStepCompleted(int subtask, long step, long watermark, StepStatistics statistics) {
        unitsPushed += statistics.unitsSent - statistics.unitsOnDemand;
        unitsOnDemand += statistics.unitsOnDemand;
        recordsForwarded += statistics.recordsForwarded;
        recordsParked += statistics.recordsParked;
        trace("subtask %d has completed step %d", subtask, step);
        report(subtask, () -> controller.onStepCompleted(subtask, step, watermark));
    }

    void deploy(int subtask, boolean whileTheJobRuns) {
        subtasks[subtask] = new SimulatedSubtask(subtask, this, channelsOfInputs, whileTheJobRuns);
        downstream.connect(subtask);
    }

    void remove(int subtask) {
        for (int c = 0; c < upstreamCount; c++) {
            for (SimulatedElement element : subtasks[subtask].channel(c)) {
                Ledger.check(
                        element.kind != SimulatedElement.Kind.RECORD,
                        "subtask %d has left, and %s was on its way there",
                        subtask,
                        element);
            }
        }
        subtasks[subtask] = null;
    }

    /** A subtask that is not connected yet goes again. */
    void undeploy(int subtask) {
        downstream.disconnect(subtask);
        subtasks[subtask] = null;
    }

    /** An upstream has ended before it was connected to new subtasks. */
    void endNewChannels(int upstream, int from, int to) {
        for (int subtask = from; subtask < to; subtask++) {
            ArrayDeque<SimulatedElement> channel = channel(subtask, upstream);
            channel.add(SimulatedElement.watermark(upstream, Long.MAX_VALUE));
            channel.add(SimulatedElement.end(upstream));
        }
    }

    ArrayDeque<SimulatedElement> channel(int subtask, int upstream) {
        return subtasks[subtask].channel(upstream);
    }

    boolean hasFinishedUpstream() {
        for (SimulatedUpstream upstream : upstreams) {
            if (upstream.isFinished()) {
                return true;
            }
        }
        return false;
    }

    void trace(String format, Object... arguments) {
        if (trace != null) {
            trace.accept(String.format("%6d ", events) + String.format(format, arguments));
        }
    }

    Variant variant() {
        return variant;
    }

    Ledger ledger() {
        return ledger;
    }

    SimulatedDownstream downstream() {
        return downstream;
    }

    SimulatedUpstream upstream(int index) {
        return upstreams[index];
    }

    SimulatedController controller() {
        return controller;
    }

    BitSet broadcastChannels() {
        return broadcastChannels;
    }

    int upstreams() {
        return upstreamCount;
    }

    int capacity() {
        return capacity;
    }

    int keyGroups() {
        return keyGroups;
    }

    int subGroups() {
        return subGroups;
    }

    int unitOfKey(int key) {
        return key / keysPerUnit;
    }

    int maxBacklog() {
        return maxBacklog;
    }

    int pushWindow() {
        return pushWindow;
    }

    int channelCapacity() {
        return channelCapacity;
    }

    boolean isUniform() {
        return uniform;
    }

    long unitsPushed() {
        return unitsPushed;
    }

    long unitsOnDemand() {
        return unitsOnDemand;
    }

    long recordsForwarded() {
        return recordsForwarded;
    }

    long recordsParked() {
        return recordsParked;
    }

    int events() {
        return events;
    }

    /** Something that happens. */
    @FunctionalInterface
    interface Event {
        void happen() throws Exception;
    }

    /** What a subtask is told to do. */
    @FunctionalInterface
    interface Command {
        void carryOut(SimulatedSubtask subtask) throws Exception;
    }

    /** One source of events. */
    private static final class Actor {
        private final boolean fromOutside;
        private final BooleanSupplier possible;
        private final Event event;
        private boolean crawls;
        private int eagerness;
        private int weight;

        private Actor(boolean fromOutside, BooleanSupplier possible, Event event) {
            this.fromOutside = fromOutside;
            this.possible = possible;
            this.event = event;
        }
    }
}
