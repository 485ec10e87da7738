// SPDX-License-Identifier: Apache-2.0
package io.meces.core.rescale;

import io.meces.api.AbortMode;
import io.meces.api.Elasticity;
import io.meces.api.KeyGroups;
import io.meces.api.ParallelismBounds;
import io.meces.api.RescaleAccepted;
import io.meces.api.RescaleCause;
import io.meces.api.RescaleDetails;
import io.meces.api.RescalePlans;
import io.meces.api.RescaleRefusedException;
import io.meces.api.RescaleRequest;
import io.meces.api.Rescales;
import io.meces.api.ResourceRequirements;
import io.meces.core.command.TaskReport;
import io.meces.core.id.AttemptId;
import io.meces.core.id.VertexId;
import io.meces.core.job.ElasticVertex;
import io.meces.core.job.ElasticityRestore;
import io.meces.core.job.JobState;
import io.meces.core.job.LoadSurveys;
import io.meces.core.job.RescaleContext;
import io.meces.core.job.RescaleSettings;
import io.meces.core.job.RescaleTarget;
import io.meces.core.job.ShownVertex;
import io.meces.core.job.SlotNeeds;
import io.meces.core.job.StoredElasticity;
import io.meces.core.plan.VertexLoad;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import javax.annotation.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers what is asked of the elasticity of a job, and runs one rescale at a time. Owned by the
 * JobMaster's main thread.
 */
public final class RescaleController implements RescaleService {

    private static final Logger LOG = LoggerFactory.getLogger(RescaleController.class);

    /**
     * Where checkpoints are as frequent, one stores the outcome of a rescale soon anyway. One more
     * would compete with tasks that catch up.
     */
    private static final Duration FREQUENT = Duration.ofSeconds(10);

    private final Map<VertexId, ElasticVertex> vertices = new LinkedHashMap<>();
    @Nullable private final String refusal;
    private final List<String> warnings;
    private final RescaleSettings settings;
    private final RescaleContext context;
    private final RescaleRequests requests;
    private final EndedRescales history = new EndedRescales();
    private final JobRescale.Listener listener = new RescaleListener();
    private final StandingRequirements standing;
    private final LoadSurveys surveys;
    @Nullable private JobRescale running;

    private final RescaleBlocks blocks = new RescaleBlocks();
    @Nullable private volatile StoredElasticity stored;

    /**
     * @param vertices the elastic vertices of the job, upstream ones first
     * @param refusal why the job cannot be rescaled; null if it can
     * @param warnings what {@link Elasticity#warnings} tells
     */
    public RescaleController(
            Collection<ElasticVertex> vertices,
            @Nullable String refusal,
            List<String> warnings,
            RescaleSettings settings,
            RescaleContext context) {
        vertices.forEach(v -> this.vertices.put(v.id(), v));
        this.refusal = refusal;
        this.warnings = warnings;
        this.settings = settings;
        this.context = context;
        this.surveys = new LoadSurveys(context);
        this.requests = new RescaleRequests(this.vertices, refusal, settings, context);
        this.standing = new StandingRequirements(this.vertices, context, new RequiredRescales());
    }

    /**
     * Takes over what an earlier JobManager has stored in the checkpoint from which the job is
     * restored. To be called before any task is deployed.
     */
    public void restore(StoredElasticity before) {
        ElasticityRestore restore = new ElasticityRestore(vertices);
        restore.restore(before.vertices());
        standing.restore(before.requirements());
        if (before.rescale() != null) {
            restore(before.rescale(), restore);
        }
        publish();
    }

    /** Some of its vertices at their goals are not what was asked for: then it fails. */
    private void restore(StoredElasticity.Rescale before, ElasticityRestore restore) {
        List<String> misfits = new ArrayList<>();
        List<RescaleTarget> targets = restore.targets(before, misfits);
        JobRescale rescale = new JobRescale(before, targets, settings, context, listener);
        context.metrics().begun();
        if (misfits.isEmpty()) {
            running = rescale;
        } else {
            rescale.abandon(
                    "the job that a new JobManager has taken over is not what it was: "
                            + String.join("; ", misfits));
        }
    }

