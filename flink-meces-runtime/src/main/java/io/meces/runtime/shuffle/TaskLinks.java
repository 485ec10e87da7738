// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.shuffle;

import io.meces.core.plan.VertexLayout;
import io.meces.flink.runtime.WeakValues;
import io.meces.runtime.transition.Transition;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentMap;
import javax.annotation.Nullable;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.apache.flink.runtime.jobgraph.OperatorID;

/**
 * Links what the shuffle service makes for a task attempt with the task, which Flink makes later
 * and elsewhere. Filled before the task is made; read-only afterwards.
 *
 * <p>It lives as long as the partitions and gates that hold it.
 */
public final class TaskLinks {

    private static final ConcurrentMap<ExecutionAttemptID, TaskLinks> ALL = WeakValues.newMap();

    /** The links of the task whose constructor runs in this thread. */
    private static final ThreadLocal<TaskLinks> CONSTRUCTED = new ThreadLocal<>();

    private final ExecutionAttemptID attempt;
    private final Transition transition;
    private final TaskTimes times = new TaskTimes(System::nanoTime);
    private final OverdraftBuffers overdraft = new OverdraftBuffers();
    private final Map<Integer, OutputLink> outputs = new TreeMap<>();
    private final List<ElasticInputGate> gates = Collections.synchronizedList(new ArrayList<>());
    private final List<ProducerKey> producerKeys = new ArrayList<>();
    @Nullable private volatile VertexLayout vertex;
    @Nullable private volatile NotConnectedListener notConnected;

    private TaskLinks(ExecutionAttemptID attempt, Transition transition) {
        this.attempt = attempt;
        this.transition = transition;
    }

    /** The links of an attempt, made if there are none yet. */
    public static TaskLinks of(ExecutionAttemptID attempt, Transition transition) {
        return ALL.computeIfAbsent(attempt, a -> new TaskLinks(a, transition));
    }

    /** The links of an attempt; null if it is not next to or inside an elastic vertex. */
    @Nullable
    public static TaskLinks find(ExecutionAttemptID attempt) {
        return ALL.get(attempt);
    }

    /**
     * Until {@link #leave()}, what is made in this thread finds the links of the attempt. Null:
     * there are none.
     */
    @Nullable
    public static TaskLinks enter(ExecutionAttemptID attempt) {
        TaskLinks links = find(attempt);
        if (links != null) {
            CONSTRUCTED.set(links);
        }
        return links;
    }

    /** The counterpart of {@link #enter}. */
    public static TaskLinks leave() {
        TaskLinks links = ofConstructedTask();
        CONSTRUCTED.remove();
        return links;
    }

    static TaskLinks ofConstructedTask() {
        TaskLinks links = CONSTRUCTED.get();
        if (links == null) {
            throw new IllegalStateException("No elastic task is being made in this thread.");
        }
        return links;
    }

    /** Who is told of channels that cannot be opened: gate, channel, why. Called by any thread. */
    public void onNotConnected(NotConnectedListener listener) {
        notConnected = listener;
    }

    /**
     * A new subtask cannot be connected. Any thread.
     *
     * @return whether anybody has been told; not before the task runs
     */
    public boolean reportNotConnected(int gate, int channel, Exception failure) {
        NotConnectedListener listener = notConnected;
        if (listener != null) {
            listener.onNotConnected(gate, channel, failure);
        }
        return listener != null;
    }

    /** Told of a channel that cannot be opened. */
    public interface NotConnectedListener {
        void onNotConnected(int gate, int channel, Exception failure);
    }

    public void addPartition(
            int index, ElasticResultPartition partition, PartitionElasticity elasticity) {
        outputs.put(index, new OutputLink(partition, elasticity));
        if (elasticity.producer() != null) {
            vertex = elasticity.producer();
        }
    }

    public void addGate(ElasticInputGate gate, PartitionElasticity elasticity) {
        gates.add(gate);
        if (elasticity.consumer() != null) {
            vertex = elasticity.consumer();
        }
    }

    public List<ElasticInputGate> gates() {
        synchronized (gates) {
            return new ArrayList<>(gates);
        }
    }

    /** The partitions next to an elastic vertex, by output index. */
    public Map<Integer, OutputLink> outputs() {
        return Collections.unmodifiableMap(outputs);
    }

    ProducerKey addProducerKey(OperatorID operator) {
        ProducerKey key = new ProducerKey(operator);
        producerKeys.add(key);
        return key;
    }

    /** The keys by which outputs of the task are partitioned. Owned by the task thread. */
    public List<ProducerKey> producerKeys() {
        return Collections.unmodifiableList(producerKeys);
    }

    /** How the task's own vertex stood at its deployment; null if it is not elastic. */
    @Nullable
    public VertexLayout vertex() {
        return vertex;
    }

    /** How long the task is idle, and so on. */
    public TaskTimes times() {
        return times;
    }

    /** Has buffers for its outputs while a command waits. */
    public OverdraftBuffers overdraft() {
        return overdraft;
    }

    public Transition transition() {
        return transition;
    }

    public ExecutionAttemptID attempt() {
        return attempt;
    }

    /** One produced partition. */
    public static final class OutputLink {
        private final ElasticResultPartition partition;
        private final PartitionElasticity elasticity;
        @Nullable private ElasticPartitioner<?> partitioner;

        OutputLink(ElasticResultPartition partition, PartitionElasticity elasticity) {
            this.partition = partition;
            this.elasticity = elasticity;
        }

        public ElasticResultPartition partition() {
            return partition;
        }

        public PartitionElasticity elasticity() {
            return elasticity;
        }

        /** Null if the consumer is not elastic, or all its subtasks get each record. */
        @Nullable
        public ElasticPartitioner<?> partitioner() {
            return partitioner;
        }

        void setPartitioner(ElasticPartitioner<?> partitioner) {
            this.partitioner = partitioner;
        }
    }
}
