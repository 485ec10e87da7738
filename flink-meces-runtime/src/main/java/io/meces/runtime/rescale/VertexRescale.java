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

package io.meces.runtime.rescale;

import io.meces.runtime.api.RescaleStatus;
import io.meces.runtime.event.TaskCommand;
import io.meces.runtime.event.TaskReport;
import io.meces.runtime.migration.StepMoves;
import io.meces.runtime.migration.StepStatistics;
import io.meces.runtime.plan.Move;
import io.meces.runtime.plan.RescalePlan;
import io.meces.runtime.plan.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.TimeoutException;
import javax.annotation.Nullable;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.util.FlinkException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rescale of one vertex. It goes through states, each a class, in this order:
 *
 * <pre>
 * Deploying     scale-out: the new subtasks get slots and run
 * Quiescing     checkpoints are held back, and those on their way complete
 * Beginning     donors and receivers get ready, read ahead, and tell watermark and address
 * Connecting    scale-out: upstreams and consumers open channels to the new subtasks
 * then for each step (if there are broadcast inputs, new subtasks get the broadcast state first, in
 * a step in which nothing else moves)
 *   Starting    its donors and receivers learn the moves
 *   Migrating   upstreams switch and send the marker; units move
 *   Pausing     if a checkpoint waits, it runs now
 * then
 * Draining      scale-in: the operators of the subtasks that leave end
 * Confirming    a checkpoint completes, and these operators have been told
 * Reading       what they have of list state is read from it
 * Retiring      they say good-bye to their consumers
 * Cancelling    they end
 * Disconnecting upstreams close the channels to them
 * </pre>
 *
 * <p>Owned by the JobMaster's main thread.
 */
final class VertexRescale {

    private static final Logger LOG = LoggerFactory.getLogger(VertexRescale.class);
    private static final Duration POLL = Duration.ofMillis(2);
    private static final String JOB_IS_ENDING = "the job is ending";
    private static final Duration NEWS = Duration.ofMillis(500);

    /** The subtask that hands over its broadcast state: it is never new. */
    private static final int GIVER = 0;

    private final String name;
    private final UUID id;
    private final ElasticVertex vertex;
    private final int from;
    private final int to;
    private final RescalePlan plan;
    private final RescaleSettings settings;
    private final RescaleContext context;
    private final Listener listener;

    /** The subtasks that were told to begin, whether they have reported it or not. */
    private final Set<Integer> begun = new TreeSet<>();

    private final Map<Integer, TaskReport.Begun> participants = new TreeMap<>();
    private final Map<Integer, Long> watermarks = new HashMap<>();
    private final CheckpointPace pace;
    private final long startNanos;
    private int stepsCompleted;
    private long unitsMigrated;
    private long unitsOnDemand;
    private long bytes;
    private long longestStopNanos;
    private long watermarkOfReceivers = Long.MIN_VALUE;
    @Nullable private Long firstRecordNanos;
    private RescaleStatus.State phase = RescaleStatus.State.DEPLOYING;
    private boolean migrated;
    private State state;

    /** Why it ends at the next step's boundary; null: it does not. */
    @Nullable private String stopReason;

    /** Has checkpoints carry the list state of the subtasks that leave. */
    private Runnable atEnd = () -> {};

    /**
     * @param name the rescale's, for the log
     * @param id tells the messages of this rescale from those of any other between the same tasks
     */
    VertexRescale(
            String name,
            UUID id,
            ElasticVertex vertex,
            int to,
            RescalePlan plan,
            RescaleSettings settings,
            RescaleContext context,
            Listener listener) {
        this.name = name;
        this.id = id;
        this.vertex = vertex;
        this.from = vertex.parallelism();
        this.to = to;
        this.plan = plan;
        this.settings = settings;
        this.context = context;
        this.listener = listener;
        this.startNanos = context.nanoTime();
        this.pace =
                new CheckpointPace(
                        settings.abortsCheckpoints(), context.checkpoints().timeoutNanos());
    }

    /** Who is told of the end. */
    interface Listener {

        /** All key-groups have moved: a restart of the job deals them out so. */
        void onMigrated();

        void onFinished();

