// SPDX-License-Identifier: Apache-2.0
package io.meces.core.job;

import io.meces.core.id.AttemptId;
import io.meces.core.id.DataSetId;
import io.meces.core.id.OperatorId;
import io.meces.core.id.VertexId;
import io.meces.core.plan.Assignment;
import io.meces.core.plan.VertexLayout;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import javax.annotation.Nullable;

/**
 * An elastic vertex of a job: what does not change, and how it stands. Changed by the JobMaster's
 * main thread; {@link #layout()} may be called by any.
 */
public final class ElasticVertex {

    private final VertexId id;
    private final String name;
    private final int configuredParallelism;
    private final int capacity;
    private final int maxParallelism;
    private final int subGroups;
    private final Set<DataSetId> inputs = new LinkedHashSet<>();
    private final Set<VertexId> upstreams = new LinkedHashSet<>();
    private boolean hasBroadcastInputs;
    private final Set<DataSetId> outputs = new LinkedHashSet<>();
    private final Set<VertexId> downstreams = new LinkedHashSet<>();

    private Assignment assignment;
    private int parallelism;
    private int deployed;
    private int connected;
    private int carried;
    @Nullable private String finalResult;
    @Nullable private String checkpointedBesidesKeys = "it is not known what they have in one";
    private Map<OperatorId, String> settledState = Collections.emptyMap();
    @Nullable private String queryableState;
    private Set<AttemptId> ended = Collections.emptySet();
    private long lastStep;
    private long lastCheckpoint = -1;

    /** By subtask, of those that were activated since the last checkpoint that has them. */
    private final Map<Integer, String> activations = new TreeMap<>();

    private volatile VertexLayout layout;

    public ElasticVertex(
            VertexId id,
            String name,
            int parallelism,
            int capacity,
            int maxParallelism,
            int subGroups) {
        this.id = id;
        this.name = name;
        this.configuredParallelism = parallelism;
        this.capacity = capacity;
        this.maxParallelism = maxParallelism;
        this.subGroups = subGroups;
        settle(Assignment.contiguous(maxParallelism, parallelism), parallelism);
    }

    public void addInput(DataSetId dataSet, VertexId upstream) {
        inputs.add(dataSet);
        upstreams.add(upstream);
    }

    /** Some inputs bring each record to all subtasks. */
    public void markBroadcastInputs() {
        hasBroadcastInputs = true;
    }

    /** Whether some input brings each record to all subtasks. */
    public boolean hasBroadcastInputs() {
        return hasBroadcastInputs;
    }

    public void addOutput(DataSetId dataSet, VertexId downstream) {
        outputs.add(dataSet);
        downstreams.add(downstream);
    }

    public VertexId id() {
        return id;
    }

    public String name() {
        return name;
    }

    /** Whether it stands as the code of the job has it. */
    public boolean isAsConfigured() {
        return parallelism == configuredParallelism
                && assignment.equals(Assignment.contiguous(maxParallelism, parallelism));
    }

    public int capacity() {
        return capacity;
    }

    public int maxParallelism() {
        return maxParallelism;
    }

    public int subGroups() {
        return subGroups;
    }

    public Set<DataSetId> inputs() {
        return Collections.unmodifiableSet(inputs);
    }

    public Set<VertexId> upstreams() {
        return Collections.unmodifiableSet(upstreams);
    }

    public Set<DataSetId> outputs() {
        return Collections.unmodifiableSet(outputs);
    }

    public Set<VertexId> downstreams() {
        return Collections.unmodifiableSet(downstreams);
    }

    public Assignment assignment() {
        return assignment;
    }

    /** The active parallelism; while a rescale runs, that from which it came. */
    public int parallelism() {
        return parallelism;
    }

    /** Subtasks 0..deployed-1 are deployed, or about to be. */
    public int deployed() {
        return deployed;
    }

    /** Subtasks 0..connected-1 are connected with their upstreams. */
    public int connected() {
        return connected;
    }

    /** Sets what {@link #settledState} tells. */
    public void setSettledState(Map<OperatorId, String> names) {
        settledState = Collections.unmodifiableMap(new HashMap<>(names));
    }

    /**
     * By operator, the name of the list state that is of no use any more when the last checkpoint
     * of a subtask that leaves has been confirmed. Immutable, for any thread.
     */
    public Map<OperatorId, String> settledState() {
        return settledState;
    }

    /**
     * The list state of subtasks that are gone takes the places of so many subtasks in a
     * checkpoint.
     */
    public int carried() {
        return carried;
    }

    public void setCarried(int parts) {
        carried = parts;
    }

