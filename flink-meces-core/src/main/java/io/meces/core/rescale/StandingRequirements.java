// SPDX-License-Identifier: Apache-2.0
package io.meces.core.rescale;

import io.meces.api.ParallelismBounds;
import io.meces.api.RescaleCause;
import io.meces.api.RescaleRefusedException;
import io.meces.api.RescaleRequest;
import io.meces.api.RescaleStatus;
import io.meces.api.ResourceRequirements;
import io.meces.core.id.VertexId;
import io.meces.core.job.ElasticVertex;
import io.meces.core.job.RescaleContext;
import io.meces.core.job.RescaleTarget;
import io.meces.core.job.SlotNeeds;
import io.meces.core.requirement.Decision;
import io.meces.core.requirement.Demand;
import io.meces.core.requirement.Reconciliation;
import io.meces.core.requirement.SlotSupply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import javax.annotation.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The requirements that stand (FLIP-291): between which parallelisms vertices are to run from now
 * on. Asks for rescales until they are met, one at a time; {@link Reconciliation} decides for
 * which. Slots that a rescale has left unused, and the next one does not need, are given back.
 * Owned by the JobMaster's main thread.
 */
final class StandingRequirements {

    private static final Logger LOG = LoggerFactory.getLogger(StandingRequirements.class);

    private final Map<VertexId, ElasticVertex> vertices;
    private final RescaleContext context;
    private final Rescales rescales;
    private final Map<VertexId, ParallelismBounds> standing = new LinkedHashMap<>();
    private final Reconciliation reconciliation = new Reconciliation();

    /** Vertices of which a rescale has ended half way. */
    private final Set<VertexId> unsettled = new HashSet<>();

    /** Vertices that cannot be rescaled before something has changed. */
    private final Set<VertexId> obstructed = new HashSet<>();

    /** A rescale is being asked for, or the slots that it would need. */
    private boolean asking;

    /** No rescale has been done yet for what is required now. */
    private boolean isNew;

    /** The same, and the rescale that runs was not begun for it either. */
    private boolean isNewer;

    /** Whether the rescale that runs, or is asked for, waits for slots. */
    private boolean awaitsSlots;

    /** That of the last timer; those before come to nothing. */
    private long timer;

    private boolean stopped;

    StandingRequirements(
            Map<VertexId, ElasticVertex> vertices, RescaleContext context, Rescales rescales) {
        this.vertices = vertices;
        this.context = context;
        this.rescales = rescales;
    }

    /** The rescales of the job. */
    interface Rescales {

        /** That which runs; null: none. */
        @Nullable
        JobRescale running();

        /** Begins one, for the sake of requirements. */
        CompletableFuture<?> begin(RescaleRequest request, RescaleCause cause)
                throws RescaleRefusedException;

        /** What is to be stored of the requirements has changed. */
        void onChanged();
    }

    /** Of all elastic vertices; where none stand, the parallelism is the upper bound. */
    ResourceRequirements shown() {
        Map<String, ParallelismBounds> shown = new LinkedHashMap<>();
        for (ElasticVertex vertex : vertices.values()) {
            ParallelismBounds bounds = standing.get(vertex.id());
            shown.put(
                    vertex.id().toString(),
                    bounds == null ? new ParallelismBounds(1, vertex.connected()) : bounds);
        }
        return new ResourceRequirements(shown);
    }

    /** Those that stand. An immutable copy. */
    Map<VertexId, ParallelismBounds> stored() {
        return Collections.unmodifiableMap(new LinkedHashMap<>(standing));
    }

    /**
     * Takes over what an earlier JobManager has stored; where it does not fit, as far as it does.
     */
    void restore(Map<VertexId, ParallelismBounds> before) {
        before.forEach(
                (id, bounds) -> {
                    ElasticVertex vertex = vertices.get(id);
                    if (vertex == null) {
                        LOG.warn("Requirements {} are dropped: no elastic vertex {}.", bounds, id);
                        return;
                    }
                    int upper = Math.min(bounds.upper(), vertex.capacity());
                    standing.put(id, new ParallelismBounds(Math.min(bounds.lower(), upper), upper));
                });
    }