        /** It was given up; the job goes on undisturbed. */
        void onGivenUp(String reason);

        /** As {@link #onGivenUp}, because a new subtask has failed. */
        void onNewSubtaskFailed(String reason);
    }

    void start() {
        if (to > from) {
            enter(new Deploying());
        } else {
            enter(new Quiescing(new Beginning()));
        }
    }

    void onReport(ExecutionAttemptID task, TaskReport report) {
        if (report.rescale != null && !report.rescale.equals(id)) {
            LOG.debug("Dropped {} of {}: it belongs to an earlier rescale", report, task);
        } else if (report instanceof TaskReport.FirstRecord) {
            if (firstRecordNanos == null) {
                firstRecordNanos = context.nanoTime();
                mark("first record at a new owner");
            }
        } else if (state != null) {
            state.onReport(task, report);
        }
    }

    /** A task has finished: it will not report any more. */
    void onFinished(ExecutionAttemptID task) {
        if (state != null) {
            state.onFinished(task);
        }
    }

    /**
     * A subtask has failed.
     *
     * @return whether that concerns nobody else, as it is new and not connected yet: the job need
     *     not restart
     */
    boolean absorbsFailure(JobVertexID id, int subtask, Throwable cause) {
        if (!vertex.id().equals(id) || subtask < vertex.connected()) {
            return false;
        }
        if (state instanceof Undeploying) {
            return true;
        }
        if (state == null || state instanceof Connecting) {
            return false;
        }
        LOG.warn("Rescale {} of {}: new subtask {} has failed.", name, vertex, subtask, cause);
        String reason = "new subtask " + subtask + " of " + vertex.name() + " has failed: " + cause;
        tellEnd();
        enter(new Undeploying(reason, () -> listener.onNewSubtaskFailed(reason)));
        return true;
    }

    /** The job restarts: whatever has moved, the state will be dealt out anew. */
    void abandon() {
        enter(null);
        StoredElasticity.Vertex stable = stable();
        vertex.settle(stable.assignment, stable.parallelism);
        context.checkpoints().release();
    }

    /** What the vertex goes back to if the job restarts now. */
    StoredElasticity.Vertex stable() {
        return migrated
                ? new StoredElasticity.Vertex(vertex.id(), to, plan.to())
                : new StoredElasticity.Vertex(vertex.id(), from, plan.from());
    }

    /**
     * Ends it at the next step's boundary: what has moved has moved, the rest stays.
     *
     * @return whether that is possible; not if all key-groups have moved
     */
    boolean stop(String reason) {
        if (migrated) {
            return false;
        }
        stopReason = reason;
        if (state instanceof Deploying) {
            enter(new Undeploying(reason));
        }
        return true;
    }

    /** Where it is, in one word; null at the end. */
    @Nullable
    String station() {
        return state == null ? null : state.getClass().getSimpleName();
    }

    ElasticVertex vertex() {
        return vertex;
    }

    int from() {
        return from;
    }

    int to() {
        return to;
    }

    RescalePlan plan() {
        return plan;
    }

    RescaleStatus.State phase() {
        return phase;
    }

    int stepsCompleted() {
        return stepsCompleted;
    }

    long unitsMigrated() {
        return unitsMigrated;
    }

    long unitsOnDemand() {
        return unitsOnDemand;
    }

    long bytes() {
        return bytes;
    }

    /** The longest that a single unit, leaving or coming, has kept a task. */
    long longestStopNanos() {
        return longestStopNanos;
    }

    /** When a record of a moved unit was first processed by its new owner; null: not yet. */
    @Nullable
    Long firstRecordNanos() {
        return firstRecordNanos;
    }

    // ------------------------------------------------------------------------
    //  Transitions
    // ------------------------------------------------------------------------

    private void enter(State next) {
        state = next;
        if (next != null) {
            next.enter();
        }
    }

    private void mark(String what) {
        long ms = (context.nanoTime() - startNanos) / 1_000_000;
        LOG.info("Rescale {} of {}: {} after {} ms.", name, vertex, what, ms);
    }

