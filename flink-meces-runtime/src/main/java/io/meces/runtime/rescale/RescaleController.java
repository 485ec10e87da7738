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

import io.meces.runtime.api.Elasticity;
import io.meces.runtime.api.ElasticityRequest;
import io.meces.runtime.api.RescaleAccepted;
import io.meces.runtime.api.RescalePlans;
import io.meces.runtime.api.RescaleRefusedException;
import io.meces.runtime.api.RescaleRequest;
import io.meces.runtime.api.RescaleStatusRequest;
import io.meces.runtime.api.RescaleStatuses;
import io.meces.runtime.event.TaskReport;
import io.meces.runtime.plan.Assignment;
import io.meces.runtime.plan.Move;
import io.meces.runtime.plan.Planner;
import io.meces.runtime.plan.RescalePlan;
import io.meces.runtime.plan.Step;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import javax.annotation.Nullable;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.runtime.operators.coordination.CoordinationRequest;
import org.apache.flink.runtime.operators.coordination.CoordinationResponse;

/**
 * Answers what is asked of the elasticity of a job, and runs one rescale at a time. Owned by the
 * JobMaster's main thread.
 */
public final class RescaleController {

    /** How many rescales are remembered. */
    private static final int HISTORY = 100;

    private final Map<JobVertexID, ElasticVertex> vertices = new LinkedHashMap<>();
    @Nullable private final String refusal;
    private final RescaleSettings settings;
    private final RescaleContext context;
    private final Deque<JobRescale> history = new ArrayDeque<>();
    @Nullable private JobRescale running;

    /**
     * @param vertices the elastic vertices of the job, upstream ones first
     * @param refusal why the job cannot be rescaled; null if it can
     */
    public RescaleController(
            Collection<ElasticVertex> vertices,
            @Nullable String refusal,
            RescaleSettings settings,
            RescaleContext context) {
        vertices.forEach(v -> this.vertices.put(v.id(), v));
        this.refusal = refusal;
        this.settings = settings;
        this.context = context;
    }

    /**
     * Answers a request.
     *
     * @throws RescaleRefusedException if it is not carried out; nothing has changed then
     */
    public CoordinationResponse handle(CoordinationRequest request) throws RescaleRefusedException {
        if (request instanceof ElasticityRequest) {
            return elasticity();
        } else if (request instanceof RescaleRequest) {
            return rescale((RescaleRequest) request);
        } else if (request instanceof RescaleStatusRequest) {
            return status((RescaleStatusRequest) request);
        }
        throw refuse(
                RescaleRefusedException.Kind.BAD_REQUEST,
                "unknown request " + request.getClass().getName());
    }

    /** A report of a task of this job. */
    public void onReport(ExecutionAttemptID task, TaskReport report) {
        if (running != null) {
            running.onReport(task, report);
        }
    }

    /** A task of this job has finished. */
    public void onFinished(ExecutionAttemptID task) {
        if (running != null) {
            running.onFinished(task);
        }
    }

    /** Whether a rescale runs, so that a failure of any task concerns it. */
    public boolean isRescaling() {
        return running != null;
    }

    /** The job restarts, ends or is suspended: a running rescale has failed. */
    public void abandon(String reason) {
        if (running != null) {
            JobRescale rescale = running;
            running = null;
            rescale.abandon(reason);
        }
    }

    private Elasticity elasticity() {
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
        return new Elasticity(result, refusal);
    }

    private RescaleStatuses status(RescaleStatusRequest request) throws RescaleRefusedException {
        if (request.id == null) {
            return new RescaleStatuses(
                    history.stream().map(JobRescale::status).collect(Collectors.toList()));
        }
        for (JobRescale rescale : history) {
            if (rescale.id().equals(request.id)) {
                return new RescaleStatuses(Collections.singletonList(rescale.status()));
            }
        }
        throw refuse(
                RescaleRefusedException.Kind.NOT_FOUND,
                "The job has no rescale " + request.id + ".");
    }

