// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.scheduler;

import io.meces.core.checkpoint.AbsentAcknowledgements;
import io.meces.core.id.AttemptId;
import io.meces.core.job.CarriedStates;
import io.meces.core.job.ElasticVertex;
import io.meces.core.job.StoredElasticity;
import io.meces.core.plan.VertexLayout;
import io.meces.flink.runtime.EarlierKryo;
import io.meces.runtime.MecesOptions.EarlierKryoUse;
import io.meces.runtime.checkpoint.CarriedListState;
import io.meces.runtime.checkpoint.CheckpointGate;
import io.meces.runtime.checkpoint.CheckpointedKeyGroups;
import io.meces.runtime.checkpoint.ElasticOperatorState;
import io.meces.runtime.checkpoint.ScatteredInFlight;
import io.meces.runtime.checkpoint.StateRedistribution;
import java.util.ArrayList;
import java.util.Collection;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import javax.annotation.Nullable;
import org.apache.flink.runtime.OperatorIDPair;
import org.apache.flink.runtime.checkpoint.CheckpointCoordinator;
import org.apache.flink.runtime.checkpoint.CheckpointKinds;
import org.apache.flink.runtime.checkpoint.CompletedCheckpoint;
import org.apache.flink.runtime.checkpoint.PendingCheckpoint;
import org.apache.flink.runtime.execution.ExecutionState;
import org.apache.flink.runtime.executiongraph.Execution;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.apache.flink.runtime.executiongraph.ExecutionJobVertex;
import org.apache.flink.runtime.executiongraph.ExecutionVertex;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.util.FlinkException;
import org.apache.flink.util.function.FunctionUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The checkpoints of a job with elastic vertices: what they show, what they carry, and what the
 * vertices are restored to. Owned by the JobMaster's main thread, unless a method says otherwise.
 */
final class ElasticCheckpoints implements AbsentAcknowledgements.Coordinator<PendingCheckpoint> {

    private static final Logger LOG = LoggerFactory.getLogger(ElasticCheckpoints.class);

    private final Scheduler scheduler;
    private final ElasticTopology topology;
    private final CheckpointGate gate;
    private final Executor ioExecutor;
    private final KnownAttempts known;
    private final CarriedStates<CarriedListState> carried;
    private final AbsentAcknowledgements<PendingCheckpoint> acknowledgements =
            new AbsentAcknowledgements<>(this);

    /** What it needs of the scheduler. */
    interface Scheduler {

        ExecutionJobVertex executionJobVertex(ElasticVertex vertex);

        /** Null: the job has no checkpoints. */
        @Nullable
        CheckpointCoordinator coordinator();

        /** Any thread may give it something to do. */
        Executor mainThread();

        /** A vertex one of whose subtasks has finished; null: none. Any thread. */
        @Nullable
        String finishedVertex();

        /** Of all vertices. Any thread. */
        Iterable<ExecutionVertex> subtasks();

        /** Tells the coordinator that an attempt has no state for a checkpoint. */
        void acknowledgeWithoutState(long checkpoint, AttemptId attempt);
    }

    ElasticCheckpoints(
            Scheduler scheduler,
            ElasticTopology topology,
            CheckpointGate gate,
            Executor ioExecutor,
            KnownAttempts known) {
        this.scheduler = scheduler;
        this.topology = topology;
        this.gate = gate;
        this.ioExecutor = ioExecutor;
        this.known = known;
        this.carried =
                new CarriedStates<>(
                        CarriedListState.none(),
                        CarriedListState::parts,
                        action -> scheduler.mainThread().execute(action));
    }

    /**
     * What becomes of a checkpoint before the first task hears of it. Any thread; no rescale
     * changes the vertices meanwhile.
     */
    void prepare(PendingCheckpoint checkpoint) {
        String finished = finishedSinceTriggered(checkpoint);
        if (finished != null) {
            throw new CompletionException(
                    CheckpointGate.decline("a subtask of '" + finished + "' has finished"));
        }
        if (!acknowledgements.awaitsAllActive(checkpoint)) {
            throw new CompletionException(
                    CheckpointGate.decline("a subtask has been replaced since it was triggered"));
        }
        for (ElasticVertex vertex : topology.vertices()) {
            VertexLayout layout = vertex.layout();
            if (CheckpointKinds.isRecoveredFrom(checkpoint)) {
                checkpoint
                        .getCompletionFuture()
                        .thenAcceptAsync(
                                complete -> vertex.onCheckpointed(layout.connected()),
                                scheduler.mainThread());
            }
            for (OperatorID operator : operators(vertex)) {
                ElasticOperatorState.prepare(
                        checkpoint,
                        operator,
                        layout.owners(),
                        layout.connected(),
                        carried.of(vertex).of(operator));
            }
        }
        if (gate.mayBeUnaligned(checkpoint)) {
            ScatteredInFlight.mark(checkpoint);
        }
    }