    private void goToNextStep() {
        if (stepsCompleted == plan.steps().size()) {
            migrated = true;
            listener.onMigrated();
            mark("migrated");
            tellEnd();
            if (to < from) {
                phase = RescaleStatus.State.RETIRING;
                enter(new Draining());
            } else {
                finish();
            }
        } else if (stopReason != null) {
            giveUp(stopReason);
        } else if (isPauseDue()) {
            enter(new Pausing());
        } else {
            Step step = plan.steps().get(stepsCompleted);
            enter(new Starting(moves(step), this::stepDone));
        }
    }

    private StepMoves moves(Step step) {
        List<Move> list = new ArrayList<>(step.moves());
        return new StepMoves(
                vertex.nextStep(),
                list.stream().mapToInt(Move::keyGroup).toArray(),
                list.stream().mapToInt(Move::from).toArray(),
                list.stream().mapToInt(Move::to).toArray());
    }

    private void stepDone() {
        stepsCompleted++;
        vertex.assign(plan.after(stepsCompleted));
        goToNextStep();
    }

    private boolean handsOverBroadcastState() {
        return to > from && vertex.hasBroadcastInputs();
    }

    private BitSet newSubtasks() {
        BitSet subtasks = new BitSet();
        subtasks.set(from, to);
        return subtasks;
    }

    /** Who asks for a savepoint wants it now. */
    private boolean isPauseDue() {
        CheckpointControl checkpoints = context.checkpoints();
        return checkpoints.isOneWaiting()
                && (checkpoints.isSavepointAwaited() || pace.isPauseDue(context.nanoTime()));
    }

    private void tellEnd() {
        for (int subtask : begun) {
            sendAndForget(vertex.id(), subtask, new TaskCommand.End(id));
        }
    }

    private void finish() {
        mark("finished");
        enter(null);
        atEnd.run();
        vertex.settle(plan.to(), to);
        context.checkpoints().release();
        listener.onFinished();
    }

    /** At a step's boundary: what has moved has moved, the rest stays. */
    private void giveUp(String reason) {
        enter(null);
        tellEnd();
        if (vertex.deployed() > vertex.connected()) {
            enter(new Undeploying(reason));
            return;
        }
        // new subtasks stay, with what they have got; the next rescale starts from there
        vertex.settle(vertex.assignment(), vertex.connected());
        context.checkpoints().release();
        listener.onGivenUp(reason);
    }

    private void failJob(Throwable cause) {
        if (state != null) {
            // with the cause in it: the status of the rescale has but one line
            context.failJob(
                    new FlinkException(
                            "The rescale of " + vertex + " has failed: " + cause, cause));
        }
    }

    /** Whether some upstream or active subtask runs no more: sources have come to their end. */
    private boolean isJobEnding() {
        Set<JobVertexID> concerned = new HashSet<>(vertex.upstreams());
        concerned.add(vertex.id());
        for (JobVertexID v : concerned) {
            for (int i = 0; i < context.activeSubtasks(v); i++) {
                if (!context.isRunning(v, i)) {
                    return true;
                }
            }
        }
        return false;
    }

    private void sendAndForget(JobVertexID to, int subtask, TaskCommand command) {
        context.send(to, subtask, command)
                .whenComplete(
                        (ok, failure) -> {
                            if (failure != null) {
                                LOG.info(
                                        "{} did not reach subtask {} of {}: {}",
                                        command.getClass().getSimpleName(),
                                        subtask,
                                        to,
                                        failure.toString());
                            }
                        });
    }

    // ------------------------------------------------------------------------
    //  States
    // ------------------------------------------------------------------------

    /** A station of the rescale. */
    private abstract class State {

        abstract void enter();

        void onReport(ExecutionAttemptID task, TaskReport report) {
            LOG.debug("{} does not expect {} from {}", getClass().getSimpleName(), report, task);
        }

        void onFinished(ExecutionAttemptID task) {
            LOG.debug("{} goes on although {} has finished", getClass().getSimpleName(), task);
        }

        final boolean isCurrent() {
            return state == this;
        }

        final void within(Duration limit, Runnable otherwise) {
            context.schedule(
                    () -> {
                        if (isCurrent()) {
                            otherwise.run();
                        }
                    },
                    limit);
        }

