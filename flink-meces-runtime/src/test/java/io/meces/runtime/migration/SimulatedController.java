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

import io.meces.runtime.plan.Assignment;
import io.meces.runtime.plan.Move;
import io.meces.runtime.plan.Planner;
import io.meces.runtime.plan.RescalePlan;
import io.meces.runtime.plan.Step;
import io.meces.runtime.plan.UniformStrategy;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** The controller of rescales: sends the same commands in the same order as in production. */
final class SimulatedController {

    /** What the controller waits for. */
    enum Phase {
        IDLE,
        CONNECTING,
        BEGINNING,
        STARTING,
        MIGRATING,
        UNDEPLOYING,
        RETIRING,
        DISCONNECTING
    }

    /** The subtask that hands over its broadcast state; it is never retired. */
    private static final int GIVER = 0;

    private final Simulation world;
    private final Random random;
    private Assignment assignment;
    private int connected;
    private int rescales;
    private int stepsStarted;
    private int plansGivenUp;
    private int chains;
    private int handovers;
    private long stepNumber;
    private Runnable afterStep;

    private Phase phase = Phase.IDLE;
    private int awaited;
    private int to;
    private RescalePlan plan;
    private int stepsCompleted;
    private StepMoves moves;

    /** Where all input has ended, a step completes without the upstreams' switch. */
    private final Map<Integer, Long> completedEarly = new TreeMap<>();

    private final Set<Integer> participants = new TreeSet<>();
    private final Map<Integer, Long> watermarks = new HashMap<>();
    private long watermarkOfReceivers;

    SimulatedController(Simulation world, Random random, Assignment assignment, int connected) {
        this.world = world;
        this.random = random;
        this.assignment = assignment;
        this.connected = connected;
    }

    boolean isIdle() {
        return phase == Phase.IDLE;
    }

    int stepsStarted() {
        return stepsStarted;
    }

    int rescales() {
        return rescales;
    }

    int plansGivenUp() {
        return plansGivenUp;
    }

    int handovers() {
        return handovers;
    }

    /** Steps in which a subtask gave and took. */
    int chains() {
        return chains;
    }

    @Override
    public String toString() {
        return phase + ", waiting for " + awaited + " report(s), " + moves;
    }

    private void enter(Phase next, int reports) {
        phase = next;
        awaited = reports;
    }

    private void got(Phase expected, Runnable done) {
        if (phase == expected && --awaited == 0) {
            done.run();
        }
    }

    // ------------------------------------------------------------------------
    //  Begin
    // ------------------------------------------------------------------------

    void rescale() {
        to = 1 + random.nextInt(Math.min(world.capacity(), world.keyGroups()));
        if (to > connected && world.hasFinishedUpstream()) {
            return;
        }
        Assignment target;
        if (world.isUniform()) {
            target = new UniformStrategy().target(assignment, to);
        } else {
            int[] owners = assignment.toArray();
            boolean few = random.nextBoolean();
            for (int keyGroup = 0; keyGroup < owners.length; keyGroup++) {
                if (owners[keyGroup] >= to || !few || random.nextInt(3) == 0) {
                    owners[keyGroup] = random.nextInt(to);
                }
            }
            target = Assignment.of(owners);
        }
        plan = Planner.plan(assignment, target, 1 + random.nextInt(4));
        rescales++;
        stepsCompleted = 0;
        watermarks.clear();
        watermarkOfReceivers = Long.MIN_VALUE;
        world.trace("rescale %d from %d to %d subtasks: %s", rescales, connected, to, plan);
        begin();
    }

    private void begin() {
        participants.clear();
        Set<Integer> receivers = new TreeSet<>();
        for (Step step : plan.steps()) {
            participants.addAll(step.donors());
            receivers.addAll(step.receivers());
        }
        participants.addAll(receivers);
        if (to > connected) {
            for (int subtask = connected; subtask < to; subtask++) {
                world.deploy(subtask, true);
            }
            if (!world.broadcastChannels().isEmpty()) {
                participants.add(GIVER);
                takers().stream().forEach(participants::add);
            }
        }
        enter(Phase.BEGINNING, participants.size());
        if (participants.isEmpty()) {
            begun();
        }
        int id = rescales;
        for (int subtask : participants) {
            world.command(
                    subtask,
                    "begin",
                    s -> {
                        s.begin(id, receivers.contains(subtask));
                        long watermark = s.watermark();
                        world.report(subtask, () -> onBegun(id, subtask, watermark));
                    },
                    () -> {
                        if (phase == Phase.BEGINNING && rescales == id) {
                            giveUp();
                        }
                    });
        }
    }

