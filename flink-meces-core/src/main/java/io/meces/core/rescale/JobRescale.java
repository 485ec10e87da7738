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

package io.meces.core.rescale;

import io.meces.api.AbortMode;
import io.meces.api.RescaleCause;
import io.meces.api.RescaleDetails;
import io.meces.api.RescaleRefusedException;
import io.meces.api.RescaleState;
import io.meces.api.RescaleStatus;
import io.meces.api.VertexChange;
import io.meces.core.command.TaskReport;
import io.meces.core.id.AttemptId;
import io.meces.core.id.VertexId;
import io.meces.core.migration.RecordWaits;
import io.meces.core.plan.Planner;
import io.meces.core.plan.RescalePlan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import javax.annotation.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One rescale of a job: its vertices one after the other. It is in one of these phases at a time,
 * each a class:
 *
 * <pre>
 * Forward     a vertex goes to its goal
 * Backward    a vertex that has been rescaled goes back to where it came from, by request
 * Recovering  a failure has interrupted it; it goes on when the job runs again
 * Ended
 * </pre>
 *
 * <p>Owned by the JobMaster's main thread.
 */
final class JobRescale {

    private static final Logger LOG = LoggerFactory.getLogger(JobRescale.class);
    private static final String NOT_ROLLED_BACK = "not rolled back: ";
    private static final Duration POLL = Duration.ofMillis(50);

    private final UUID id;
    private final RescaleCause cause;
    private final List<Target> targets;
    private final int batchSize;
    private final RescaleSettings settings;
    private final RescaleContext context;
    private final JobReadiness readiness;
    private final Listener listener;
    private final long startTime;
    private final long startNanos;

    /** The vertices that have been begun, without those that a failure has undone. */
    private final List<VertexRescale> parts = new ArrayList<>();

    private final EventTimeForecast timers = new EventTimeForecast();

    private int attempt;

    /** What has interrupted it the last time; null: nothing has. */
    @Nullable private String interruption;

    private Wish wish = new Wish(Wish.Kind.REACH_GOAL, null);
    private Phase phase = new Recovering("it has not begun");

    private JobRescale(
            UUID id,
            RescaleCause cause,
            List<Target> targets,
            int batchSize,
            int attempt,
            long startTime,
            RescaleSettings settings,
            RescaleContext context,
            Listener listener) {
        this.id = id;
        this.cause = cause;
        this.targets = targets;
        this.batchSize = batchSize;
        this.attempt = attempt;
        this.startTime = startTime;
        this.settings = settings;
        this.context = context;
        this.readiness = new JobReadiness(context);
        this.listener = listener;
        this.startNanos = context.nanoTime();
        context.checkpoints().measureGaps();
    }

    /** One that has been asked for; {@link #begin()} begins it. */
    static JobRescale requested(
            RescaleCause cause,
            List<Target> targets,
            int batchSize,
            RescaleSettings settings,
            RescaleContext context,
            Listener listener) {
        return new JobRescale(
                UUID.randomUUID(),
                cause,
                targets,
                batchSize,
                1,
                context.currentTimeMillis(),
                settings,
                context,
                listener);
    }

    /** One that ran under an earlier JobManager; {@link #recover(String)} has it go on. */
    static JobRescale restored(
            StoredElasticity.Rescale stored,
            List<Target> targets,
            RescaleSettings settings,
            RescaleContext context,
            Listener listener) {
        return new JobRescale(
                stored.id,
                stored.cause,
                targets,
                stored.batchSize,
                stored.attempt,
                stored.startTime,
                settings,
                context,
                listener);
    }

    /** Who is told of its progress. */
    interface Listener {

        /** What is to be stored of it has changed. */
        void onChanged();

        void onEnded(JobRescale rescale);
    }

    /** A vertex, where it came from and where it goes to. */
    static final class Target {
        private final ElasticVertex vertex;
        private final StoredElasticity.Vertex origin;
        private final StoredElasticity.Vertex goal;
        private RescalePlan plan;

        Target(
                ElasticVertex vertex,
                StoredElasticity.Vertex origin,
                StoredElasticity.Vertex goal,
                RescalePlan plan) {
            this.vertex = vertex;
            this.origin = origin;
            this.goal = goal;
            this.plan = plan;
        }