        final void failAfterStepTimeout() {
            within(
                    settings.stepTimeout(),
                    () ->
                            failJob(
                                    new FlinkException(
                                            getClass().getSimpleName()
                                                    + " took longer than "
                                                    + settings.stepTimeout()
                                                    + " (meces.migration.timeout), waiting for "
                                                    + waitingFor())));
        }

        String waitingFor() {
            return "";
        }
    }

    /** A station at which reports of tasks are awaited. */
    private abstract class Awaiting extends State {

        /** Attempt and subject of what is still to come, and how often. */
        private final Map<String, Integer> awaited = new HashMap<>();

        private boolean complete;

        final void await(ExecutionAttemptID task, String subject) {
            awaited.merge(subject + " from " + task, 1, Integer::sum);
        }

        final void got(ExecutionAttemptID task, String subject) {
            awaited.computeIfPresent(
                    subject + " from " + task, (s, times) -> times == 1 ? null : times - 1);
            maybeDone();
        }

        @Override
        void onFinished(ExecutionAttemptID task) {
            if (awaited.keySet().removeIf(subject -> subject.endsWith(" from " + task))) {
                maybeDone();
            }
        }

        final void maybeDone() {
            if (awaited.isEmpty() && !complete && isCurrent()) {
                complete = true;
                done();
            }
        }

        abstract void done();

        /** A command without which this station cannot be left. */
        final void send(JobVertexID target, int subtask, TaskCommand command) {
            context.send(target, subtask, command)
                    .whenComplete(
                            (ok, failure) -> {
                                if (failure != null && isCurrent()) {
                                    onUndelivered(target, subtask, failure);
                                }
                            });
        }

        void onUndelivered(JobVertexID target, int subtask, Throwable failure) {
            failJob(failure);
        }

        /** To all upstream subtasks that run; an end of their output stands for their marker. */
        final void sendUpstream(TaskCommand command, String subject) {
            for (JobVertexID upstream : vertex.upstreams()) {
                for (int i = 0; i < context.activeSubtasks(upstream); i++) {
                    if (context.isFinished(upstream, i)) {
                        continue;
                    }
                    ExecutionAttemptID attempt = context.attempt(upstream, i);
                    if (subject != null) {
                        await(attempt, subject);
                    }
                    int subtask = i;
                    context.send(upstream, i, command)
                            .whenComplete(
                                    (ok, failure) -> {
                                        if (failure == null || !isCurrent()) {
                                            return;
                                        }
                                        // it may have finished, and we not have heard of it yet
                                        within(
                                                NEWS,
                                                () -> {
                                                    if (context.isFinished(upstream, subtask)) {
                                                        got(attempt, String.valueOf(subject));
                                                    } else {
                                                        onUndelivered(upstream, subtask, failure);
                                                    }
                                                });
                                    });
                }
            }
        }

        @Override
        String waitingFor() {
            return awaited.toString();
        }
    }

    private final class Deploying extends State {
        @Override
        void enter() {
            vertex.deployUpTo(to);
            context.deploy(vertex, from, to)
                    .whenComplete(
                            (ok, failure) -> {
                                if (isCurrent() && failure == null) {
                                    mark("deployed");
                                    VertexRescale.this.enter(new Quiescing(new Beginning()));
                                }
                                // a failure is a task failure, which the scheduler handles
                            });
            within(
                    settings.slotTimeout(),
                    () ->
                            VertexRescale.this.enter(
                                    new Undeploying(
                                            "no slots for "
                                                    + (to - from)
                                                    + " more subtask(s) of "
                                                    + vertex.name()
                                                    + " within "
                                                    + settings.slotTimeout().toMillis()
                                                    + " ms (meces.rescale.slot-timeout). Start more"
                                                    + " TaskManagers or ask for less.")));
        }

        @Override
        void onFinished(ExecutionAttemptID task) {
            VertexRescale.this.enter(new Undeploying(JOB_IS_ENDING));
        }
    }

    /** The new subtasks are not to be: the job has not noticed anything. */
    private final class Undeploying extends State {
        private final String reason;
        private final Runnable then;