    private void onBegun(int id, int subtask, long watermark) {
        if (id == rescales) {
            watermarks.put(subtask, watermark);
            got(Phase.BEGINNING, this::begun);
        }
    }

    private void begun() {
        for (Step step : plan.steps()) {
            for (int receiver : step.receivers()) {
                watermarkOfReceivers = Math.max(watermarkOfReceivers, watermarks.get(receiver));
            }
        }
        if (to > connected) {
            connect();
        } else {
            nextStep();
        }
    }

    private void connect() {
        int from = connected;
        enter(Phase.CONNECTING, world.upstreams());
        for (int u = 0; u < world.upstreams(); u++) {
            int upstream = u;
            world.commandUpstream(
                    upstream,
                    "connect",
                    () -> {
                        world.upstream(upstream).connect(from, to);
                        world.reportOfUpstream(
                                upstream, () -> got(Phase.CONNECTING, this::connected));
                    },
                    () -> {
                        world.endNewChannels(upstream, from, to);
                        got(Phase.CONNECTING, this::connected);
                    });
        }
    }

    private void connected() {
        BitSet takers = takers();
        connected = to;
        if (world.broadcastChannels().isEmpty()) {
            nextStep();
        } else {
            handovers++;
            start(StepMoves.handover(++stepNumber, GIVER, takers), this::nextStep);
        }
    }

    private BitSet takers() {
        BitSet takers = new BitSet();
        takers.set(connected, to);
        return takers;
    }

    // ------------------------------------------------------------------------
    //  Steps
    // ------------------------------------------------------------------------

    private void nextStep() {
        assignment = plan.after(stepsCompleted);
        if (stepsCompleted == plan.steps().size()) {
            end();
        } else if (random.nextInt(50) == 0) {
            giveUp();
        } else {
            start(plan.steps().get(stepsCompleted));
        }
    }

    private void start(Step step) {
        stepsStarted++;
        List<Move> list = new ArrayList<>(step.moves());
        StepMoves ofStep =
                new StepMoves(
                        ++stepNumber,
                        list.stream().mapToInt(Move::keyGroup).toArray(),
                        list.stream().mapToInt(Move::from).toArray(),
                        list.stream().mapToInt(Move::to).toArray());
        if (step.donors().stream().anyMatch(step.receivers()::contains)) {
            chains++;
        }
        start(
                ofStep,
                () -> {
                    stepsCompleted++;
                    nextStep();
                });
    }

    private void start(StepMoves next, Runnable then) {
        moves = next;
        afterStep = then;
        watermarkOfReceivers = Math.max(watermarkOfReceivers, lowestOfDonors());
        long limit = watermarkOfReceivers;
        long cap = world.variant() == Variant.RECEIVERS_NOT_LEVELLED ? lowestOfDonors() : limit;
        StepMoves current = moves;
        world.trace("%s: cap %d, receivers at %d", moves, cap, limit);
        enter(Phase.STARTING, (int) moves.participants().stream().count());
        moves.participants().stream()
                .forEach(
                        subtask ->
                                world.command(
                                        subtask,
                                        "start step",
                                        s ->
                                                s.startStep(
                                                        current,
                                                        cap,
                                                        limit,
                                                        () ->
                                                                world.report(
                                                                        subtask, this::onStarted)),
                                        () -> fail(subtask)));
        if (world.variant() == Variant.SWITCH_BEFORE_STARTED) {
            switchUpstreams();
        }
    }

    private void onStarted() {
        got(
                Phase.STARTING,
                () -> {
                    enter(Phase.MIGRATING, toComplete());
                    if (world.variant() != Variant.SWITCH_BEFORE_STARTED) {
                        switchUpstreams();
                    }
                    Map<Integer, Long> early = new TreeMap<>(completedEarly);
                    completedEarly.clear();
                    early.forEach((s, watermark) -> onStepCompleted(s, moves.step(), watermark));
                });
    }