    private CoordinationResponse rescale(RescaleRequest request) throws RescaleRefusedException {
        if (refusal != null) {
            throw refuse(RescaleRefusedException.Kind.BAD_REQUEST, refusal);
        }
        int batchSize = request.batchSize == null ? settings.batchSize() : request.batchSize;
        if (batchSize < 1) {
            throw refuse(
                    RescaleRefusedException.Kind.BAD_REQUEST,
                    "batch-size is " + batchSize + "; it must be at least 1.");
        }
        if (request.targets.isEmpty()) {
            throw refuse(RescaleRefusedException.Kind.BAD_REQUEST, "No vertex is named.");
        }
        List<PlannedVertex> planned = new ArrayList<>();
        Set<JobVertexID> seen = new HashSet<>();
        for (RescaleRequest.Target target : request.targets) {
            ElasticVertex vertex = find(target);
            if (!seen.add(vertex.id())) {
                throw refuse(
                        RescaleRefusedException.Kind.BAD_REQUEST,
                        "Vertex " + vertex + " is named twice.");
            }
            if (target.parallelism < 1 || target.parallelism > vertex.capacity()) {
                throw refuse(
                        RescaleRefusedException.Kind.BAD_REQUEST,
                        "Parallelism "
                                + target.parallelism
                                + " is not possible for vertex "
                                + vertex
                                + ": it must be between 1 and its capacity "
                                + vertex.capacity()
                                + " (the max parallelism, or meces.rescale.max-parallelism if"
                                + " that is less).");
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
            if (target.parallelism + vertex.carried() > vertex.maxParallelism()) {
                throw refuse(
                        RescaleRefusedException.Kind.BAD_REQUEST,
                        "Parallelism "
                                + target.parallelism
                                + " is not possible for vertex "
                                + vertex
                                + " before the job has been restarted: the list state of subtasks"
                                + " that are gone needs room in a checkpoint, and the max"
                                + " parallelism is "
                                + vertex.maxParallelism()
                                + ".");
            }
            Assignment next = settings.strategy().target(vertex.assignment(), target.parallelism);
            planned.add(
                    new PlannedVertex(
                            vertex,
                            target.parallelism,
                            Planner.plan(vertex.assignment(), next, batchSize)));
        }
        if (request.dryRun) {
            return new RescalePlans(
                    planned.stream().map(PlannedVertex::describe).collect(Collectors.toList()));
        }
        checkRunning(planned);
        JobRescale rescale = new JobRescale(planned, settings, context, this::ended);
        history.addLast(rescale);
        if (history.size() > HISTORY) {
            history.removeFirst();
        }
        running = rescale;
        rescale.start();
        return new RescaleAccepted(rescale.id());
    }

    private void ended(JobRescale rescale) {
        if (running == rescale) {
            running = null;
            context.onRescaleEnded();
        }
    }

    private void checkRunning(List<PlannedVertex> planned) throws RescaleRefusedException {
        if (running != null) {
            throw refuse(
                    RescaleRefusedException.Kind.CONFLICT,
                    "Rescale " + running.id() + " of this job is still running.");
        }
        if (context.jobStatus() != JobStatus.RUNNING) {
            throw refuse(
                    RescaleRefusedException.Kind.CONFLICT,
                    "The job is " + context.jobStatus() + ", not RUNNING.");
        }
        for (PlannedVertex p : planned) {
            Set<JobVertexID> concerned = new HashSet<>(p.vertex.upstreams());
            concerned.add(p.vertex.id());
            concerned.addAll(p.vertex.downstreams());
            for (JobVertexID v : concerned) {
                for (int i = 0; i < context.activeSubtasks(v); i++) {
                    if (!context.isRunning(v, i)) {
                        throw refuse(
                                RescaleRefusedException.Kind.CONFLICT,
                                "Not all subtasks of vertex "
                                        + v
                                        + " are running; the job is starting or ending.");
                    }
                }
            }
        }
    }

    private ElasticVertex find(RescaleRequest.Target target) throws RescaleRefusedException {
        List<ElasticVertex> found = new ArrayList<>();
        for (ElasticVertex v : vertices.values()) {
            if (target.id != null
                    ? v.id().toString().equalsIgnoreCase(target.id)
                    : v.name().equals(target.name)) {
                found.add(v);
            }
        }
        if (found.size() == 1) {
            return found.get(0);
        }
        String asked = target.id != null ? "id " + target.id : "name '" + target.name + "'";
        if (found.size() > 1) {
            throw refuse(
                    RescaleRefusedException.Kind.BAD_REQUEST,
                    "Several vertices have the " + asked + "; name one by its id: " + found);
        }
        if (context.hasVertex(target.id, target.name)) {
            throw refuse(
                    RescaleRefusedException.Kind.BAD_REQUEST,
                    "The vertex with the "
                            + asked
                            + " is not elastic: its inputs are not keyed. Elastic are: "
                            + vertices.values());
        }
        throw refuse(
                RescaleRefusedException.Kind.NOT_FOUND,
                "The job has no vertex with the " + asked + ". Elastic are: " + vertices.values());
    }

    private static RescaleRefusedException refuse(
            RescaleRefusedException.Kind kind, String message) {
        return new RescaleRefusedException(kind, message);
    }

    /** A vertex that is asked to be rescaled, and how it would be done. */
    static final class PlannedVertex {
        private final ElasticVertex vertex;
        private final int parallelism;
        private final RescalePlan plan;

        private PlannedVertex(ElasticVertex vertex, int parallelism, RescalePlan plan) {
            this.vertex = vertex;
            this.parallelism = parallelism;
            this.plan = plan;
        }

        ElasticVertex vertex() {
            return vertex;
        }

        int parallelism() {
            return parallelism;
        }

        RescalePlan plan() {
            return plan;
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
            return new RescalePlans.VertexPlan(
                    vertex.id().toString(),
                    vertex.name(),
                    vertex.parallelism(),
                    parallelism,
                    steps,
                    new ArrayList<>(plan.countsBefore()),
                    new ArrayList<>(plan.countsAfter()));
        }
    }
}