    /**
     * Sets why there cannot be fewer subtasks.
     *
     * @param operator of whose operators one acts at the end of its input, and how that is known
     */
    public void setFinalResult(@Nullable String operator) {
        finalResult = operator;
    }

    /**
     * Sets what {@link #checkpointedBesidesKeys} tells. Before, it is taken for granted that there
     * is something.
     */
    public void setCheckpointedBesidesKeys(@Nullable String what) {
        checkpointedBesidesKeys = what;
    }

    /**
     * Which operator has more in a checkpoint than keyed state, or waits for one to complete, so
     * that a subtask cannot leave without one; null: none.
     */
    @Nullable
    String checkpointedBesidesKeys() {
        return checkpointedBesidesKeys;
    }

    /** Why there cannot be so many subtasks, although the capacity allows it; null: there can. */
    @Nullable
    public String refusalOf(int subtasks) {
        if (subtasks < connected && finalResult != null) {
            return "Parallelism "
                    + subtasks
                    + " is not possible for vertex "
                    + this
                    + ", which cannot have fewer subtasks: its "
                    + finalResult
                    + ", which would come too early in a subtask that leaves. Put rebalance()"
                    + " before that operator, or give the sink that it belongs to another"
                    + " parallelism (such as writeParallelism() of Iceberg's). One of your own can"
                    + " flush in prepareSnapshotPreBarrier() instead.";
        }
        return subtasks + carried <= maxParallelism
                ? null
                : "Parallelism "
                        + subtasks
                        + " is not possible for vertex "
                        + this
                        + " before the job has been restarted: the list state of subtasks that are"
                        + " gone needs room in a checkpoint, and the max parallelism is "
                        + maxParallelism
                        + ".";
    }

    /** The operators of these subtasks get no more input; those of an earlier scale-in are gone. */
    public void endInputOf(Set<AttemptId> subtasks) {
        ended = subtasks;
    }

    /** Why it cannot be rescaled at all until the job has been restarted; null: it can. */
    @Nullable
    public String refuseForEnded(RescaleContext context) {
        for (int i = 0; i < connected; i++) {
            if (ended.contains(context.attempt(id, i))) {
                return "Vertex "
                        + this
                        + " cannot be rescaled before the job has been restarted: the operators of"
                        + " its subtask "
                        + i
                        + ", which was to leave and could not, get no more input.";
            }
        }
        return null;
    }

    /** The name of a state that clients can query; null: none. */
    @Nullable
    public String queryableState() {
        return queryableState;
    }

    public void setQueryableState(String name) {
        queryableState = name;
    }

    /**
     * Subtasks from this one on, if they are active, were activated since the last checkpoint: no
     * state of an operator is theirs.
     */
    public int firstUnknown() {
        return activations.keySet().stream().mapToInt(i -> i).min().orElse(capacity);
    }

    /** A checkpoint is complete that has subtasks 0..subtasks-1. */
    public void onCheckpointed(int subtasks) {
        if (activations.keySet().removeIf(i -> i < subtasks)) {
            publish();
        }
    }

    /** How it stands now. Any thread. */
    public VertexLayout layout() {
        return layout;
    }

    /** How it stands while no rescale of it runs. */
    public StoredElasticity.Vertex stable() {
        return new StoredElasticity.Vertex(id, parallelism, assignment);
    }

    public long nextStep() {
        return ++lastStep;
    }

    /** Some subtasks are about to be activated, or are gone. */
    public void deployUpTo(int subtasks) {
        for (int i = deployed; i < subtasks; i++) {
            // one that failed before a checkpoint had it comes back as the same
            activations.computeIfAbsent(i, index -> UUID.randomUUID().toString());
        }
        deployed = subtasks;
        publish();
    }

    public void connectUpTo(int subtasks) {
        connected = subtasks;
        publish();
    }

    /** New subtasks take part in checkpoints after this one. */
    public void joinAfter(long checkpoint) {
        lastCheckpoint = checkpoint;
        publish();
    }

    public void assign(Assignment newAssignment) {
        assignment = newAssignment;
        publish();
    }

    /** No rescale runs: the assignment and the parallelism are these. */
    public void settle(Assignment newAssignment, int newParallelism) {
        assignment = newAssignment;
        parallelism = newParallelism;
        deployed = newParallelism;
        connected = newParallelism;
        publish();
    }

    private void publish() {
        layout =
                new VertexLayout(
                        deployed, connected, subGroups, assignment, activations, lastCheckpoint);
    }

    @Override
    public String toString() {
        return name + " (" + id + ")";
    }
}
