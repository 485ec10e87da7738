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
import io.meces.api.Elasticity;
import io.meces.api.KeyGroups;
import io.meces.api.RescaleAccepted;
import io.meces.api.RescaleCause;
import io.meces.api.RescaleDetails;
import io.meces.api.RescalePlans;
import io.meces.api.RescaleRefusedException;
import io.meces.api.RescaleRequest;
import io.meces.api.Rescales;
import io.meces.core.command.TaskReport;
import io.meces.core.id.AttemptId;
import io.meces.core.id.VertexId;
import io.meces.core.plan.Assignment;
import io.meces.core.plan.Planner;
import io.meces.core.plan.VertexLoad;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
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

    /** How many rescales are remembered. */
    private static final int HISTORY = 100;

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
    private final Deque<JobRescale> history = new ArrayDeque<>();
    private final JobRescale.Listener listener = new RescaleListener();
    private final Set<LoadSurvey> surveys = new LinkedHashSet<>();
    @Nullable private JobRescale running;

    /** While there is one, no rescale begins. */
    private final Set<Closure> closures = new LinkedHashSet<>();

    @Nullable private CompletableFuture<Void> idle;
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
        this.requests = new RescaleRequests(this.vertices, refusal, settings, context);
    }

    /**
     * Takes over what an earlier JobManager has stored in the checkpoint from which the job is
     * restored. To be called before any task is deployed.
     */
    public void restore(StoredElasticity before) {
        for (StoredElasticity.Vertex place : before.vertices()) {
            ElasticVertex vertex = vertices.get(place.id);
            String misfit = misfit(place, vertex);
            if (misfit == null) {
                LOG.info("{} is restored with {} subtasks.", vertex, place.parallelism);
                vertex.settle(place.assignment, place.parallelism);
            } else {
                LOG.warn("What the checkpoint has does not fit the job: {}.", misfit);
            }
        }
        if (before.rescale() != null) {
            restore(before.rescale());
        }
        publish();
    }

    /** Some of its vertices at their goals are not what was asked for: then it fails. */
    private void restore(StoredElasticity.Rescale before) {
        List<RescaleTarget> targets = new ArrayList<>();
        List<String> misfits = new ArrayList<>();
        for (StoredElasticity.Target target : before.targets) {
            ElasticVertex vertex = vertices.get(target.goal.id);
            String misfit = misfit(target.goal, vertex);
            if (misfit == null) {
                StoredElasticity.Vertex origin =
                        misfit(target.origin, vertex) == null ? target.origin : vertex.stable();
                targets.add(target(vertex, origin, target.goal, before.batchSize));
            } else {
                misfits.add(misfit);
            }
        }
        JobRescale rescale = JobRescale.restored(before, targets, settings, context, listener);
        remember(rescale);
        if (misfits.isEmpty()) {
            running = rescale;
        } else {
            rescale.abandon(
                    "the job that a new JobManager has taken over is not what it was: "
                            + String.join("; ", misfits));
        }
    }

    /** Why a vertex cannot be at a place; null if it can. */
    @Nullable
    private static String misfit(StoredElasticity.Vertex place, @Nullable ElasticVertex vertex) {
        if (vertex == null) {
            return "it has no elastic vertex " + place.id;
        }
        boolean fits =
                place.parallelism <= vertex.capacity()
                        && place.assignment.parallelism() <= place.parallelism
                        && place.assignment.keyGroups() == vertex.maxParallelism();
        return fits
                ? null
                : vertex
                        + " cannot have "
                        + place.parallelism
                        + " subtasks and "
                        + place.assignment.keyGroups()
                        + " key-groups, as its capacity is "
                        + vertex.capacity()
                        + " (meces.rescale.max-parallelism) and its max parallelism "
                        + vertex.maxParallelism();
    }

    private static RescaleTarget target(
            ElasticVertex vertex,
            StoredElasticity.Vertex origin,
            StoredElasticity.Vertex goal,
            int batchSize) {
        return new RescaleTarget(
                vertex,
                origin,
                goal,
                Planner.plan(vertex.assignment(), goal.assignment, batchSize));
    }

    /** The job is scheduled for the first time: a rescale that was restored goes on. */
    public void start() {
        if (running != null) {
            running.recover("a new JobManager has taken over");
        }
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
        boolean asConfigured = running == null;
        List<StoredElasticity.Vertex> places = new ArrayList<>();
        for (ElasticVertex vertex : vertices.values()) {
            asConfigured &= vertex.isAsConfigured();
            places.add(running == null ? vertex.stable() : running.stable(vertex));
        }
        stored =
                asConfigured
                        ? null
                        : new StoredElasticity(places, running == null ? null : running.stored());
    }

    @Override
    public CompletableFuture<RescaleAccepted> rescale(RescaleRequest request)
            throws RescaleRefusedException {
        return rescale(request, RescaleCause.USER);
    }

    /** The same, for a cause of its own. */
    CompletableFuture<RescaleAccepted> rescale(RescaleRequest request, RescaleCause cause)
            throws RescaleRefusedException {
        boolean needsLoad = requests.strategy(request).usesLoad();
        Set<ElasticVertex> asked = requests.targets(request).keySet();
        checkRunning(asked);
        return needsLoad
                ? survey(asked).thenCompose(loads -> refusable(() -> begin(request, cause, loads)))
                : CompletableFuture.completedFuture(begin(request, cause, Collections.emptyMap()));
    }

    @Override
    public CompletableFuture<RescalePlans> plan(RescaleRequest request)
            throws RescaleRefusedException {
        boolean needsLoad = requests.strategy(request).usesLoad();
        CompletableFuture<Map<VertexId, VertexLoad>> survey =
                survey(requests.targets(request).keySet());
        return (needsLoad ? survey : survey.exceptionally(failure -> Collections.emptyMap()))
                .thenCompose(loads -> refusable(() -> describe(request, loads)));
    }

    /** The load of some vertices, as their subtasks tell it. */
    private CompletableFuture<Map<VertexId, VertexLoad>> survey(Set<ElasticVertex> asked) {
        LoadSurvey survey = new LoadSurvey(asked, context);
        surveys.add(survey);
        return survey.begin().whenComplete((loads, failure) -> surveys.remove(survey));
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
            for (LoadSurvey survey : new ArrayList<>(surveys)) {
                survey.onReport(task, (TaskReport.Load) report);
            }
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
    }

    /** The job ends or is suspended: a running rescale has failed. */
    public void abandon(String reason) {
        new ArrayList<>(surveys).forEach(survey -> survey.fail(reason));
        if (running != null) {
            JobRescale rescale = running;
            running = null;
            rescale.abandon(reason);
        }
    }

    /**
     * Ends a running rescale as soon as it can be and begins no other, until this closure and all
     * others are {@link Closure#open() open} again.
     */
    public Closure close(String reason) {
        Closure closure = new Closure(reason, whenIdle());
        closures.add(closure);
        if (running != null) {
            running.endEarly(reason);
        }
        return closure;
    }

    private CompletableFuture<Void> whenIdle() {
        if (running == null) {
            return CompletableFuture.completedFuture(null);
        }
        if (idle == null) {
            idle = new CompletableFuture<>();
        }
        return idle;
    }

    /** That no rescale begins, for one who has asked for it. */
    public final class Closure {
        private final String reason;
        private final CompletableFuture<Void> whenIdle;

        private Closure(String reason, CompletableFuture<Void> whenIdle) {
            this.reason = reason;
            this.whenIdle = whenIdle;
        }

        /** Completes when no rescale runs. */
        public CompletableFuture<Void> whenIdle() {
            return whenIdle;
        }

        /** Rescales may begin again, as far as this one is concerned. */
        public void open() {
            closures.remove(this);
        }
    }

    @Override
    public Elasticity elasticity() {
        List<Elasticity.Vertex> result = new ArrayList<>();
        for (ElasticVertex v : vertices.values()) {
            List<List<Integer>> keyGroups = new ArrayList<>();
            for (int i = 0; i < v.connected(); i++) {
                keyGroups.add(
                        i < v.assignment().parallelism()
                                ? new ArrayList<>(v.assignment().keyGroupsOf(i))
                                : new ArrayList<>());
            }
            result.add(
                    new Elasticity.Vertex(
                            v.id().toString(),
                            v.name(),
                            v.connected(),
                            v.capacity(),
                            v.maxParallelism(),
                            v.subGroups(),
                            keyGroups));
        }
        return new Elasticity(result, refusal, warnings);
    }

    @Override
    public CompletableFuture<KeyGroups> keyGroups(String vertexId) throws RescaleRefusedException {
        ElasticVertex vertex = requests.find(RescaleRequest.Target.byId(vertexId, 1));
        return survey(Collections.singleton(vertex))
                .handle((loads, failure) -> failure == null ? loads.get(vertex.id()) : null)
                .thenApply(load -> describe(vertex, load));
    }

    private KeyGroups describe(ElasticVertex vertex, @Nullable VertexLoad load) {
        Assignment assignment = vertex.assignment();
        List<Integer> owners = new ArrayList<>();
        List<Double> recordsPerSecond = new ArrayList<>();
        List<Long> entries = new ArrayList<>();
        for (int keyGroup = 0; keyGroup < assignment.keyGroups(); keyGroup++) {
            owners.add(assignment.owner(keyGroup));
            if (load != null) {
                // more digits say nothing, and there may be thousands of them
                recordsPerSecond.add(Math.round(load.recordsPerSecond(keyGroup) * 100) / 100.0);
                entries.add(load.entries(keyGroup));
            }
        }
        long[] bytes = context.checkpointedKeyGroups(vertex);
        return new KeyGroups(
                vertex.id().toString(),
                vertex.name(),
                owners,
                load == null ? null : recordsPerSecond,
                load == null ? null : entries,
                bytes == null ? null : Arrays.stream(bytes).boxed().collect(Collectors.toList()),
                vertex.connected());
    }

    @Override
    public Rescales rescales() {
        return new Rescales(history.stream().map(JobRescale::details).collect(Collectors.toList()));
    }

    @Override
    public RescaleDetails rescale(String id) throws RescaleRefusedException {
        return find(id).details();
    }

    @Override
    public RescaleDetails abort(String id, AbortMode mode) throws RescaleRefusedException {
        JobRescale rescale = find(id);
        rescale.abort(mode);
        return rescale.details();
    }

    private JobRescale find(String id) throws RescaleRefusedException {
        for (JobRescale rescale : history) {
            if (rescale.id().equals(id)) {
                return rescale;
            }
        }
        throw RescaleRequests.refuse(
                RescaleRefusedException.Kind.NOT_FOUND, "The job has no rescale " + id + ".");
    }

    private RescalePlans describe(RescaleRequest request, Map<VertexId, VertexLoad> loads)
            throws RescaleRefusedException {
        return new RescalePlans(
                requests.planned(request, loads).stream()
                        .map(RescaleRequests.Planned::describe)
                        .collect(Collectors.toList()));
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
        JobRescale rescale =
                JobRescale.requested(
                        cause, targets, requests.batchSize(request), settings, context, listener);
        LOG.info(
                "Rescale {} of {} by strategy {}.",
                rescale.id(),
                asked,
                requests.strategy(request));
        remember(rescale);
        running = rescale;
        rescale.begin();
        return new RescaleAccepted(rescale.id());
    }

    private void remember(JobRescale rescale) {
        history.addLast(rescale);
        if (history.size() > HISTORY) {
            history.removeFirst();
        }
        context.metrics().begun();
    }

    private void checkRunning(Collection<ElasticVertex> asked) throws RescaleRefusedException {
        if (running != null) {
            throw RescaleRequests.refuse(
                    RescaleRefusedException.Kind.CONFLICT,
                    "Rescale " + running.id() + " of this job is still running.");
        }
        if (!closures.isEmpty()) {
            throw RescaleRequests.refuse(
                    RescaleRefusedException.Kind.CONFLICT,
                    "No rescale begins: " + closures.iterator().next().reason);
        }
        requests.checkRunning(asked);
    }

    private final class RescaleListener implements JobRescale.Listener {

        @Override
        public void onChanged() {
            publish();
        }

        @Override
        public void onEnded(JobRescale rescale) {
            RescaleDetails details = rescale.details();
            context.metrics().ended(details.status(), details.durationMs());
            boolean jobGoesOn = running == rescale;
            running = null;
            publish();
            if (idle != null) {
                CompletableFuture<Void> whenIdle = idle;
                idle = null;
                whenIdle.complete(null);
            } else if (jobGoesOn
                    && context.jobState() == JobState.RUNNING
                    && context.checkpoints().intervalMillis() > FREQUENT.toMillis()) {
                // so that a new JobManager knows of it
                context.checkpoints().requestOne();
            }
            if (jobGoesOn) {
                context.onRescaleEnded();
            }
        }
    }
}
