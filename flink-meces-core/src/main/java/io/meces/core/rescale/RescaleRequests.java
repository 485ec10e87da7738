// SPDX-License-Identifier: Apache-2.0
package io.meces.core.rescale;

import io.meces.api.ParallelismBounds;
import io.meces.api.RescalePlans;
import io.meces.api.RescaleRefusedException;
import io.meces.api.RescaleRequest;
import io.meces.api.ResourceRequirements;
import io.meces.api.VertexChange;
import io.meces.core.id.VertexId;
import io.meces.core.job.ElasticVertex;
import io.meces.core.job.JobReadiness;
import io.meces.core.job.JobState;
import io.meces.core.job.RescaleContext;
import io.meces.core.job.RescaleSettings;
import io.meces.core.job.RescaleTarget;
import io.meces.core.job.StoredElasticity;
import io.meces.core.plan.Assignment;
import io.meces.core.plan.Move;
import io.meces.core.plan.Planner;
import io.meces.core.plan.Repartitioning;
import io.meces.core.plan.RescalePlan;
import io.meces.core.plan.Step;
import io.meces.core.plan.VertexLoad;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import javax.annotation.Nullable;

/**
 * What requests ask of the vertices of a job as they stand, or why they are refused. It changes
 * nothing. Owned by the JobMaster's main thread.
 */
final class RescaleRequests {

    private static final String ASK_AGAIN = "Ask again when it runs.";

    private final Map<VertexId, ElasticVertex> vertices;
    @Nullable private final String refusal;
    private final RescaleSettings settings;
    private final RescaleContext context;
    private final JobReadiness readiness;

    /**
     * @param vertices the elastic ones, upstream ones first
     * @param refusal why the job cannot be rescaled; null if it can
     */
    RescaleRequests(
            Map<VertexId, ElasticVertex> vertices,
            @Nullable String refusal,
            RescaleSettings settings,
            RescaleContext context) {
        this.vertices = vertices;
        this.refusal = refusal;
        this.settings = settings;
        this.context = context;
        this.readiness = new JobReadiness(context);
    }

    Repartitioning strategy(RescaleRequest request) throws RescaleRefusedException {
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
    Map<ElasticVertex, Integer> targets(RescaleRequest request) throws RescaleRefusedException {
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
            refuseImpossible(vertex, target.parallelism());
            String ended = vertex.refuseForEnded(context);
            if (ended != null) {
                throw refuse(RescaleRefusedException.Kind.CONFLICT, ended);
            }
            String stays = JobReadiness.whyNoneCanLeave(context, vertex);
            if (stays != null && target.parallelism() < vertex.parallelism()) {
                throw refuse(
                        RescaleRefusedException.Kind.CONFLICT,
                        "Vertex " + vertex + " cannot be scaled in: " + stays);
            }
        }
        return targets;
    }

