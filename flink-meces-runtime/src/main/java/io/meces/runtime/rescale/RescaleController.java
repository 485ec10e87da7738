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

import io.meces.api.AbortMode;
import io.meces.api.Elasticity;
import io.meces.api.RescaleAccepted;
import io.meces.api.RescaleDetails;
import io.meces.api.RescalePlans;
import io.meces.api.RescaleRefusedException;
import io.meces.api.RescaleRequest;
import io.meces.api.Rescales;
import io.meces.api.VertexChange;
import io.meces.runtime.event.TaskReport;
import io.meces.runtime.plan.Assignment;
import io.meces.runtime.plan.Move;
import io.meces.runtime.plan.Planner;
import io.meces.runtime.plan.Repartitioning;
import io.meces.runtime.plan.RescalePlan;
import io.meces.runtime.plan.Step;
import io.meces.runtime.plan.VertexLoad;
import io.meces.runtime.rpc.RescaleService;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import javax.annotation.Nullable;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.runtime.concurrent.FutureUtils;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.apache.flink.runtime.jobgraph.JobVertexID;
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

    private static final String ASK_AGAIN = "Ask again when it runs.";

    private final Map<JobVertexID, ElasticVertex> vertices = new LinkedHashMap<>();
    @Nullable private final String refusal;
    private final List<String> warnings;
    private final RescaleSettings settings;
    private final RescaleContext context;
    private final JobReadiness readiness;
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
        this.readiness = new JobReadiness(context);
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
        List<JobRescale.Target> targets = new ArrayList<>();
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

    private static JobRescale.Target target(
            ElasticVertex vertex,
            StoredElasticity.Vertex origin,
            StoredElasticity.Vertex goal,
            int batchSize) {
        return new JobRescale.Target(
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
        boolean needsLoad = strategy(request).usesLoad();
        Set<ElasticVertex> asked = targets(request).keySet();
        checkRunning(asked);
        return needsLoad
                ? survey(asked).thenCompose(loads -> refusable(() -> begin(request, loads)))
                : CompletableFuture.completedFuture(begin(request, Collections.emptyMap()));
    }

    @Override
    public CompletableFuture<RescalePlans> plan(RescaleRequest request)
            throws RescaleRefusedException {
        boolean needsLoad = strategy(request).usesLoad();
        CompletableFuture<Map<JobVertexID, VertexLoad>> survey = survey(targets(request).keySet());
        return (needsLoad ? survey : survey.exceptionally(failure -> Collections.emptyMap()))
                .thenCompose(loads -> refusable(() -> describe(request, loads)));
    }

    /** The load of some vertices, as their subtasks tell it. */
    private CompletableFuture<Map<JobVertexID, VertexLoad>> survey(Set<ElasticVertex> asked) {
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
            return FutureUtils.completedExceptionally(refused);
        }
    }

    /** A report of a task of this job. */
    public void onReport(ExecutionAttemptID task, TaskReport report) {
        if (report instanceof TaskReport.Load) {
            for (LoadSurvey survey : new ArrayList<>(surveys)) {
                survey.onReport(task, (TaskReport.Load) report);
            }
        } else if (running != null) {
            running.onReport(task, report);
        }
    }

    /** A task of this job has finished. */
    public void onFinished(ExecutionAttemptID task) {
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
    public Restart onFailed(JobVertexID vertex, int subtask, Throwable cause) {
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
    boolean absorbsFailure(JobVertexID vertex, int subtask, Throwable cause) {
        return running != null && running.absorbsFailure(vertex, subtask, cause);
    }

    /** The whole job restarts from its last checkpoint. */
    public void onFailure(String reason) {
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
        throw refuse(RescaleRefusedException.Kind.NOT_FOUND, "The job has no rescale " + id + ".");
    }

    private Repartitioning strategy(RescaleRequest request) throws RescaleRefusedException {
        if (request.strategy() == null) {
            return settings.strategy();
        }
        try {
            return Repartitioning.named(request.strategy());
        } catch (IllegalArgumentException e) {
            throw refuse(RescaleRefusedException.Kind.BAD_REQUEST, e.getMessage());
        }
    }

    /** The vertices that are asked to be rescaled, in their order, and to what parallelism. */
    private Map<ElasticVertex, Integer> targets(RescaleRequest request)
            throws RescaleRefusedException {
        if (refusal != null) {
            throw refuse(RescaleRefusedException.Kind.BAD_REQUEST, refusal);
        }
        request.validate();
        Map<ElasticVertex, Integer> targets = new LinkedHashMap<>();
        for (RescaleRequest.Target target : request.vertices()) {
            ElasticVertex vertex = find(target);
            if (targets.putIfAbsent(vertex, target.parallelism()) != null) {
                throw refuse(
                        RescaleRefusedException.Kind.BAD_REQUEST,
                        "Vertex " + vertex + " is named twice.");
            }
            if (target.parallelism() > vertex.capacity()) {
                throw refuse(
                        RescaleRefusedException.Kind.BAD_REQUEST,
                        "Parallelism "
                                + target.parallelism()
                                + " is not possible for vertex "
                                + vertex
                                + ": it must be between 1 and its capacity "
                                + vertex.capacity()
                                + ". For more, submit the job with another"
                                + " meces.rescale.max-parallelism; the max parallelism is "
                                + vertex.maxParallelism()
                                + ".");
            }
            if (vertex.queryableState() != null) {
                throw refuse(
                        RescaleRefusedException.Kind.BAD_REQUEST,
                        "Vertex "
                                + vertex
                                + " has the queryable state '"
                                + vertex.queryableState()
                                + "', whose clients would ask the wrong subtask after a rescale.");
            }
            String impossible = vertex.refusalOf(target.parallelism());
            if (impossible != null) {
                throw refuse(RescaleRefusedException.Kind.BAD_REQUEST, impossible);
            }
            String ended = vertex.refuseForEnded(context);
            if (ended != null) {
                throw refuse(RescaleRefusedException.Kind.CONFLICT, ended);
            }
            String stays = JobReadiness.whyNoneCanLeave(context);
            if (stays != null && target.parallelism() < vertex.parallelism()) {
                throw refuse(
                        RescaleRefusedException.Kind.CONFLICT,
                        "Vertex " + vertex + " cannot be scaled in: " + stays);
            }
        }
        return targets;
    }

    private int batchSize(RescaleRequest request) {
        return request.batchSize() == null ? settings.batchSize() : request.batchSize();
    }

    private List<PlannedVertex> planned(RescaleRequest request, Map<JobVertexID, VertexLoad> loads)
            throws RescaleRefusedException {
        Repartitioning strategy = strategy(request);
        List<PlannedVertex> planned = new ArrayList<>();
        for (Map.Entry<ElasticVertex, Integer> target : targets(request).entrySet()) {
            VertexLoad load = loads.getOrDefault(target.getKey().id(), VertexLoad.unknown());
            planned.add(
                    plan(target.getKey(), target.getValue(), strategy, load, batchSize(request)));
        }
        return planned;
    }

    private RescalePlans describe(RescaleRequest request, Map<JobVertexID, VertexLoad> loads)
            throws RescaleRefusedException {
        return new RescalePlans(
                planned(request, loads).stream()
                        .map(PlannedVertex::describe)
                        .collect(Collectors.toList()));
    }

    private RescaleAccepted begin(RescaleRequest request, Map<JobVertexID, VertexLoad> loads)
            throws RescaleRefusedException {
        List<PlannedVertex> planned = planned(request, loads);
        List<ElasticVertex> asked = new ArrayList<>();
        List<JobRescale.Target> targets = new ArrayList<>();
        for (PlannedVertex p : planned) {
            asked.add(p.vertex);
            targets.add(
                    new JobRescale.Target(
                            p.vertex,
                            p.vertex.stable(),
                            new StoredElasticity.Vertex(p.vertex.id(), p.parallelism, p.plan.to()),
                            p.plan));
        }
        // the load may have taken its time
        checkRunning(asked);
        JobRescale rescale =
                JobRescale.requested(targets, batchSize(request), settings, context, listener);
        LOG.info("Rescale {} of {} by strategy {}.", rescale.id(), asked, strategy(request));
        remember(rescale);
        running = rescale;
        rescale.begin();
        return new RescaleAccepted(rescale.id());
    }

    private static PlannedVertex plan(
            ElasticVertex vertex,
            int parallelism,
            Repartitioning strategy,
            VertexLoad load,
            int batchSize)
            throws RescaleRefusedException {
        Assignment target;
        try {
            target = strategy.target(vertex.assignment(), parallelism, load);
        } catch (IllegalArgumentException e) {
            throw refuse(
                    RescaleRefusedException.Kind.BAD_REQUEST,
                    "Vertex " + vertex + " cannot be rescaled so. " + e.getMessage());
        }
        return new PlannedVertex(
                vertex,
                parallelism,
                strategy,
                load,
                Planner.plan(vertex.assignment(), target, batchSize));
    }

    private void remember(JobRescale rescale) {
        history.addLast(rescale);
        if (history.size() > HISTORY) {
            history.removeFirst();
        }
    }

    private final class RescaleListener implements JobRescale.Listener {

        @Override
        public void onChanged() {
            publish();
        }

        @Override
        public void onEnded(JobRescale rescale) {
            boolean jobGoesOn = running == rescale;
            running = null;
            publish();
            if (idle != null) {
                CompletableFuture<Void> whenIdle = idle;
                idle = null;
                whenIdle.complete(null);
            } else if (jobGoesOn
                    && context.jobStatus() == JobStatus.RUNNING
                    && context.checkpoints().intervalMillis() > FREQUENT.toMillis()) {
                // so that a new JobManager knows of it
                context.checkpoints().requestOne();
            }
            if (jobGoesOn) {
                context.onRescaleEnded();
            }
        }
    }

    private void checkRunning(Collection<ElasticVertex> asked) throws RescaleRefusedException {
        if (running != null) {
            throw refuse(
                    RescaleRefusedException.Kind.CONFLICT,
                    "Rescale " + running.id() + " of this job is still running.");
        }
        if (!closures.isEmpty()) {
            throw refuse(
                    RescaleRefusedException.Kind.CONFLICT,
                    "No rescale begins: " + closures.iterator().next().reason);
        }
        if (context.jobStatus() != JobStatus.RUNNING) {
            throw refuse(
                    RescaleRefusedException.Kind.CONFLICT,
                    "The job is " + context.jobStatus() + ", not RUNNING. " + advice());
        }
        for (ElasticVertex vertex : asked) {
            JobVertexID finished = readiness.finished(vertex);
            if (finished != null) {
                throw refuse(
                        RescaleRefusedException.Kind.CONFLICT,
                        "A subtask of vertex "
                                + finished
                                + " has finished; the job is ending. There is no need to ask"
                                + " again.");
            }
            JobVertexID notRunning = readiness.notRunning(vertex);
            if (notRunning != null) {
                throw refuse(
                        RescaleRefusedException.Kind.CONFLICT,
                        "Not all subtasks of vertex "
                                + notRunning
                                + " are running; the job is "
                                + (context.hasRestarted() ? "restarting" : "starting")
                                + ". "
                                + ASK_AGAIN);
            }
        }
    }

    private String advice() {
        switch (context.jobStatus()) {
            case INITIALIZING:
            case CREATED:
            case RESTARTING:
            case RECONCILING:
            case SUSPENDED:
                return ASK_AGAIN;
            default:
                return "There is no need to ask again.";
        }
    }

    private ElasticVertex find(RescaleRequest.Target target) throws RescaleRefusedException {
        List<ElasticVertex> found;
        if (target.id() != null) {
            found = matching(v -> v.id().toString().equalsIgnoreCase(target.id()));
        } else {
            found = matching(v -> v.name().equals(target.name()));
            if (found.isEmpty()) {
                // what the code of the job calls it, as Flink appends what is chained to it
                found = matching(v -> v.name().startsWith(target.name() + " -> "));
            }
        }
        if (found.size() == 1) {
            return found.get(0);
        }
        String asked = target.id() != null ? "id " + target.id() : "name '" + target.name() + "'";
        if (found.size() > 1) {
            throw refuse(
                    RescaleRefusedException.Kind.BAD_REQUEST,
                    "Several vertices have the " + asked + "; name one by its id: " + found);
        }
        if (context.hasVertex(target.id(), target.name())) {
            throw refuse(
                    RescaleRefusedException.Kind.BAD_REQUEST,
                    "The vertex with the "
                            + asked
                            + " is not elastic: its inputs are not keyed, or a warning of"
                            + " bin/meces list says why. Elastic are: "
                            + vertices.values());
        }
        throw refuse(
                RescaleRefusedException.Kind.NOT_FOUND,
                "The job has no vertex with the " + asked + ". Elastic are: " + vertices.values());
    }

    private List<ElasticVertex> matching(Predicate<ElasticVertex> condition) {
        return vertices.values().stream().filter(condition).collect(Collectors.toList());
    }

    private static RescaleRefusedException refuse(
            RescaleRefusedException.Kind kind, String message) {
        return new RescaleRefusedException(kind, message);
    }

    /** A vertex that is asked to be rescaled, and how it would be done. */
    private static final class PlannedVertex {
        private final ElasticVertex vertex;
        private final int parallelism;
        private final Repartitioning strategy;
        private final VertexLoad load;
        private final RescalePlan plan;

        private PlannedVertex(
                ElasticVertex vertex,
                int parallelism,
                Repartitioning strategy,
                VertexLoad load,
                RescalePlan plan) {
            this.vertex = vertex;
            this.parallelism = parallelism;
            this.strategy = strategy;
            this.load = load;
            this.plan = plan;
        }

        private RescalePlans.VertexPlan describe() {
            List<List<RescalePlans.Move>> steps = new ArrayList<>();
            for (Step step : plan.steps()) {
                List<RescalePlans.Move> moves = new ArrayList<>();
                for (Move move : step.moves()) {
                    moves.add(new RescalePlans.Move(move.keyGroup(), move.from(), move.to()));
                }
                steps.add(moves);
            }
            RescalePlans.VertexPlan described =
                    new RescalePlans.VertexPlan(
                            new VertexChange(
                                    vertex.id().toString(),
                                    vertex.name(),
                                    vertex.parallelism(),
                                    parallelism),
                            strategy.name(),
                            steps,
                            new ArrayList<>(plan.countsBefore()),
                            new ArrayList<>(plan.countsAfter()));
            return load.isKnown()
                    ? described.withLoad(load.perSubtask(plan.from()), load.perSubtask(plan.to()))
                    : described;
        }
    }
}