    /** The job is scheduled for the first time. */
    void start() {
        decideIn(Duration.ZERO);
    }

    /**
     * From now on these stand, for the vertices that they name. The same again changes nothing.
     *
     * @param bounds possible ones, of elastic vertices
     */
    void require(Map<VertexId, ParallelismBounds> bounds) {
        boolean changed = false;
        for (Map.Entry<VertexId, ParallelismBounds> entry : bounds.entrySet()) {
            ElasticVertex vertex = vertices.get(entry.getKey());
            ParallelismBounds before = standing.put(entry.getKey(), entry.getValue());
            changed |= !entry.getValue().equals(before);
            LOG.info("Parallelism of {} is to be in {}, was {}.", vertex, entry.getValue(), before);
        }
        if (!changed) {
            return;
        }
        reconciliation.onChanged();
        obstructed.clear();
        isNew = true;
        isNewer = true;
        rescales.onChanged();
        JobRescale running = rescales.running();
        if (running != null && isContradicted(running)) {
            running.endEarly("other resource requirements have come");
        }
        decideIn(Duration.ZERO);
    }

    private boolean isContradicted(JobRescale running) {
        return running.targets().stream()
                .anyMatch(
                        target -> {
                            ParallelismBounds bounds = standing.get(target.vertex().id());
                            return bounds != null
                                    && Demand.isContradicted(
                                            bounds,
                                            target.origin().parallelism,
                                            target.goal().parallelism);
                        });
    }

    /** Somebody has taken these vertices into their own hands: nothing is required of them. */
    void drop(Collection<VertexId> taken) {
        if (standing.keySet().removeAll(taken)) {
            LOG.info("No requirements stand for {} any more, as a rescale was asked for.", taken);
            rescales.onChanged();
        }
    }

    /** A rescale has ended. */
    void onEnded(JobRescale rescale, RescaleStatus outcome) {
        Set<VertexId> concerned = new HashSet<>();
        for (RescaleTarget target : rescale.targets()) {
            VertexId id = target.vertex().id();
            concerned.add(id);
            if (target.isHalfWay()) {
                unsettled.add(id);
            } else if (outcome == RescaleStatus.FINISHED) {
                unsettled.remove(id);
            }
        }
        concerned.retainAll(standing.keySet());
        Set<VertexId> met = new HashSet<>(rescale.obstructed());
        met.retainAll(concerned);
        if (obstructed.addAll(met)) {
            LOG.warn(
                    "Requirements {} cannot be met: {} That is not tried again before others come,"
                            + " or the job restarts.",
                    standing,
                    rescale.details().failure());
        } else if (!concerned.isEmpty() && outcome != RescaleStatus.ABORTED) {
            reconciliation.onEnded(
                    awaitsSlots, outcome == RescaleStatus.FINISHED, context.nanoTime());
        }
        isNew &= isNewer || outcome != RescaleStatus.FINISHED;
        awaitsSlots = false;
        decideIn(Duration.ZERO);
    }

    /** The job restarts: its state may be another one then. */
    void onRestart() {
        if (!obstructed.isEmpty()) {
            obstructed.clear();
            decideIn(Reconciliation.POLL);
        }
    }

    /** Some slots may be needed by nobody, or by what is required. */
    void onSlotsOffered() {
        if (!stopped) {
            decideIn(Duration.ZERO);
        }
    }

    /** The job has ended. */
    void stop() {
        standing.clear();
        timer++;
        stopped = true;
    }

    private void decideIn(Duration delay) {
        long mine = ++timer;
        context.schedule(
                () -> {
                    if (timer == mine) {
                        decide();
                    }
                },
                delay);
    }

    /** Whoever ends what it waits for here has it decide again. */
    private void decide() {
        if (asking || rescales.running() != null) {
            return;
        }
        if (isMet()) {
            giveBackSlots();
            return;
        }
        asking = true;
        CompletableFuture<Integer> slots;
        Map<Object, Integer> others;
        try {
            others = neededByOthers();
            slots = context.freeSlots();
        } catch (RuntimeException unforeseen) {
            onUnforeseen(unforeseen);
            return;
        }
        slots.handle(
                        (free, failure) -> {
                            if (failure != null) {
                                LOG.debug("Cannot tell how many slots are free.", failure);
                            }
                            return failure == null
                                    ? SlotSupply.of(free, others)
                                    : SlotSupply.unknown(others);
                        })
                .thenAccept(this::decide)
                .whenComplete(
                        (decided, unforeseen) -> {
                            if (unforeseen != null) {
                                onUnforeseen(unforeseen);
                            }
                        });
    }