        private Undeploying(String reason) {
            this(reason, () -> listener.onGivenUp(reason));
        }

        private Undeploying(String reason, Runnable then) {
            this.reason = reason;
            this.then = then;
        }

        @Override
        void enter() {
            context.cancel(vertex, from, to)
                    .whenComplete(
                            (ok, failure) -> {
                                if (!isCurrent()) {
                                    return;
                                }
                                if (failure != null) {
                                    failJob(failure);
                                } else {
                                    // they may have run, and asked for their partitions
                                    VertexRescale.this.enter(
                                            new Disconnecting(from, to, this::undone));
                                }
                            });
        }

        private void undone() {
            VertexRescale.this.enter(null);
            LOG.info("Rescale {} of {}: new subtasks are gone again, {}", name, vertex, reason);
            vertex.settle(vertex.assignment(), from);
            context.checkpoints().release();
            then.run();
        }
    }

    private final class Quiescing extends State {
        private final State next;

        private Quiescing(State next) {
            this.next = next;
        }

        @Override
        void enter() {
            context.checkpoints().hold();
            pace.pause(context.nanoTime());
            if (settings.abortsCheckpoints() && !context.checkpoints().isQuiet()) {
                context.checkpoints().abortRunning();
            }
            poll();
        }

        private void poll() {
            if (isJobEnding()) {
                giveUp(JOB_IS_ENDING);
            } else if (stopReason != null && !migrated) {
                giveUp(stopReason);
            } else if (context.checkpoints().isQuiet()) {
                mark("quiet");
                pace.resume(context.nanoTime());
                VertexRescale.this.enter(next);
            } else {
                within(POLL, this::poll);
            }
        }
    }

    private final class Connecting extends Awaiting {
        @Override
        void enter() {
            phase = RescaleStatus.State.CONNECTING;
            failAfterStepTimeout();
            // barriers of one that was aborted may still be on their way to the consumers
            vertex.joinAfter(context.checkpoints().lastPassed());
            context.publishPartitions(vertex, from, to);
            awaitConsumers(this, true);
            sendUpstream(new TaskCommand.Connect(id, vertex.inputs(), from, to), "connected");
            maybeDone();
        }

        @Override
        void onReport(ExecutionAttemptID task, TaskReport report) {
            if (report instanceof TaskReport.Connected) {
                got(task, "connected");
            } else if (report instanceof TaskReport.ChannelChanged) {
                got(task, subject((TaskReport.ChannelChanged) report));
            }
        }

        @Override
        void done() {
            mark("connected");
            vertex.connectUpTo(to);
            phase = RescaleStatus.State.MIGRATING;
            if (handsOverBroadcastState()) {
                VertexRescale.this.enter(
                        new Starting(
                                StepMoves.handover(vertex.nextStep(), GIVER, newSubtasks()),
                                this::handedOver));
            } else {
                goToNextStep();
            }
        }

        private void handedOver() {
            mark("broadcast state handed over");
            goToNextStep();
        }
    }

    private static String subject(TaskReport.ChannelChanged report) {
        return (report.up ? "up " : "down ") + report.channel;
    }

    private void awaitConsumers(Awaiting station, boolean up) {
        for (JobVertexID consumer : vertex.downstreams()) {
            for (int i = 0; i < context.activeSubtasks(consumer); i++) {
                if (!context.isFinished(consumer, i)) {
                    for (int k = Math.min(from, to); k < Math.max(from, to); k++) {
                        for (int g = context.gatesFrom(consumer, vertex); g > 0; g--) {
                            station.await(context.attempt(consumer, i), (up ? "up " : "down ") + k);
                        }
                    }
                }
            }
        }
    }

    private final class Beginning extends Awaiting {
        @Override
        void enter() {
            phase = RescaleStatus.State.CONNECTING;
            failAfterStepTimeout();
            Set<Integer> donors = new TreeSet<>();
            Set<Integer> receivers = new TreeSet<>();
            for (Step step : plan.steps()) {
                donors.addAll(step.donors());
                receivers.addAll(step.receivers());
            }
            Set<Integer> all = new TreeSet<>(donors);
            all.addAll(receivers);
            if (handsOverBroadcastState()) {
                all.add(GIVER);
                newSubtasks().stream().forEach(all::add);
            }
            begun.addAll(all);
            for (int subtask : all) {
                await(context.attempt(vertex.id(), subtask), "begun");
            }
            for (int subtask : all) {
                send(vertex.id(), subtask, new TaskCommand.Begin(id, receivers.contains(subtask)));
            }
            maybeDone();
        }