        private boolean isAt(StoredElasticity.Vertex place) {
            return vertex.parallelism() == place.parallelism
                    && vertex.assignment().equals(place.assignment);
        }

        private void settleAt(StoredElasticity.Vertex place) {
            vertex.settle(place.assignment, place.parallelism);
        }

        private RescalePlan planTo(StoredElasticity.Vertex place, int batchSize) {
            if (!plan.from().equals(vertex.assignment()) || !plan.to().equals(place.assignment)) {
                plan = Planner.plan(vertex.assignment(), place.assignment, batchSize);
            }
            return plan;
        }
    }

    /** How it is meant to end. */
    private static final class Wish {

        private enum Kind {
            REACH_GOAL,
            STOP,
            ROLL_BACK
        }

        private final Kind kind;
        @Nullable private final String reason;

        private Wish(Kind kind, @Nullable String reason) {
            this.kind = kind;
            this.reason = reason;
        }
    }

    /** 32 hex digits. */
    String id() {
        return id.toString().replace("-", "");
    }

    void begin() {
        forward(0);
    }

    /** Goes on when the job runs, unless it has been begun too often. */
    void recover(String reason) {
        interruption = reason;
        if (attempt >= settings.attempts()) {
            end(
                    RescaleStatus.FAILED,
                    settings.attempts() == 1
                            ? reason
                            : "given up after "
                                    + attempt
                                    + " attempts (meces.rescale.attempts): "
                                    + reason);
        } else {
            LOG.info("Rescale {} goes on when the job runs again: {}", id, reason);
            enter(new Recovering(reason));
        }
    }

    /** Whether tasks take part in it, so that a failure of any concerns it. */
    boolean involvesTasks() {
        return phase instanceof Moving;
    }

    boolean hasEnded() {
        return phase instanceof Ended;
    }

    void onReport(AttemptId task, TaskReport report) {
        if (phase instanceof Moving) {
            ((Moving) phase).part.onReport(task, report);
        }
    }

    void onFinished(AttemptId task) {
        if (phase instanceof Moving) {
            ((Moving) phase).part.onFinished(task);
        }
    }

    /** Whether the failure of a subtask concerns nobody but this rescale. */
    boolean absorbsFailure(VertexId vertex, int subtask, Throwable cause) {
        return phase instanceof Moving
                && ((Moving) phase).part.absorbsFailure(vertex, subtask, cause);
    }

    /** The job restarts from its last checkpoint. */
    void onFailure(String reason) {
        phase.onFailure(reason);
    }

    /** The job ends or is suspended. */
    void abandon(String reason) {
        phase.abandon();
        if (!hasEnded()) {
            end(RescaleStatus.FAILED, reason);
        }
    }

    /**
     * Ends it early, by request.
     *
     * @throws RescaleRefusedException if it has ended or is about to; nothing has changed then
     */
    void abort(AbortMode mode) throws RescaleRefusedException {
        String refusal = phase.abort(mode);
        if (refusal != null) {
            throw new RescaleRefusedException(
                    RescaleRefusedException.Kind.CONFLICT, "Rescale " + id() + " " + refusal);
        }
        listener.onChanged();
    }

    /** Ends it as soon as it can be, whatever it has reached. */
    void endEarly(String reason) {
        wish = new Wish(Wish.Kind.STOP, reason);
        phase.endEarly(reason);
    }

    /** What is to be stored of it; null if it is not to go on after a failure. */
    @Nullable
    StoredElasticity.Rescale stored() {
        if (hasEnded() || wish.kind != Wish.Kind.REACH_GOAL) {
            return null;
        }
        List<StoredElasticity.Target> stored = new ArrayList<>();
        for (Target target : targets) {
            stored.add(new StoredElasticity.Target(target.origin, target.goal));
        }
        return new StoredElasticity.Rescale(id, cause, startTime, batchSize, attempt, stored);
    }

    /** What a vertex goes back to if the job restarts now. */
    StoredElasticity.Vertex stable(ElasticVertex vertex) {
        if (wish.kind == Wish.Kind.ROLL_BACK) {
            for (Target target : targets) {
                if (target.vertex == vertex) {
                    return target.origin;
                }
            }
        }
        if (phase instanceof Moving && ((Moving) phase).target.vertex == vertex) {
            return ((Moving) phase).part.stable();
        }
        return vertex.stable();
    }