    private boolean isMet() {
        return standing.entrySet().stream()
                .filter(e -> !obstructed.contains(e.getKey()))
                .allMatch(
                        e ->
                                vertices.get(e.getKey()).parallelism() == e.getValue().upper()
                                        && !unsettled.contains(e.getKey()));
    }

    private void decide(SlotSupply supply) {
        asking = false;
        if (standing.isEmpty() || rescales.running() != null) {
            return;
        }
        Decision decision = reconciliation.decide(demands(), supply, context.nanoTime());
        if (!decision.goals().isEmpty()) {
            begin(decision);
            return;
        }
        if (decision.later() != null) {
            decideIn(decision.later());
        }
        giveBackSlots();
    }

    private void giveBackSlots() {
        if (!context.giveBackSlots()) {
            decideIn(Reconciliation.POLL);
        }
    }

    private List<Demand> demands() {
        List<Demand> demands = new ArrayList<>();
        standing.forEach(
                (id, bounds) -> {
                    if (obstructed.contains(id)) {
                        return;
                    }
                    ElasticVertex vertex = vertices.get(id);
                    demands.add(
                            new Demand(
                                    id,
                                    bounds,
                                    vertex.parallelism(),
                                    !unsettled.contains(id),
                                    context.slotSharingGroup(id)));
                });
        return demands;
    }

    /** How many slots the other vertices need, by slot sharing group. */
    private Map<Object, Integer> neededByOthers() {
        return SlotNeeds.byGroup(
                context,
                id ->
                        standing.containsKey(id) && !obstructed.contains(id)
                                ? 0
                                : context.activeSubtasks(id));
    }

    private void begin(Decision decision) {
        List<RescaleRequest.Target> targets = new ArrayList<>();
        decision.goals()
                .forEach(
                        (id, goal) -> targets.add(RescaleRequest.Target.byId(id.toString(), goal)));
        LOG.info("By requirements {}: {}.", standing, decision);
        asking = true;
        isNewer = false;
        awaitsSlots = decision.awaitsSlots();
        CompletableFuture<?> begun = new CompletableFuture<>();
        try {
            begun = rescales.begin(RescaleRequest.of(targets), cause(decision));
        } catch (RescaleRefusedException refusal) {
            begun.completeExceptionally(refusal);
        }
        begun.whenComplete(
                (accepted, failure) -> {
                    asking = false;
                    if (failure != null) {
                        onNotBegun(failure);
                    } else if (rescales.running() == null) {
                        // it has ended at once, or something else has come meanwhile
                        decideIn(Duration.ZERO);
                    }
                });
    }

    private RescaleCause cause(Decision decision) {
        return isNew && !decision.awaitsSlots() ? RescaleCause.AUTOSCALER : RescaleCause.SLOTS;
    }

    /** The job goes on as it is. */
    private void onUnforeseen(Throwable failure) {
        LOG.error("Requirements {} cannot be met yet.", standing, failure);
        asking = false;
        awaitsSlots = false;
        reconciliation.onEnded(false, false, context.nanoTime());
        decideIn(Reconciliation.POLL);
    }

    private void onNotBegun(Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        awaitsSlots = false;
        if (cause instanceof RescaleRefusedException
                && ((RescaleRefusedException) cause).getKind()
                        == RescaleRefusedException.Kind.CONFLICT) {
            LOG.debug("A rescale by requirements has to wait.", cause);
            decideIn(Reconciliation.POLL);
            return;
        }
        LOG.warn("Requirements {} cannot be met yet: {}", standing, cause.toString());
        reconciliation.onEnded(false, false, context.nanoTime());
        decideIn(Duration.ZERO);
    }
}
