// SPDX-License-Identifier: Apache-2.0
package io.meces.core.rescale;

import io.meces.api.AbortMode;
import io.meces.api.RescaleCause;
import io.meces.api.RescaleDetails;
import io.meces.api.RescaleRefusedException;
import io.meces.api.RescaleStatus;
import io.meces.core.command.TaskReport;
import io.meces.core.id.AttemptId;
import io.meces.core.id.VertexId;
import io.meces.core.job.BatchSize;
import io.meces.core.job.ElasticVertex;
import io.meces.core.job.EventTimeForecast;
import io.meces.core.job.JobReadiness;
import io.meces.core.job.JobState;
import io.meces.core.job.RescaleContext;
import io.meces.core.job.RescaleSettings;
import io.meces.core.job.RescaleTarget;
import io.meces.core.job.StoredElasticity;
import io.meces.core.rescale.state.Deploying;
import io.meces.core.rescale.state.VertexScaling;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import javax.annotation.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One rescale of a job: its vertices one after the other. It is in one of these phases at a time,
 * each a {@link RescalePhase}:
 *
 * <pre>
 * Forward     a vertex goes to its goal
 * Backward    a vertex that has been rescaled goes back to where it came from, by request
 * Recovering  a failure has interrupted it; it goes on when the job runs again
 * RescaleOutcome  it has ended
 * </pre>
 *
 * <p>Owned by the JobMaster's main thread.
 */
final class JobRescale implements MovingPhase.Context, Recovering.Context {

    private static final Logger LOG = LoggerFactory.getLogger(JobRescale.class);

    private final UUID id;
    private final RescaleCause cause;
    private final List<RescaleTarget> targets;
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

    private RescaleIntent intent = RescaleIntent.REACH_GOAL;
    private RescalePhase phase = new Recovering(this, "it has not begun", Duration.ZERO);