    // ------------------------------------------------------------------------
    //  Phases
    // ------------------------------------------------------------------------

    private void enter(Phase next) {
        phase = next;
        next.enter();
    }

    private void forward(int first) {
        int index = first;
        while (index < targets.size() && targets.get(index).isAt(targets.get(index).goal)) {
            index++;
        }
        if (index == targets.size()) {
            end(RescaleStatus.FINISHED, null);
        } else {
            enter(new Forward(index));
        }
    }

    private void backward(int first) {
        int index = first;
        while (index >= 0 && targets.get(index).isAt(targets.get(index).origin)) {
            index--;
        }
        if (index < 0) {
            end(RescaleStatus.ABORTED, wish.reason);
            return;
        }
        // the way forth may have left list state to carry, for which each checkpoint needs room
        Target target = targets.get(index);
        String refusal = target.vertex.refusalOf(target.origin.parallelism);
        if (refusal == null) {
            refusal = target.vertex.refuseForEnded(context);
        }
        if (refusal == null) {
            enter(new Backward(index));
        } else {
            end(RescaleStatus.FAILED, NOT_ROLLED_BACK + refusal);
        }
    }

    /**
     * A rollback, or another attempt after a new subtask has failed, is between the same attempts
     * of tasks: what was meant for the one must not reach the other.
     */
    private UUID freshId() {
        return attempt == 1 && parts.isEmpty() ? id : UUID.randomUUID();
    }

    private void end(RescaleStatus outcome, @Nullable String reason) {
        enter(new Ended(outcome, reason));
    }

    /** What it is doing. */
    private abstract static class Phase {

        abstract void enter();

        abstract RescaleStatus status();

        @Nullable
        abstract RescaleState state();

        abstract void onFailure(String reason);

        /** Lets go of what tasks and checkpoints it keeps. */
        abstract void abandon();

        /** Null, or why it cannot be. */
        @Nullable
        abstract String abort(AbortMode mode);

        abstract void endEarly(String reason);
    }

    /** A vertex moves. */
    private abstract class Moving extends Phase implements VertexRescale.Listener {
        final Target target;
        final VertexRescale part;

        Moving(Target target, StoredElasticity.Vertex place) {
            this.target = target;
            this.part =
                    VertexRescale.of(
                            new VertexScaling(
                                    id(),
                                    freshId(),
                                    target.vertex,
                                    place.parallelism,
                                    target.planTo(place, batchSize),
                                    new BatchSize(batchSize, settings.batchBytes()),
                                    settings,
                                    context),
                            context,
                            timers.ofNextVertex(),
                            this);
        }

        @Override
        void enter() {
            parts.add(part);
            listener.onChanged();
            part.start();
        }

        @Override
        RescaleState state() {
            return part.state();
        }

        @Override
        public void onMigrated() {
            listener.onChanged();
        }

        @Override
        void abandon() {
            part.abandon();
        }

        @Override
        void endEarly(String reason) {
            part.stop(reason);
        }

        /** As the job restarts anyway, each vertex can be restored where it came from. */
        final void settleAtOrigins() {
            targets.forEach(t -> t.settleAt(t.origin));
        }
    }

    private final class Forward extends Moving {
        private final int index;

        private Forward(int index) {
            super(targets.get(index), targets.get(index).goal);
            this.index = index;
        }

        @Override
        RescaleStatus status() {
            return RescaleStatus.RUNNING;
        }

        @Override
        public void onFinished() {
            if (wish.kind == Wish.Kind.ROLL_BACK) {
                backward(index);
            } else if (wish.kind == Wish.Kind.STOP && index < targets.size() - 1) {
                end(RescaleStatus.ABORTED, wish.reason);
            } else {
                forward(index + 1);
            }
        }

        @Override
        public void onGivenUp(String reason) {
            if (wish.kind == Wish.Kind.ROLL_BACK) {
                backward(index);
            } else if (wish.kind == Wish.Kind.STOP) {
                end(RescaleStatus.ABORTED, wish.reason);
            } else {
                end(RescaleStatus.FAILED, reason);
            }
        }