    /** Refuses a parallelism that the vertex cannot have, whatever the job does now. */
    private static void refuseImpossible(ElasticVertex vertex, int parallelism)
            throws RescaleRefusedException {
        if (parallelism > vertex.capacity()) {
            throw refuse(
                    RescaleRefusedException.Kind.BAD_REQUEST,
                    "Parallelism "
                            + parallelism
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
        String impossible = vertex.refusalOf(parallelism);
        if (impossible != null) {
            throw refuse(RescaleRefusedException.Kind.BAD_REQUEST, impossible);
        }
    }

    /** The bounds of elastic vertices; others can only be required to be as they are. */
    Map<VertexId, ParallelismBounds> bounds(ResourceRequirements requirements)
            throws RescaleRefusedException {
        if (refusal != null) {
            throw refuse(RescaleRefusedException.Kind.BAD_REQUEST, refusal);
        }
        requirements.validate();
        JobState state = context.jobState();
        if (state.isEnding()) {
            throw refuse(
                    RescaleRefusedException.Kind.CONFLICT, "The job is " + state + ". " + advice());
        }
        Map<VertexId, ParallelismBounds> bounds = new LinkedHashMap<>();
        for (Map.Entry<String, ParallelismBounds> entry : requirements.vertices().entrySet()) {
            VertexId id = vertex(entry.getKey());
            ElasticVertex vertex = vertices.get(id);
            ParallelismBounds required = entry.getValue();
            if (vertex != null) {
                refuseImpossible(vertex, required.upper());
                bounds.put(id, required);
            } else if (required.upper() != context.activeSubtasks(id)) {
                throw refuse(
                        RescaleRefusedException.Kind.BAD_REQUEST,
                        "Vertex "
                                + id
                                + " is not elastic: its inputs are not keyed, or a warning of"
                                + " bin/meces list says why. It can have no upperBound but its"
                                + " parallelism, "
                                + context.activeSubtasks(id)
                                + "; or leave it out. Elastic are: "
                                + vertices.values());
            }
        }
        return bounds;
    }

    private VertexId vertex(String hex) throws RescaleRefusedException {
        for (VertexId id : context.vertices()) {
            if (id.toString().equalsIgnoreCase(hex)) {
                return id;
            }
        }
        throw refuse(
                RescaleRefusedException.Kind.BAD_REQUEST,
                "The job has no vertex with the id " + hex + ". Elastic are: " + vertices.values());
    }

    int batchSize(RescaleRequest request) {
        return request.batchSize() == null ? settings.batchSize() : request.batchSize();
    }

    List<Planned> planned(RescaleRequest request, Map<VertexId, VertexLoad> loads)
            throws RescaleRefusedException {
        Repartitioning strategy = strategy(request);
        List<Planned> planned = new ArrayList<>();
        for (Map.Entry<ElasticVertex, Integer> target : targets(request).entrySet()) {
            VertexLoad load = loads.getOrDefault(target.getKey().id(), VertexLoad.unknown());
            planned.add(
                    plan(target.getKey(), target.getValue(), strategy, load, batchSize(request)));
        }
        return planned;
    }

    private static Planned plan(
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
        return new Planned(
                vertex,
                parallelism,
                strategy,
                load,
                Planner.plan(vertex.assignment(), target, batchSize));
    }

    /** Refuses a rescale for which not all tasks are there. */
    void checkRunning(Collection<ElasticVertex> asked) throws RescaleRefusedException {
        if (context.jobState() != JobState.RUNNING) {
            throw refuse(
                    RescaleRefusedException.Kind.CONFLICT,
                    "The job is " + context.jobState() + ", not RUNNING. " + advice());
        }
        for (ElasticVertex vertex : asked) {
            if (readiness.isEnding(vertex)) {
                throw refuse(
                        RescaleRefusedException.Kind.CONFLICT,
                        "Vertex "
                                + vertex
                                + " has come to its end: all that it reads from has finished."
                                + " There is no need to ask again.");
            }
            VertexId notRunning = readiness.notRunning(vertex);
            if (notRunning != null) {
                throw refuse(
                        RescaleRefusedException.Kind.CONFLICT,
                        "Not all subtasks of vertex '"
                                + context.name(notRunning)
                                + "' are running; the job is "
                                + (context.hasRestarted() ? "restarting" : "starting")
                                + ". "
                                + ASK_AGAIN);
            }
        }
    }

    private String advice() {
        return context.jobState().isEnding() ? "There is no need to ask again." : ASK_AGAIN;
    }

    ElasticVertex find(RescaleRequest.Target target) throws RescaleRefusedException {
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

    static RescaleRefusedException refuse(RescaleRefusedException.Kind kind, String message) {
        return new RescaleRefusedException(kind, message);
    }

    /** A vertex that is asked to be rescaled, and how it would be done. */
    static final class Planned {
        final ElasticVertex vertex;
        private final int parallelism;
        private final Repartitioning strategy;
        private final VertexLoad load;
        private final RescalePlan plan;

        Planned(
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

        /** From where it stands. */
        RescaleTarget target() {
            return new RescaleTarget(
                    vertex,
                    vertex.stable(),
                    new StoredElasticity.Vertex(vertex.id(), parallelism, plan.to()),
                    plan);
        }

        RescalePlans.VertexPlan describe() {
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