    /**
     * One that may have run under an earlier JobManager, whose {@link #recover(String)} then has it
     * go on.
     *
     * @param targets those that are stored of it, as they are now
     */
    JobRescale(
            StoredElasticity.Rescale stored,
            List<RescaleTarget> targets,
            RescaleSettings settings,
            RescaleContext context,
            Listener listener) {
        this.id = stored.id;
        this.cause = stored.cause;
        this.targets = targets;
        this.batchSize = stored.batchSize;
        this.attempt = stored.attempt;
        this.startTime = stored.startTime;
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
            List<RescaleTarget> targets,
            int batchSize,
            RescaleSettings settings,
            RescaleContext context,
            Listener listener) {
        long now = context.currentTimeMillis();
        return new JobRescale(
                new StoredElasticity.Rescale(
                        UUID.randomUUID(), cause, now, batchSize, 1, stored(targets)),
                targets,
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

    /** 32 hex digits. */
    String id() {
        return id.toString().replace("-", "");
    }

    void begin() {
        forward(0);
    }

    /** Whether tasks take part in it, so that a failure of any concerns it. */
    boolean involvesTasks() {
        return phase instanceof MovingPhase;
    }

    boolean hasEnded() {
        return phase instanceof RescaleOutcome;
    }

    void onReport(AttemptId task, TaskReport report) {
        if (phase instanceof MovingPhase) {
            ((MovingPhase) phase).part().onReport(task, report);
        }
    }

    void onFinished(AttemptId task) {
        if (phase instanceof MovingPhase) {
            ((MovingPhase) phase).part().onFinished(task);
        }
    }

    /** Whether the failure of a subtask concerns nobody but this rescale. */
    boolean absorbsFailure(VertexId vertex, int subtask, Throwable cause) {
        return phase instanceof MovingPhase
                && ((MovingPhase) phase).part().absorbsFailure(vertex, subtask, cause);
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
        intent = RescaleIntent.stop(reason);
        phase.endEarly(reason);
    }

    /** What is to be stored of it; null if it is not to go on after a failure. */
    @Nullable
    StoredElasticity.Rescale stored() {
        if (hasEnded() || !intent.reachesGoal()) {
            return null;
        }
        return new StoredElasticity.Rescale(
                id, cause, startTime, batchSize, attempt, stored(targets));
    }

    private static List<StoredElasticity.Target> stored(List<RescaleTarget> targets) {
        return targets.stream()
                .map(target -> new StoredElasticity.Target(target.origin(), target.goal()))
                .collect(Collectors.toList());
    }

    /** From where to where its vertices go. */
    List<RescaleTarget> targets() {
        return Collections.unmodifiableList(targets);
    }

    /** Those of which each rescale would be given up for the same reason, as the job is. */
    List<VertexId> obstructed() {
        return parts.stream()
                .filter(VertexRescale::isObstructed)
                .map(part -> part.vertex.id())
                .collect(Collectors.toList());
    }

    /** What a vertex goes back to if the job restarts now. */
    StoredElasticity.Vertex stable(ElasticVertex vertex) {
        if (intent.rollsBack()) {
            for (RescaleTarget target : targets) {
                if (target.vertex() == vertex) {
                    return target.origin();
                }
            }
        }
        if (phase instanceof MovingPhase && ((MovingPhase) phase).target().vertex() == vertex) {
            return ((MovingPhase) phase).part().stable();
        }
        return vertex.stable();
    }

    RescaleDetails details() {
        RescaleOutcome end = hasEnded() ? (RescaleOutcome) phase : null;
        long nanos = end == null ? context.nanoTime() : end.nanos;
        long gap = end == null ? context.checkpoints().longestGapNanos() : end.longestGapNanos;
        RescaleDetails.Builder details =
                RescaleDetails.of(id(), phase.status())
                        .state(phase.state())
                        .cause(cause)
                        .attempt(attempt)
                        .time(startTime, (nanos - startNanos) / 1_000_000)
                        .longestWithoutCheckpointMs(
                                context.checkpoints().isEnabled() ? (Long) (gap / 1_000_000) : null)
                        .interruption(interruption)
                        .failure(end == null ? null : end.reason);
        RescaleTotals.tell(details, targets, parts, startNanos);
        if (phase instanceof MovingPhase) {
            tellSlots(((MovingPhase) phase).part().deploying(), details);
        }
        return details.build();
    }

    private void tellSlots(@Nullable Deploying deploying, RescaleDetails.Builder details) {
        int missing = deploying == null ? 0 : deploying.missingSlots();
        if (missing > 0) {
            details.missingSlots(
                    missing, context.currentTimeMillis() + deploying.nanosLeft() / 1_000_000);
        }
    }

    // ------------------------------------------------------------------------
    //  From phase to phase
    // ------------------------------------------------------------------------

    private void enter(RescalePhase next) {
        phase = next;
        next.enter();
    }

    @Override
    public void forward(int first) {
        int index = first;
        while (index < targets.size() && targets.get(index).isAt(targets.get(index).goal())) {
            index++;
        }
        if (index == targets.size()) {
            end(RescaleStatus.FINISHED, null);
        } else {
            enter(new Forward(this, targets, index));
        }
    }

    @Override
    public void backward(int first) {
        int index = first;
        while (index >= 0 && targets.get(index).isAt(targets.get(index).origin())) {
            index--;
        }
        if (index < 0) {
            end(RescaleStatus.ABORTED, intent.reason());
            return;
        }
        // the way forth may have left list state to carry, for which each checkpoint needs room
        RescaleTarget target = targets.get(index);
        String refusal = target.vertex().refusalOf(target.origin().parallelism);
        if (refusal == null) {
            refusal = target.vertex().refuseForEnded(context);
        }
        if (refusal == null) {
            enter(new Backward(this, targets, index));
        } else {
            end(RescaleStatus.FAILED, Backward.NOT_ROLLED_BACK + refusal);
        }
    }

    /** Goes on when the job runs, unless it has been begun too often. */
    @Override
    public void recover(String reason) {
        recover(reason, Duration.ZERO);
    }

    /**
     * The first time at once, later with a pause. Until Flink misses a TaskManager that is gone, it
     * sends new subtasks there again, which fails at once since 1.14. By default slots are awaited
     * for more than twice as long as a TaskManager is waited for ({@code heartbeat.timeout}).
     */
    @Override
    public void retry(String reason) {
        recover(reason, attempt == 1 ? Duration.ZERO : settings.slotTimeout().dividedBy(2));
    }

    private void recover(String reason, Duration pause) {
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
            enter(new Recovering(this, reason, pause));
        }
    }

    @Override
    public void goOn() {
        attempt++;
        LOG.info("Rescale {} goes on, attempt {}.", id, attempt);
        if (intent.rollsBack()) {
            backward(targets.size() - 1);
        } else {
            forward(0);
        }
    }

    @Override
    public void end(RescaleStatus outcome, @Nullable String reason) {
        enter(
                new RescaleOutcome(
                        outcome,
                        reason,
                        context.nanoTime(),
                        context.checkpoints().longestGapNanos()));
        LOG.info("Rescale {}: {}{}", id, outcome, reason == null ? "." : ", " + reason);
        listener.onEnded(this);
    }

    // ------------------------------------------------------------------------
    //  What phases may do
    // ------------------------------------------------------------------------

    @Override
    public VertexRescale to(
            StoredElasticity.Vertex place, RescaleTarget target, VertexRescale.Listener moving) {
        return VertexRescale.of(
                new VertexScaling(
                        id(),
                        UUID.randomUUID(),
                        target.vertex(),
                        place.parallelism,
                        target.planTo(place, batchSize),
                        new BatchSize(batchSize, settings.batchBytes()),
                        settings,
                        context),
                context,
                timers.ofNextVertex(),
                moving);
    }

    @Override
    public void onBegun(VertexRescale part) {
        parts.add(part);
        listener.onChanged();
    }

    @Override
    public void onUndone(VertexRescale part) {
        parts.remove(part);
    }

    @Override
    public void onChanged() {
        listener.onChanged();
    }

    @Override
    public RescaleIntent intent() {
        return intent;
    }

    @Override
    public void setIntent(RescaleIntent changed) {
        intent = changed;
    }

    @Override
    public boolean isIn(RescalePhase one) {
        return phase == one;
    }

    @Override
    public void schedule(Runnable action, Duration delay) {
        context.schedule(action, delay);
    }

    /** While the job restarts, tasks have finished that will run again. */
    @Override
    public boolean isJobEnding() {
        return context.jobState().isTerminal()
                || context.jobState() == JobState.RUNNING
                        && vertices().stream().anyMatch(readiness::isEnding);
    }

    @Override
    public boolean isJobReady() {
        return readiness.isReady(vertices());
    }

    private List<ElasticVertex> vertices() {
        return targets.stream().map(RescaleTarget::vertex).collect(Collectors.toList());
    }
}