    /** Tasks that it awaits ran when it was triggered, and it may have waited since. Null: none. */
    @Nullable
    private String finishedSinceTriggered(PendingCheckpoint checkpoint) {
        if (scheduler.finishedVertex() == null) {
            return null;
        }
        for (ExecutionVertex subtask : scheduler.subtasks()) {
            Execution attempt = subtask.getCurrentExecutionAttempt();
            if (attempt.getState() == ExecutionState.FINISHED
                    && !checkpoint.isAcknowledgedBy(attempt.getAttemptId())) {
                return subtask.getJobVertex().getName();
            }
        }
        return null;
    }

    private List<OperatorID> operators(ElasticVertex vertex) {
        return scheduler.executionJobVertex(vertex).getOperatorIDs().stream()
                .map(OperatorIDPair::getGeneratedOperatorID)
                .collect(Collectors.toList());
    }

    /** As {@link io.meces.core.job.RescaleContext#readListState}. */
    CompletableFuture<Runnable> readListState(
            ElasticVertex vertex, int from, int to, long checkpointId) {
        CarriedListState before = carried.of(vertex);
        List<OperatorID> operators = operators(vertex);
        return carried.leave(
                vertex,
                from,
                CompletableFuture.supplyAsync(
                        FunctionUtils.uncheckedSupplier(
                                () ->
                                        before.with(
                                                StateRedistribution.find(
                                                        checkpointId, scheduler.coordinator()),
                                                operators,
                                                vertex.settledState(),
                                                from,
                                                to)),
                        ioExecutor));
    }

    /** Gives the active subtasks of a vertex what Flink has restored for all of its capacity. */
    void redistribute(ElasticVertex vertex) throws Exception {
        ExecutionJobVertex subtasks = scheduler.executionJobVertex(vertex);
        CompletedCheckpoint checkpoint =
                StateRedistribution.restored(subtasks, scheduler.coordinator());
        // the checkpoint contains it; without one the job begins anew
        carried.forget(vertex);
        if (checkpoint != null) {
            StateRedistribution redistribution =
                    new StateRedistribution(subtasks, vertex.assignment(), vertex.connected());
            if (StateRedistribution.hasChannelState(checkpoint)) {
                redistribution.checkUnchanged(checkpoint);
            }
            vertex.onCheckpointed(redistribution.subtasks(checkpoint));
            redistribution.apply(checkpoint, vertex.firstUnknown());
        }
    }

    /** Gives subtasks of another vertex what an unaligned checkpoint has of them in flight. */
    void restoreInFlight(ExecutionJobVertex vertex) throws Exception {
        CompletedCheckpoint checkpoint =
                gate.isUnaligned()
                        ? StateRedistribution.restored(vertex, scheduler.coordinator())
                        : null;
        if (checkpoint != null && StateRedistribution.hasChannelState(checkpoint)) {
            StateRedistribution.restoreInFlight(checkpoint, vertex);
        }
    }

    /** As {@link CheckpointGate#stored}. */
    long stored() {
        return gate.stored();
    }

    /** How much keyed state a vertex has in the last completed checkpoint; -1: there is none. */
    long checkpointedBytes(ExecutionJobVertex vertex) {
        CompletedCheckpoint newest = gate.newest();
        try {
            // one that could not be stored has been discarded: the first step of a rescale measures
            return newest == null || newest.getOperatorStates().isEmpty()
                    ? -1
                    : StateRedistribution.keyedBytes(newest, vertex);
        } catch (ConcurrentModificationException e) {
            // or is being discarded, by a thread that does not tell
            JobVertexID id = vertex.getJobVertexId();
            LOG.info("Cannot tell how much state {} has in {}.", id, newest, e);
            return -1;
        }
    }

    /** How much state each key-group has in the last checkpoint; null: it does not tell. */
    @Nullable
    long[] checkpointedKeyGroups(ElasticVertex vertex) {
        CompletedCheckpoint newest = gate.newest();
        try {
            return newest == null
                    ? null
                    : CheckpointedKeyGroups.bytes(newest, scheduler.executionJobVertex(vertex));
        } catch (ConcurrentModificationException e) {
            // it is being discarded, by a thread that does not tell
            LOG.info("Cannot tell how much state {} has in {}.", vertex, newest, e);
            return null;
        }
    }