    private int toComplete() {
        return world.variant() == Variant.DONORS_NOT_AWAITED && moves.size() > 0
                ? plan.steps().get(stepsCompleted).receivers().size()
                : (int) moves.participants().stream().count();
    }

    private void switchUpstreams() {
        StepMoves current = moves;
        for (int u = 0; u < world.upstreams(); u++) {
            int upstream = u;
            world.commandUpstream(
                    upstream,
                    "switch",
                    () -> world.upstream(upstream).switchRouting(current),
                    () -> {});
        }
    }

    private long lowestOfDonors() {
        long lowest = Long.MAX_VALUE;
        for (int i = stepsCompleted; i < plan.steps().size(); i++) {
            for (int donor : plan.steps().get(i).donors()) {
                lowest = Math.min(lowest, watermarks.get(donor));
            }
        }
        return lowest;
    }

    void onStepCompleted(int subtask, long step, long watermark) {
        if (step != moves.step()) {
            return;
        }
        if (phase == Phase.STARTING) {
            if (world.variant() != Variant.EARLY_COMPLETION_IGNORED) {
                completedEarly.put(subtask, watermark);
            }
            return;
        }
        watermarks.put(subtask, watermark);
        if (world.variant() == Variant.DONORS_NOT_AWAITED
                && moves.size() > 0
                && !plan.steps().get(stepsCompleted).receivers().contains(subtask)) {
            return;
        }
        got(Phase.MIGRATING, afterStep);
    }

    private void fail(int subtask) {
        throw new Violation("subtask " + subtask + " has ended in the middle of a rescale");
    }

    // ------------------------------------------------------------------------
    //  End
    // ------------------------------------------------------------------------

    private void sendEnd() {
        for (int subtask : participants) {
            world.command(subtask, "end", SimulatedSubtask::end, () -> {});
        }
    }

    private void giveUp() {
        plansGivenUp++;
        if (world.variant() == Variant.END_ONLY_WHERE_BEGUN) {
            participants.retainAll(watermarks.keySet());
        }
        world.trace("rescale %d is given up", rescales);
        sendEnd();
        if (to <= connected) {
            enter(Phase.IDLE, 0);
            return;
        }
        enter(Phase.UNDEPLOYING, to - connected);
        for (int k = connected; k < to; k++) {
            int subtask = k;
            world.command(
                    subtask,
                    "undeploy",
                    s -> world.report(subtask, () -> got(Phase.UNDEPLOYING, this::undeployed)),
                    () -> fail(subtask));
        }
    }

    private void undeployed() {
        for (int k = connected; k < to; k++) {
            world.undeploy(k);
        }
        enter(Phase.IDLE, 0);
    }

    private void end() {
        world.trace("rescale %d has migrated all", rescales);
        sendEnd();
        if (to >= connected || world.hasFinishedUpstream()) {
            enter(Phase.IDLE, 0);
            return;
        }
        enter(Phase.RETIRING, connected - to);
        for (int k = to; k < connected; k++) {
            int subtask = k;
            world.command(
                    subtask,
                    "retire",
                    s -> {
                        s.leave();
                        world.downstream().disconnect(subtask);
                        world.report(subtask, () -> got(Phase.RETIRING, this::disconnect));
                    },
                    () -> got(Phase.RETIRING, this::disconnect));
        }
    }

    private void disconnect() {
        enter(Phase.DISCONNECTING, world.upstreams());
        for (int u = 0; u < world.upstreams(); u++) {
            int upstream = u;
            world.commandUpstream(
                    upstream,
                    "disconnect",
                    () -> {
                        for (int k = to; k < connected; k++) {
                            world.upstream(upstream).disconnect(k);
                        }
                        world.reportOfUpstream(
                                upstream, () -> got(Phase.DISCONNECTING, this::disconnected));
                    },
                    () -> got(Phase.DISCONNECTING, this::disconnected));
        }
    }

    private void disconnected() {
        for (int k = to; k < connected; k++) {
            world.remove(k);
        }
        connected = to;
        enter(Phase.IDLE, 0);
    }
}