    /** The job is scheduled for the first time: a rescale that was restored goes on. */
    public void start() {
        if (running != null) {
            running.recover("a new JobManager has taken over");
        }
        standing.start();
    }

    /**
     * What a checkpoint has to store; null if the job is as its code has it. It changes between
     * checkpoints only. Any thread.
     */
    @Nullable
    public StoredElasticity stored() {
        return stored;
    }

    /** Main thread; a rescale may be about to begin, or to end. */
    private void publish() {
        Map<VertexId, ParallelismBounds> requirements = standing.stored();
        boolean asConfigured = running == null && requirements.isEmpty();
        List<StoredElasticity.Vertex> places = new ArrayList<>();
        for (ElasticVertex vertex : vertices.values()) {
            asConfigured &= vertex.isAsConfigured();
            places.add(running == null ? vertex.stable() : running.stable(vertex));
        }
        stored =
                asConfigured
                        ? null
                        : new StoredElasticity(
                                places, running == null ? null : running.stored(), requirements);
    }

    @Override
    public CompletableFuture<RescaleAccepted> rescale(RescaleRequest request)
            throws RescaleRefusedException {
        return rescale(request, RescaleCause.USER);
    }

    private CompletableFuture<RescaleAccepted> rescale(RescaleRequest request, RescaleCause cause)
            throws RescaleRefusedException {
        boolean needsLoad = requests.strategy(request).usesLoad();
        Set<ElasticVertex> asked = requests.targets(request).keySet();
        checkRunning(asked);
        return needsLoad
                ? surveys.begin(asked)
                        .thenCompose(loads -> refusable(() -> begin(request, cause, loads)))
                : CompletableFuture.completedFuture(begin(request, cause, Collections.emptyMap()));
    }

    @Override
    public CompletableFuture<RescalePlans> plan(RescaleRequest request)
            throws RescaleRefusedException {
        boolean needsLoad = requests.strategy(request).usesLoad();
        CompletableFuture<Map<VertexId, VertexLoad>> survey =
                surveys.begin(requests.targets(request).keySet());
        CompletableFuture<Integer> slots = context.freeSlots().exceptionally(unknown -> null);
        return (needsLoad ? survey : survey.exceptionally(failure -> Collections.emptyMap()))
                .thenCombine(
                        slots, (loads, free) -> refusable(() -> describe(request, loads, free)))
                .thenCompose(answer -> answer);
    }

    private interface Refusable<T> {
        T get() throws RescaleRefusedException;
    }

    private static <T> CompletableFuture<T> refusable(Refusable<T> answer) {
        try {
            return CompletableFuture.completedFuture(answer.get());
        } catch (RescaleRefusedException refused) {
            CompletableFuture<T> failed = new CompletableFuture<>();
            failed.completeExceptionally(refused);
            return failed;
        }
    }

    /** A report of a task of this job. */
    public void onReport(AttemptId task, TaskReport report) {
        if (report instanceof TaskReport.Load) {
            surveys.onReport(task, (TaskReport.Load) report);
        } else if (report instanceof TaskReport.Clearing) {
            context.checkpoints().onClearing();
        } else if (running != null) {
            if (report instanceof TaskReport.StepCompleted) {
                context.metrics().migrated(((TaskReport.StepCompleted) report).statistics);
            }
            running.onReport(task, report);
        }
    }

    /** A task of this job has finished. */
    public void onFinished(AttemptId task) {
        if (running != null) {
            running.onFinished(task);
        }
    }

    /** Who begins anew when a subtask has failed. */
    public enum Restart {
        /** It concerns nobody but the rescale. */
        NOBODY,
        /** A regional failover could leave half of a step behind. */
        ALL,
        /** No rescale has a part in it. */
        AS_WITHOUT_RESCALE
    }