    /**
     * As an earlier JobManager left the job; null: there was none, or a user starts the job anew,
     * who has it as its code says. To be called once, before the job is scheduled.
     */
    @Nullable
    StoredElasticity restored() throws Exception {
        List<CompletedCheckpoint> checkpoints =
                scheduler.coordinator() == null
                        ? new ArrayList<>()
                        : scheduler.coordinator().getSuccessfulCheckpoints();
        if (checkpoints.isEmpty()) {
            return null;
        }
        // any assignment does for the state of any checkpoint: the newest is the one to go by
        CompletedCheckpoint newest = checkpoints.get(checkpoints.size() - 1);
        gate.onRestored(newest);
        return CheckpointKinds.isNamedByUser(newest) ? null : CheckpointGate.storedIn(newest);
    }

    /**
     * Refuses to restore what cannot be shared out. Records in flight belong to channels: they can
     * be restored under the assignment of their time, which is known of the job's own checkpoints
     * alone. A changelog has a backend of its own read it. What Kryo of another line of Flink has
     * written may be read as other values.
     *
     * @param goesOn whether the checkpoint is one of the job itself, of an earlier JobManager
     */
    void refuseUnknownState(EarlierKryoUse earlierKryo, ClassLoader userCode, boolean goesOn)
            throws Exception {
        CompletedCheckpoint checkpoint = null;
        for (ElasticVertex vertex : topology.vertices()) {
            if (checkpoint == null) {
                checkpoint =
                        StateRedistribution.restored(
                                scheduler.executionJobVertex(vertex), scheduler.coordinator());
            }
        }
        if (checkpoint == null) {
            return;
        }
        if (!goesOn && StateRedistribution.hasChannelState(checkpoint)) {
            throw new FlinkException(
                    "Checkpoint "
                            + checkpoint.getExternalPointer()
                            + " is unaligned and has records in flight, which a job that can be"
                            + " rescaled cannot restore. Start from a savepoint or from an"
                            + " aligned checkpoint.");
        }
        if (StateRedistribution.hasChangelog(checkpoint)) {
            throw new FlinkException(
                    "Checkpoint "
                            + checkpoint.getExternalPointer()
                            + " has a changelog of state, which a job that can be rescaled"
                            + " cannot restore. Start from a savepoint.");
        }
        if (earlierKryo == EarlierKryoUse.REFUSE) {
            refuseEarlierKryo(checkpoint, EarlierKryo.wrote(checkpoint, userCode));
        }
    }

    private static void refuseEarlierKryo(CompletedCheckpoint checkpoint, List<String> parts)
            throws FlinkException {
        if (!parts.isEmpty()) {
            throw new FlinkException(
                    "Checkpoint "
                            + checkpoint.getExternalPointer()
                            + " is of a Flink 1, whose Kryo has written "
                            + String.join(", ", parts)
                            + ". Flink 2 has another Kryo, and may read other values without an"
                            + " error. Before you leave Flink 1, have it keep them with a"
                            + " serializer that is not Kryo's. If you have tried that these values"
                            + " are read as they were, set meces.rescale.earlier-kryo: ACCEPT.");
        }
    }

    // ------------------------------------------------------------------------
    //  Acknowledgements
    // ------------------------------------------------------------------------

    AbsentAcknowledgements<PendingCheckpoint> acknowledgements() {
        return acknowledgements;
    }

    @Override
    public Map<Long, PendingCheckpoint> incomplete() {
        return gate.checkpoints().incomplete();
    }

    @Override
    public boolean isAcknowledgedBy(PendingCheckpoint checkpoint, AttemptId attempt) {
        ExecutionAttemptID flinks = known.flinks(attempt);
        return flinks == null || checkpoint.isAcknowledgedBy(flinks);
    }

    @Override
    public Collection<AttemptId> inactive() {
        return attempts(ElasticVertex::connected, ElasticVertex::capacity);
    }

    @Override
    public Collection<AttemptId> active() {
        return attempts(vertex -> 0, vertex -> vertex.layout().connected());
    }

    /** Current ones of subtasks of all elastic vertices. Any thread. */
    private List<AttemptId> attempts(
            ToIntFunction<ElasticVertex> from, ToIntFunction<ElasticVertex> to) {
        List<AttemptId> attempts = new ArrayList<>();
        for (ElasticVertex vertex : topology.vertices()) {
            ExecutionVertex[] subtasks = scheduler.executionJobVertex(vertex).getTaskVertices();
            for (int i = from.applyAsInt(vertex); i < to.applyAsInt(vertex); i++) {
                Execution attempt = subtasks[i].getCurrentExecutionAttempt();
                // one that has finished has no part in checkpoints
                if (attempt.getState() != ExecutionState.FINISHED) {
                    attempts.add(known.of(attempt.getAttemptId()));
                }
            }
        }
        return attempts;
    }

    @Override
    public void acknowledge(long checkpoint, AttemptId attempt) {
        scheduler.acknowledgeWithoutState(checkpoint, attempt);
    }
}