        @Override
        void onReport(ExecutionAttemptID task, TaskReport report) {
            if (report instanceof TaskReport.Begun) {
                for (int i = 0; i < vertex.deployed(); i++) {
                    if (context.attempt(vertex.id(), i).equals(task)) {
                        participants.put(i, (TaskReport.Begun) report);
                        watermarks.put(i, ((TaskReport.Begun) report).watermark);
                    }
                }
                got(task, "begun");
            }
        }

        /** The task has finished or failed, which we shall hear of, or the step takes too long. */
        @Override
        void onUndelivered(JobVertexID target, int subtask, Throwable failure) {
            within(
                    NEWS,
                    () -> {
                        if (isJobEnding()) {
                            giveUp(JOB_IS_ENDING);
                        }
                    });
        }

        @Override
        void onFinished(ExecutionAttemptID task) {
            for (int i = 0; i < vertex.deployed(); i++) {
                if (context.attempt(vertex.id(), i).equals(task)) {
                    giveUp(JOB_IS_ENDING);
                    return;
                }
            }
        }

        @Override
        void done() {
            mark("begun");
            for (Step step : plan.steps()) {
                for (int receiver : step.receivers()) {
                    watermarkOfReceivers = Math.max(watermarkOfReceivers, watermarks.get(receiver));
                }
            }
            if (to > from) {
                VertexRescale.this.enter(new Connecting());
            } else {
                phase = RescaleStatus.State.MIGRATING;
                goToNextStep();
            }
        }
    }

    private final class Starting extends Awaiting {
        private final StepMoves moves;
        private final Runnable then;
        private final Map<ExecutionAttemptID, TaskReport> completedEarly = new LinkedHashMap<>();

        private Starting(StepMoves moves, Runnable then) {
            this.moves = moves;
            this.then = then;
        }

        @Override
        void enter() {
            LOG.debug("Rescale {}: starting {}", name, moves);
            failAfterStepTimeout();
            watermarkOfReceivers = Math.max(watermarkOfReceivers, lowestOfDonors());
            Map<Integer, TaskCommand.Peer> peers = new HashMap<>();
            int[] all = moves.participants().stream().toArray();
            for (int subtask : all) {
                peers.put(
                        subtask,
                        new TaskCommand.Peer(
                                context.attempt(vertex.id(), subtask),
                                participants.get(subtask).address));
                await(context.attempt(vertex.id(), subtask), "started");
            }
            TaskCommand command = new TaskCommand.StartStep(id, moves, peers, watermarkOfReceivers);
            for (int subtask : all) {
                send(vertex.id(), subtask, command);
            }
        }

        /** A receiver must not pass any donor that still has something to give. */
        private long lowestOfDonors() {
            long lowest = Long.MAX_VALUE;
            for (int i = stepsCompleted; i < plan.steps().size(); i++) {
                for (int donor : plan.steps().get(i).donors()) {
                    lowest = Math.min(lowest, watermarks.get(donor));
                }
            }
            return lowest;
        }

        @Override
        void onReport(ExecutionAttemptID task, TaskReport report) {
            if (report instanceof TaskReport.StepStarted
                    && ((TaskReport.StepStarted) report).step == moves.step()) {
                got(task, "started");
            } else if (report instanceof TaskReport.StepCompleted) {
                // without any open channel a subtask is aligned at once
                completedEarly.put(task, report);
            }
        }

        @Override
        void done() {
            LOG.debug("Rescale {}: {} has been started", name, moves);
            Migrating migrating = new Migrating(moves, then);
            VertexRescale.this.enter(migrating);
            completedEarly.forEach(migrating::onReport);
        }
    }

    private final class Migrating extends Awaiting {
        private final StepMoves moves;
        private final Runnable then;