    /** A subtask has failed. */
    public Restart onFailed(VertexId vertex, int subtask, Throwable cause) {
        if (!isRescaling()) {
            return Restart.AS_WITHOUT_RESCALE;
        }
        return absorbsFailure(vertex, subtask, cause) ? Restart.NOBODY : Restart.ALL;
    }

    /** Whether tasks take part in a rescale, so that a failure of any concerns it. */
    boolean isRescaling() {
        return running != null && running.involvesTasks();
    }

    /**
     * A subtask has failed.
     *
     * @return whether that concerns nobody but a rescale, so that the job need not restart: it was
     *     new, and not connected yet
     */
    boolean absorbsFailure(VertexId vertex, int subtask, Throwable cause) {
        return running != null && running.absorbsFailure(vertex, subtask, cause);
    }

    /** The whole job restarts from its last checkpoint. */
    public void onFailure(String reason) {
        if (isRescaling()) {
            context.metrics().restarted();
        }
        if (running != null) {
            running.onFailure(reason);
        }
        standing.onRestart();
    }

    /** The job has got slots, perhaps for a rescale that has ended since it asked for them. */
    public void onSlotsOffered() {
        standing.onSlotsOffered();
    }

    /** The job ends or is suspended: a running rescale has failed. */
    public void abandon(String reason) {
        standing.stop();
        surveys.fail(reason);
        if (running != null) {
            JobRescale rescale = running;
            running = null;
            rescale.abandon(reason);
        }
    }

    /**
     * Ends a running rescale as soon as it can be, does something when none runs, and begins none,
     * for good or until that has failed. Several may do so at a time.
     *
     * @param mainThread any thread may give it something to do
     */
    public <T> CompletableFuture<T> withoutRescale(
            String reason, Supplier<CompletableFuture<T>> action, Executor mainThread) {
        CompletableFuture<T> done = blocks.run(reason, running == null, action, mainThread);
        if (running != null) {
            running.endEarly(reason);
        }
        return done;
    }

    @Override
    public Elasticity elasticity() {
        return new Elasticity(
                vertices.values().stream()
                        .map(ShownVertex::elasticity)
                        .collect(Collectors.toList()),
                refusal,
                warnings);
    }

    @Override
    public ArrayList<String> fixedVertices() {
        return context.vertices().stream()
                .filter(id -> !vertices.containsKey(id))
                .map(VertexId::toString)
                .collect(Collectors.toCollection(ArrayList::new));
    }

    @Override
    public CompletableFuture<KeyGroups> keyGroups(String vertexId) throws RescaleRefusedException {
        ElasticVertex vertex = requests.find(RescaleRequest.Target.byId(vertexId, 1));
        return surveys.begin(Collections.singleton(vertex))
                .handle((loads, failure) -> failure == null ? loads.get(vertex.id()) : null)
                .thenApply(
                        load ->
                                ShownVertex.keyGroups(
                                        vertex, load, context.checkpointedKeyGroups(vertex)));
    }

    @Override
    public ResourceRequirements requirements() {
        return standing.shown();
    }

    @Override
    public void require(ResourceRequirements requirements) throws RescaleRefusedException {
        standing.require(requests.bounds(requirements));
    }

    @Override
    public Rescales rescales() {
        List<RescaleDetails> all = history.details();
        if (running != null) {
            all.add(running.details());
        }
        return new Rescales(all);
    }

    @Override
    public RescaleDetails rescale(String id) throws RescaleRefusedException {
        return isRunning(id) ? running.details() : history.find(id);
    }

    @Override
    public RescaleDetails abort(String id, AbortMode mode) throws RescaleRefusedException {
        if (!isRunning(id)) {
            throw RescaleRequests.refuse(
                    RescaleRefusedException.Kind.CONFLICT,
                    "Rescale " + id + " " + RescaleOutcome.refusal(history.find(id).status()));
        }
        JobRescale rescale = running;
        rescale.abort(mode);
        standing.drop(
                rescale.targets().stream()
                        .map(target -> target.vertex().id())
                        .collect(Collectors.toList()));
        return rescale.details();
    }