        @Override
        public void onNewSubtaskFailed(String reason) {
            if (wish.kind == Wish.Kind.REACH_GOAL) {
                parts.remove(part);
                recover(reason);
            } else {
                onGivenUp(reason);
            }
        }

        @Override
        void onFailure(String reason) {
            part.abandon();
            parts.remove(part);
            if (wish.kind == Wish.Kind.REACH_GOAL) {
                recover(reason);
            } else {
                if (wish.kind == Wish.Kind.ROLL_BACK) {
                    settleAtOrigins();
                }
                end(RescaleStatus.ABORTED, wish.reason + "; " + reason);
            }
        }

        @Override
        String abort(AbortMode mode) {
            if (mode == AbortMode.ROLLBACK) {
                wish = new Wish(Wish.Kind.ROLL_BACK, "rolled back by request");
                part.stop(wish.reason);
                return null;
            }
            Wish stop = new Wish(Wish.Kind.STOP, "aborted by request");
            if (!part.stop(stop.reason) && index == targets.size() - 1) {
                return "cannot be stopped any more: all key-groups have moved. Ask for mode=rollback"
                        + " to have them move back.";
            }
            wish = stop;
            return null;
        }
    }

    private final class Backward extends Moving {
        private final int index;

        private Backward(int index) {
            super(targets.get(index), targets.get(index).origin);
            this.index = index;
        }

        @Override
        RescaleStatus status() {
            return RescaleStatus.ROLLING_BACK;
        }

        @Override
        public void onFinished() {
            if (wish.kind == Wish.Kind.STOP && index > 0) {
                end(RescaleStatus.ABORTED, wish.reason);
            } else {
                backward(index - 1);
            }
        }

        @Override
        public void onGivenUp(String reason) {
            if (wish.kind == Wish.Kind.STOP) {
                end(RescaleStatus.ABORTED, wish.reason);
            } else {
                end(RescaleStatus.FAILED, NOT_ROLLED_BACK + reason);
            }
        }

        @Override
        public void onNewSubtaskFailed(String reason) {
            if (wish.kind == Wish.Kind.ROLL_BACK) {
                parts.remove(part);
                recover(reason);
            } else {
                onGivenUp(reason);
            }
        }

        @Override
        void onFailure(String reason) {
            part.abandon();
            if (wish.kind == Wish.Kind.ROLL_BACK) {
                settleAtOrigins();
            }
            end(RescaleStatus.ABORTED, wish.reason + "; " + reason);
        }

        @Override
        String abort(AbortMode mode) {
            if (mode == AbortMode.ROLLBACK) {
                return "is being rolled back already.";
            }
            Wish stop = new Wish(Wish.Kind.STOP, "rollback aborted by request");
            if (!part.stop(stop.reason) && index == 0) {
                return "cannot be stopped any more: all key-groups have moved back.";
            }
            wish = stop;
            return null;
        }
    }

    private final class Recovering extends Phase {
        private final String reason;

        private Recovering(String reason) {
            this.reason = reason;
        }

        @Override
        void enter() {
            listener.onChanged();
            context.schedule(this::poll, POLL);
        }

        private void poll() {
            if (phase != this) {
                return;
            }
            if (context.jobState().isTerminal() || isEnding()) {
                end(RescaleStatus.FAILED, reason);
            } else if (readiness.isReady(vertices())) {
                attempt++;
                LOG.info("Rescale {} goes on, attempt {}.", id, attempt);
                if (wish.kind == Wish.Kind.ROLL_BACK) {
                    backward(targets.size() - 1);
                } else {
                    forward(0);
                }
            } else {
                context.schedule(this::poll, POLL);
            }
        }

        /** While the job restarts, tasks have finished that will run again. */
        private boolean isEnding() {
            return context.jobState() == JobState.RUNNING
                    && vertices().stream().anyMatch(readiness::isEnding);
        }

        private List<ElasticVertex> vertices() {
            List<ElasticVertex> vertices = new ArrayList<>();
            targets.forEach(t -> vertices.add(t.vertex));
            return vertices;
        }

        @Override
        RescaleStatus status() {
            return RescaleStatus.RECOVERING;
        }

        @Override
        @Nullable
        RescaleState state() {
            return null;
        }

        @Override
        void onFailure(String again) {
            LOG.debug("Rescale {} still waits for the job to run: {}", id, again);
        }