        private Migrating(StepMoves moves, Runnable then) {
            this.moves = moves;
            this.then = then;
        }

        @Override
        void enter() {
            failAfterStepTimeout();
            for (int subtask : moves.participants().stream().toArray()) {
                await(context.attempt(vertex.id(), subtask), "completed");
            }
            sendUpstream(new TaskCommand.Switch(id, vertex.inputs(), moves), null);
        }

        @Override
        void onReport(ExecutionAttemptID task, TaskReport report) {
            if (report instanceof TaskReport.StepCompleted
                    && ((TaskReport.StepCompleted) report).step == moves.step()) {
                TaskReport.StepCompleted completed = (TaskReport.StepCompleted) report;
                for (int subtask : participants.keySet()) {
                    if (context.attempt(vertex.id(), subtask).equals(task)) {
                        watermarks.put(subtask, completed.watermark);
                    }
                }
                StepStatistics statistics = completed.statistics;
                unitsMigrated += statistics.unitsSent;
                unitsOnDemand += statistics.unitsOnDemand;
                bytes += statistics.bytesSent;
                longestStopNanos = Math.max(longestStopNanos, completed.longestStopNanos);
                LOG.debug(
                        "Rescale {}: {} completed {}, {} units ({} on demand), {} records"
                                + " forwarded, {} parked",
                        name,
                        task,
                        moves,
                        statistics.unitsSent,
                        statistics.unitsOnDemand,
                        statistics.recordsForwarded,
                        statistics.recordsParked);
                got(task, "completed");
            }
        }

        @Override
        void done() {
            then.run();
        }
    }

    private final class Pausing extends State {
        @Override
        void enter() {
            pace.pause(context.nanoTime());
            // Not all that come: where one is due as soon as the last is complete there is no end.
            // The coordinator says how it ended; here it only matters that it has.
            context.checkpoints().letOnePass();
            within(POLL, this::poll);
        }

        private void poll() {
            if (context.checkpoints().isQuiet()) {
                pace.resume(context.nanoTime());
                goToNextStep();
            } else if (isJobEnding()) {
                // a source that has ended may never have heard of the checkpoint
                giveUp(JOB_IS_ENDING);
            } else {
                within(POLL, this::poll);
            }
        }
    }

    private final class Draining extends Awaiting {
        @Override
        void enter() {
            if (isJobEnding()) {
                stay();
                return;
            }
            failAfterStepTimeout();
            for (int k = to; k < from; k++) {
                await(context.attempt(vertex.id(), k), "ended");
            }
            for (int k = to; k < from; k++) {
                send(vertex.id(), k, new TaskCommand.EndInput(id));
            }
        }

        @Override
        void onReport(ExecutionAttemptID task, TaskReport report) {
            if (report instanceof TaskReport.InputEnded) {
                got(task, "ended");
            }
        }

        @Override
        void onUndelivered(JobVertexID target, int subtask, Throwable failure) {
            // it may have finished, and we not have heard of it yet
            within(
                    NEWS,
                    () -> {
                        if (isJobEnding()) {
                            stay();
                        } else {
                            failJob(failure);
                        }
                    });
        }

        @Override
        void done() {
            mark("drained");
            VertexRescale.this.enter(
                    context.checkpoints().isEnabled()
                            ? new Confirming()
                            : new Quiescing(new Retiring()));
        }
    }

    /** The job is ending: the subtasks without key-groups end with the others. */
    private void stay() {
        enter(null);
        vertex.settle(plan.to(), from);
        context.checkpoints().release();
        listener.onFinished();
    }

    private final class Confirming extends State {
        private static final long NONE = -1;

        private final Map<ExecutionAttemptID, Long> confirmed = new HashMap<>();
        private int attempts;
        private long checkpoint = NONE;

        @Override
        void enter() {
            if (isJobEnding()) {
                stay();
                return;
            }
            int attempt = ++attempts;
            checkpoint = NONE;
            context.checkpoints()
                    .letOnePass()
                    .whenComplete(
                            (completed, failure) -> {
                                if (!isCurrent()) {
                                    return;
                                }
                                if (failure != null) {
                                    again(failure);
                                    return;
                                }
                                checkpoint = completed;
                                within(
                                        settings.stepTimeout(),
                                        () -> {
                                            if (attempt == attempts && checkpoint != NONE) {
                                                again(new TimeoutException("not confirmed"));
                                            }
                                        });
                                maybeConfirmed();
                            });
        }