    private boolean isRunning(String id) {
        return running != null && running.id().equals(id);
    }

    private RescalePlans describe(
            RescaleRequest request, Map<VertexId, VertexLoad> loads, @Nullable Integer freeSlots)
            throws RescaleRefusedException {
        List<RescalePlans.VertexPlan> plans = new ArrayList<>();
        Map<VertexId, Integer> changed = new HashMap<>();
        for (RescaleRequests.Planned planned : requests.planned(request, loads)) {
            plans.add(planned.describe());
            changed.put(planned.vertex.id(), planned.target().goal().parallelism);
        }
        return new RescalePlans(plans, SlotNeeds.more(context, changed), freeSlots);
    }

    private RescaleAccepted begin(
            RescaleRequest request, RescaleCause cause, Map<VertexId, VertexLoad> loads)
            throws RescaleRefusedException {
        List<RescaleRequests.Planned> planned = requests.planned(request, loads);
        List<ElasticVertex> asked = new ArrayList<>();
        List<RescaleTarget> targets = new ArrayList<>();
        for (RescaleRequests.Planned vertex : planned) {
            asked.add(vertex.vertex);
            targets.add(vertex.target());
        }
        // the load may have taken its time
        checkRunning(asked);
        if (cause == RescaleCause.USER) {
            // whoever asks for a rescale has the vertices in their own hands from now on
            standing.drop(asked.stream().map(ElasticVertex::id).collect(Collectors.toList()));
        }
        JobRescale rescale =
                JobRescale.requested(
                        cause, targets, requests.batchSize(request), settings, context, listener);
        LOG.info(
                "Rescale {} of {} by strategy {}.",
                rescale.id(),
                asked,
                requests.strategy(request));
        context.metrics().begun();
        running = rescale;
        rescale.begin();
        return new RescaleAccepted(rescale.id());
    }

    private void checkRunning(Collection<ElasticVertex> asked) throws RescaleRefusedException {
        if (running != null) {
            throw RescaleRequests.refuse(
                    RescaleRefusedException.Kind.CONFLICT,
                    "Rescale "
                            + running.id()
                            + " of this job is still running. Ask again when it has ended, or abort it (bin/meces abort).");
        }
        if (blocks.reason() != null) {
            throw RescaleRequests.refuse(
                    RescaleRefusedException.Kind.CONFLICT, "No rescale begins: " + blocks.reason());
        }
        requests.checkRunning(asked);
    }

    /** So that a new JobManager knows of what has changed. */
    private void storeSoon() {
        if (context.jobState() == JobState.RUNNING
                && context.checkpoints().intervalMillis() > FREQUENT.toMillis()) {
            context.checkpoints().requestOne();
        }
    }

    /** Begins and ends rescales for the standing requirements. */
    final class RequiredRescales implements StandingRequirements.Rescales {

        @Override
        @Nullable
        public JobRescale running() {
            return running;
        }

        @Override
        public CompletableFuture<?> begin(RescaleRequest request, RescaleCause cause)
                throws RescaleRefusedException {
            return rescale(request, cause);
        }

        @Override
        public void onChanged() {
            publish();
            storeSoon();
        }
    }

    /** Hears of the rescale that runs. */
    final class RescaleListener implements JobRescale.Listener {

        @Override
        public void onChanged() {
            publish();
        }

        @Override
        public void onEnded(JobRescale rescale) {
            RescaleDetails details = rescale.details();
            history.add(details);
            context.metrics().ended(details.status(), details.durationMs());
            boolean jobGoesOn = running == rescale;
            running = null;
            publish();
            if (!blocks.onIdle() && jobGoesOn) {
                storeSoon();
            }
            if (jobGoesOn) {
                standing.onEnded(rescale, details.status());
                context.onRescaleEnded();
            }
        }
    }
}