        @Override
        void abandon() {
            // it keeps nothing
        }

        @Override
        String abort(AbortMode mode) {
            if (mode == AbortMode.ROLLBACK) {
                wish = new Wish(Wish.Kind.ROLL_BACK, "rolled back by request");
            } else {
                endEarly("aborted by request");
            }
            return null;
        }

        @Override
        void endEarly(String why) {
            end(RescaleStatus.ABORTED, why);
        }
    }

    private final class Ended extends Phase {
        private final RescaleStatus outcome;
        @Nullable private final String reason;
        private final long endNanos = context.nanoTime();
        private final long longestGapNanos = context.checkpoints().longestGapNanos();

        private Ended(RescaleStatus outcome, @Nullable String reason) {
            this.outcome = outcome;
            this.reason = reason;
        }

        @Override
        void enter() {
            LOG.info("Rescale {}: {}{}", id, outcome, reason == null ? "." : ", " + reason);
            listener.onEnded(JobRescale.this);
        }

        @Override
        RescaleStatus status() {
            return outcome;
        }

        @Override
        @Nullable
        RescaleState state() {
            return null;
        }

        @Override
        void onFailure(String cause) {
            // it does not concern it any more
        }

        @Override
        void abandon() {
            // it keeps nothing
        }

        @Override
        String abort(AbortMode mode) {
            return "has ended already: it is " + outcome + ".";
        }

        @Override
        void endEarly(String why) {
            // it has ended
        }
    }

    // ------------------------------------------------------------------------

    RescaleDetails details() {
        int stepsTotal = 0;
        long unitsTotal = 0;
        int stepsCompleted = 0;
        long unitsMigrated = 0;
        long unitsOnDemand = 0;
        long bytes = 0;
        long longestStopNanos = 0;
        RecordWaits waits = RecordWaits.NONE;
        long orderEvents = 0;
        Long firstRecord = null;
        for (VertexRescale v : parts) {
            VertexScaling scaling = v.scaling();
            MigrationFigures figures = v.figures();
            stepsTotal += v.plan().steps().size();
            unitsTotal += (long) scaling.plan.moves().size() * scaling.vertex.subGroups();
            stepsCompleted += figures.steps();
            unitsMigrated += figures.units();
            unitsOnDemand += figures.unitsOnDemand();
            bytes += figures.bytes();
            longestStopNanos = Math.max(longestStopNanos, figures.longestStopNanos());
            waits = waits.plus(figures.waits());
            orderEvents += figures.orderEvents();
            if (firstRecord == null && figures.firstRecordNanos() != null) {
                firstRecord = (figures.firstRecordNanos() - startNanos) / 1_000_000;
            }
        }
        List<VertexChange> changes = new ArrayList<>();
        for (Target target : targets) {
            changes.add(
                    new VertexChange(
                            target.vertex.id().toString(),
                            target.vertex.name(),
                            target.origin.parallelism,
                            target.goal.parallelism));
            if (parts.stream().noneMatch(part -> part.scaling().vertex == target.vertex)) {
                stepsTotal += target.plan.steps().size();
                unitsTotal += (long) target.plan.moves().size() * target.vertex.subGroups();
            }
        }
        Ended end = hasEnded() ? (Ended) phase : null;
        long gap = end == null ? context.checkpoints().longestGapNanos() : end.longestGapNanos;
        return RescaleDetails.of(id(), phase.status())
                .state(phase.state())
                .cause(cause)
                .attempt(attempt)
                .vertices(changes)
                .steps(stepsCompleted, stepsTotal)
                .units(unitsMigrated, unitsTotal)
                .unitsOnDemand(unitsOnDemand)
                .bytes(bytes)
                .longestStopMicros(longestStopNanos / 1_000)
                .waits(waits.records, waits.totalNanos / 1_000, waits.longestNanos / 1_000)
                .orderEvents(orderEvents)
                .firstRecordMs(firstRecord)
                .time(
                        startTime,
                        ((end == null ? context.nanoTime() : end.endNanos) - startNanos)
                                / 1_000_000)
                .longestWithoutCheckpointMs(
                        context.checkpoints().isEnabled() ? (Long) (gap / 1_000_000) : null)
                .interruption(interruption)
                .failure(end == null ? null : end.reason)
                .build();
    }
}