        private void again(Throwable failure) {
            if (isJobEnding()) {
                stay();
            } else if (attempts < 10) {
                LOG.info("The checkpoint before a scale-in failed, again:", failure);
                within(Duration.ofMillis(200), this::enter);
            } else {
                // their operators have ended: they cannot go on
                failJob(failure);
            }
        }

        @Override
        void onReport(ExecutionAttemptID task, TaskReport report) {
            if (report instanceof TaskReport.CheckpointConfirmed) {
                confirmed.merge(
                        task, ((TaskReport.CheckpointConfirmed) report).checkpoint, Math::max);
                maybeConfirmed();
            }
        }

        private void maybeConfirmed() {
            if (checkpoint == NONE) {
                return;
            }
            for (int k = to; k < from; k++) {
                if (confirmed.getOrDefault(context.attempt(vertex.id(), k), NONE) < checkpoint) {
                    return;
                }
            }
            mark("confirmed by checkpoint " + checkpoint);
            VertexRescale.this.enter(new Reading(checkpoint));
        }
    }

    private final class Reading extends State {
        private final long checkpoint;

        private Reading(long checkpoint) {
            this.checkpoint = checkpoint;
        }

        @Override
        void enter() {
            failAfterStepTimeout();
            context.readListState(vertex, to, from, checkpoint)
                    .whenComplete(
                            (carry, failure) -> {
                                if (!isCurrent()) {
                                    return;
                                }
                                if (failure != null) {
                                    failJob(
                                            new FlinkException(
                                                    "The list state of subtasks that leave is handed"
                                                            + " over by a restart of the job at the"
                                                            + " new parallelism",
                                                    failure));
                                    return;
                                }
                                atEnd = carry;
                                VertexRescale.this.enter(new Quiescing(new Retiring()));
                            });
        }
    }

    private final class Retiring extends Awaiting {
        @Override
        void enter() {
            failAfterStepTimeout();
            awaitConsumers(this, false);
            for (int k = to; k < from; k++) {
                await(context.attempt(vertex.id(), k), "retired");
            }
            for (int k = to; k < from; k++) {
                send(vertex.id(), k, new TaskCommand.Retire(id));
            }
        }

        @Override
        void onReport(ExecutionAttemptID task, TaskReport report) {
            if (report instanceof TaskReport.Retired) {
                got(task, "retired");
            } else if (report instanceof TaskReport.ChannelChanged) {
                got(task, subject((TaskReport.ChannelChanged) report));
            }
        }

        @Override
        void done() {
            mark("retired");
            VertexRescale.this.enter(new Cancelling());
        }
    }

    private final class Cancelling extends State {
        @Override
        void enter() {
            failAfterStepTimeout();
            vertex.deployUpTo(to);
            context.cancel(vertex, to, from)
                    .whenComplete(
                            (ok, failure) -> {
                                if (isCurrent()) {
                                    if (failure != null) {
                                        failJob(failure);
                                    } else {
                                        mark("cancelled");
                                        VertexRescale.this.enter(
                                                new Disconnecting(
                                                        to, from, VertexRescale.this::finish));
                                    }
                                }
                            });
        }
    }

    private final class Disconnecting extends Awaiting {
        private final int first;
        private final int end;
        private final Runnable then;

        private Disconnecting(int first, int end, Runnable then) {
            this.first = first;
            this.end = end;
            this.then = then;
        }

        @Override
        void enter() {
            failAfterStepTimeout();
            sendUpstream(new TaskCommand.Disconnect(id, vertex.inputs(), first, end), "gone");
            maybeDone();
        }

        @Override
        void onReport(ExecutionAttemptID task, TaskReport report) {
            if (report instanceof TaskReport.Disconnected) {
                got(task, "gone");
            }
        }

        @Override
        void done() {
            then.run();
        }
    }
}
