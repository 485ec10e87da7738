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

package io.meces.runtime.graph;

import io.meces.runtime.MecesOptions;
import io.meces.runtime.rescale.ElasticVertex;
import io.meces.runtime.shuffle.ElasticPartitioner;
import io.meces.runtime.sink.SinkDrains;
import io.meces.runtime.task.MecesMultipleInputStreamTask;
import io.meces.runtime.task.MecesOneInputStreamTask;
import io.meces.runtime.task.MecesSourceOperatorStreamTask;
import io.meces.runtime.task.MecesSourceStreamTask;
import io.meces.runtime.task.MecesTwoInputStreamTask;
import io.meces.state.MecesStateBackend;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Predicate;
import javax.annotation.Nullable;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.OperatorIDPair;
import org.apache.flink.runtime.jobgraph.DistributionPattern;
import org.apache.flink.runtime.jobgraph.IntermediateDataSet;
import org.apache.flink.runtime.jobgraph.JobEdge;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.jobgraph.ScheduleMode;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.StateBackendLoader;
import org.apache.flink.streaming.api.functions.query.QueryableAppendingStateOperator;
import org.apache.flink.streaming.api.functions.query.QueryableValueStateOperator;
import org.apache.flink.streaming.api.functions.sink.filesystem.StreamingFileSink;
import org.apache.flink.streaming.api.graph.StreamConfig;
import org.apache.flink.streaming.api.graph.StreamEdge;
import org.apache.flink.streaming.api.operators.AbstractUdfStreamOperator;
import org.apache.flink.streaming.api.operators.CoordinatedOperatorFactory;
import org.apache.flink.streaming.api.operators.InputSelectable;
import org.apache.flink.streaming.api.operators.OperatorAccess;
import org.apache.flink.streaming.api.operators.SimpleOperatorFactory;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorFactory;
import org.apache.flink.streaming.api.operators.YieldingOperatorFactory;
import org.apache.flink.streaming.runtime.operators.sink.StreamingGlobalCommitterOperatorFactory;
import org.apache.flink.streaming.runtime.partitioner.BroadcastPartitioner;
import org.apache.flink.streaming.runtime.partitioner.KeyGroupStreamPartitioner;
import org.apache.flink.streaming.runtime.tasks.MultipleInputStreamTask;
import org.apache.flink.streaming.runtime.tasks.OneInputStreamTask;
import org.apache.flink.streaming.runtime.tasks.SourceOperatorStreamTask;
import org.apache.flink.streaming.runtime.tasks.SourceStreamTask;
import org.apache.flink.streaming.runtime.tasks.TwoInputStreamTask;
import org.apache.flink.util.DynamicCodeLoadingException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which vertices of a job are elastic. {@link #rewrite} changes the job graph: elastic vertices get
 * a parallelism equal to their capacity, of which only some subtasks will be deployed; they and
 * their neighbours get task classes of ours; the edges into them get a partitioner that can be
 * switched.
 *
 * <p>A job that cannot be rescaled as a whole is left as it is, with the reason.
 */
public final class ElasticJobGraph {

    /** Not on our class path. */
    private static final String TABLE_FILE_SINK =
            "org.apache.flink.table.filesystem.stream.AbstractStreamingWriter";

    private static final Logger LOG = LoggerFactory.getLogger(ElasticJobGraph.class);

    private static final Map<Class<?>, Class<?>> TASKS = new HashMap<>();

    static {
        TASKS.put(SourceStreamTask.class, MecesSourceStreamTask.class);
        TASKS.put(SourceOperatorStreamTask.class, MecesSourceOperatorStreamTask.class);
        TASKS.put(OneInputStreamTask.class, MecesOneInputStreamTask.class);
        TASKS.put(TwoInputStreamTask.class, MecesTwoInputStreamTask.class);
        TASKS.put(MultipleInputStreamTask.class, MecesMultipleInputStreamTask.class);
    }

    private final List<ElasticVertex> vertices;
    @Nullable private final String refusal;
    private final List<String> warnings;

    private ElasticJobGraph(
            List<ElasticVertex> vertices, @Nullable String refusal, List<String> warnings) {
        this.vertices = Collections.unmodifiableList(vertices);
        this.refusal = refusal;
        this.warnings = Collections.unmodifiableList(warnings);
    }

    private static ElasticJobGraph refused(String refusal) {
        return new ElasticJobGraph(Collections.emptyList(), refusal, Collections.emptyList());
    }

    /** The elastic vertices, upstream ones first; empty if the job is refused. */
    public List<ElasticVertex> vertices() {
        return vertices;
    }

    /** Why the job cannot be rescaled; null if it can, or has nothing to rescale. */
    @Nullable
    public String refusal() {
        return refusal;
    }

    /** What of a job that can be rescaled cannot be done as somebody may expect. */
    public List<String> warnings() {
        return warnings;
    }

    /**
     * Makes a job graph elastic as far as it can be.
     *
     * @param restored asked for max parallelisms only if an elastic vertex has none
     * @throws Exception if the job graph or what it is restored from cannot be read
     */
    public static ElasticJobGraph rewrite(
            JobGraph graph, Configuration cluster, ClassLoader userCode, RestoredState restored)
            throws Exception {
        Set<JobVertex> keyed = keyedVertices(graph, userCode);
        if (keyed.isEmpty()) {
            return refused(
                    "The job has no vertex that is fed by keyBy, and by broadcast() or nothing"
                            + " else.");
        }
        Capacities capacities =
                new Capacities(cluster, parameters(graph, userCode), restored.parallelisms());
        List<String> warnings = removeCoordinated(keyed, capacities, userCode);
        String refusal =
                keyed.isEmpty()
                        ? String.join(" ", warnings)
                        : refusal(graph, keyed, cluster, capacities, userCode);
        if (refusal != null) {
            LOG.warn("Job {} cannot be rescaled live: {}", graph.getName(), refusal);
            return refused(refusal);
        }
        MecesStateBackend backend = (MecesStateBackend) stateBackend(graph, cluster, userCode);
        Map<OperatorID, Integer> restoredMaxParallelisms =
                keyed.stream().allMatch(ElasticJobGraph::hasMaxParallelism)
                        ? Collections.emptyMap()
                        : restored.maxParallelisms(backend);
        Map<JobVertex, Integer> maxParallelisms = new LinkedHashMap<>();
        for (JobVertex vertex : graph.getVerticesSortedTopologicallyFromSources()) {
            if (keyed.contains(vertex)) {
                maxParallelisms.put(vertex, maxParallelism(vertex, restoredMaxParallelisms));
            }
        }
        Map<JobVertex, Integer> affordable = capacities.within(graph, maxParallelisms);
        warnings.addAll(capacities.unused(keyed));
        warnings.addAll(capacities.lowered(graph, maxParallelisms, affordable));
        for (JobVertex vertex : maxParallelisms.keySet()) {
            String finalResult = BoundedOperators.withFinalResult(vertex, userCode);
            if (finalResult != null) {
                warnings.add(
                        "Vertex '"
                                + vertex.getName()
                                + "' can have more subtasks, but not fewer: its "
                                + finalResult
                                + ", which would come too early in a subtask that leaves.");
            }
            warnings.addAll(KeyedFields.warnings(vertex, userCode));
            warnings.addAll(SinkWarnings.of(vertex, userCode));
        }
        warnings.forEach(warning -> LOG.warn("Job {}: {}", graph.getName(), warning));
        Map<JobVertexID, ElasticVertex> elastic = new LinkedHashMap<>();
        maxParallelisms.forEach(
                (vertex, maxParallelism) ->
                        elastic.put(
                                vertex.getID(),
                                makeElastic(
                                        vertex,
                                        maxParallelism,
                                        affordable.get(vertex),
                                        backend.subGroups(),
                                        userCode)));
        for (JobVertex vertex : neighbourhood(keyed)) {
            vertex.setInvokableClass(
                    TASKS.get(vertex.getInvokableClass(userCode))
                            .asSubclass(
                                    org.apache.flink.runtime.jobgraph.tasks.AbstractInvokable
                                            .class));
            switchPartitioners(vertex, elastic, userCode);
        }
        // a TaskManager must not choose another one
        for (JobVertex vertex : graph.getVertices()) {
            new StreamConfig(vertex.getConfiguration()).setStateBackend(backend);
        }
        // consumers may be deployed before all producers are known
        graph.setScheduleMode(ScheduleMode.LAZY_FROM_SOURCES);
        return new ElasticJobGraph(new ArrayList<>(elastic.values()), null, warnings);
    }

    private static Map<String, String> parameters(JobGraph graph, ClassLoader userCode)
            throws IOException, ClassNotFoundException {
        ExecutionConfig.GlobalJobParameters parameters =
                graph.getSerializedExecutionConfig()
                        .deserializeValue(userCode)
                        .getGlobalJobParameters();
        Map<String, String> byKey = parameters == null ? null : parameters.toMap();
        return byKey == null ? Collections.emptyMap() : byKey;
    }

    // ------------------------------------------------------------------------
    //  What is elastic
    // ------------------------------------------------------------------------

    /** The vertices of which some inputs are keyed and the others broadcast. */
    private static Set<JobVertex> keyedVertices(JobGraph graph, ClassLoader userCode) {
        Map<JobVertex, List<StreamEdge>> inputs = new HashMap<>();
        for (JobVertex vertex : graph.getVertices()) {
            List<StreamEdge> edges = outEdges(vertex, userCode);
            for (int i = 0; i < edges.size(); i++) {
                inputs.computeIfAbsent(consumer(vertex, i), v -> new ArrayList<>())
                        .add(edges.get(i));
            }
        }
        Set<JobVertex> keyed = new HashSet<>();
        inputs.forEach(
                (vertex, edges) -> {
                    if (edges.size() == vertex.getNumberOfInputs()
                            && edges.stream().anyMatch(ElasticJobGraph::isKeyed)
                            && edges.stream()
                                    .allMatch(e -> isKeyedOrBroadcast(vertex, e, userCode))) {
                        keyed.add(vertex);
                    }
                });
        return keyed;
    }

    private static boolean isKeyed(StreamEdge edge) {
        return edge.getPartitioner() instanceof KeyGroupStreamPartitioner;
    }

    /** Edges of one input of an operator are all of the same kind then. */
    private static boolean isKeyedOrBroadcast(
            JobVertex consumer, StreamEdge edge, ClassLoader userCode) {
        int input = Math.max(0, edge.getTypeNumber() - 1);
        boolean hasKey =
                new StreamConfig(consumer.getConfiguration()).getStatePartitioner(input, userCode)
                        != null;
        return hasKey ? isKeyed(edge) : edge.getPartitioner() instanceof BroadcastPartitioner;
    }

    private static List<StreamEdge> outEdges(JobVertex vertex, ClassLoader userCode) {
        List<StreamEdge> edges =
                new StreamConfig(vertex.getConfiguration()).getOutEdgesInOrder(userCode);
        return edges == null ? Collections.emptyList() : edges;
    }

    private static JobVertex consumer(JobVertex producer, int output) {
        return producer.getProducedDataSets().get(output).getConsumers().get(0).getTarget();
    }

    /** The elastic vertices, what they read from and what reads from them. */
    private static Set<JobVertex> neighbourhood(Set<JobVertex> keyed) {
        Set<JobVertex> all = new HashSet<>(keyed);
        for (JobVertex vertex : keyed) {
            for (JobEdge edge : vertex.getInputs()) {
                all.add(edge.getSource().getProducer());
            }
            for (IntermediateDataSet dataSet : vertex.getProducedDataSets()) {
                dataSet.getConsumers().forEach(edge -> all.add(edge.getTarget()));
            }
        }
        return all;
    }

    /**
     * Flink tells a coordinator once, before the first subtask runs, how many there are, and has it
     * reach these only. It would wait for those that are not active, and not know of others.
     *
     * @return what is said of each that is removed
     */
    private static List<String> removeCoordinated(
            Set<JobVertex> keyed, Capacities capacities, ClassLoader userCode) {
        List<String> removed = new ArrayList<>();
        for (JobVertex vertex : new ArrayList<>(keyed)) {
            String operator = coordinatedOperator(vertex, userCode);
            if (operator != null && mayGrow(vertex, capacities)) {
                keyed.remove(vertex);
                removed.add(
                        "Vertex '"
                                + vertex.getName()
                                + "' cannot be rescaled: its operator '"
                                + operator
                                + "' has a coordinator, which counts on a fixed number of subtasks"
                                + " (such as executeAndCollect(), and sinks that commit by a"
                                + " coordinator). If the operator needs no keyed state, put"
                                + " partitionCustom() by the same key before it, or rebalance()"
                                + " where the order of a key does not matter.");
            }
        }
        return removed;
    }

    @Nullable
    private static String coordinatedOperator(JobVertex vertex, ClassLoader userCode) {
        for (StreamConfig config :
                new StreamConfig(vertex.getConfiguration())
                        .getTransitiveChainedTaskConfigsWithSelf(userCode)
                        .values()) {
            if (config.getStreamOperatorFactory(userCode) instanceof CoordinatedOperatorFactory) {
                return config.getOperatorName();
            }
        }
        return null;
    }

    // ------------------------------------------------------------------------
    //  What is refused
    // ------------------------------------------------------------------------

    @Nullable
    private static String refusal(
            JobGraph graph,
            Set<JobVertex> keyed,
            Configuration cluster,
            Capacities capacities,
            ClassLoader userCode)
            throws IOException {
        for (JobVertex vertex : graph.getVertices()) {
            for (IntermediateDataSet dataSet : vertex.getProducedDataSets()) {
                if (!dataSet.getResultType().isPipelined()) {
                    return "Vertex '"
                            + vertex.getName()
                            + "' has a blocking output. Only streaming jobs (execution.runtime-mode:"
                            + " STREAMING) can be rescaled.";
                }
            }
        }
        for (JobVertex vertex : neighbourhood(keyed)) {
            if (!TASKS.containsKey(vertex.getInvokableClass(userCode))) {
                return "Vertex '"
                        + vertex.getName()
                        + "' runs as "
                        + vertex.getInvokableClass(userCode).getSimpleName()
                        + ", which is not supported next to a rescalable vertex. Supported are"
                        + " sources and operators with one or more inputs.";
            }
            if (hasChainedSource(vertex, userCode)) {
                return "Vertex '"
                        + vertex.getName()
                        + "' has a source chained to it, which is not supported in or next to a"
                        + " rescalable vertex. Use another ChainingStrategy than"
                        + " HEAD_WITH_SOURCES.";
            }
        }
        for (JobVertex vertex : keyed) {
            if (isInputSelectable(vertex, userCode)) {
                return "The operator of vertex '"
                        + vertex.getName()
                        + "' selects the input that it reads next (InputSelectable), which cannot"
                        + " be combined with live rescaling.";
            }
            for (IntermediateDataSet dataSet : vertex.getProducedDataSets()) {
                for (JobEdge edge : dataSet.getConsumers()) {
                    if (edge.getDistributionPattern() == DistributionPattern.POINTWISE) {
                        return "The exchange from '"
                                + vertex.getName()
                                + "' to '"
                                + edge.getTarget().getName()
                                + "' is pointwise (forward or rescale). Chain the two operators, or"
                                + " put keyBy() between them, partitionCustom() by the same key,"
                                + " or rebalance() where the order of a key does not matter.";
                    }
                }
            }
        }
        boolean refuses =
                cluster.get(MecesOptions.UNKNOWN_SINKS) == MecesOptions.UnknownSinks.REFUSE;
        SinkDrains drains = SinkDrains.of(userCode);
        for (JobVertex vertex : keyed) {
            String refusal =
                    refusalOfOperators(
                            vertex,
                            capacities,
                            factory -> refuses && UnknownSinks.areMadeBy(factory, drains),
                            userCode);
            if (refusal != null) {
                return refusal;
            }
        }
        if (graph.getCheckpointingSettings() != null
                && graph.getCheckpointingSettings()
                        .getCheckpointCoordinatorConfiguration()
                        .isUnalignedCheckpointsEnabled()) {
            return "The job uses unaligned checkpoints, which cannot be combined with live"
                    + " rescaling. Set execution.checkpointing.unaligned: false.";
        }
        StateBackend backend = stateBackend(graph, cluster, userCode);
        if (!(backend instanceof MecesStateBackend)) {
            return "The job uses the state backend "
                    + backend.getClass().getSimpleName()
                    + ". Set state.backend: io.meces.state.MecesStateBackendFactory, and no other in"
                    + " the code of the job.";
        }
        return capacities.refusal();
    }

    private static boolean hasChainedSource(JobVertex vertex, ClassLoader userCode) {
        for (StreamConfig.InputConfig input :
                new StreamConfig(vertex.getConfiguration()).getInputs(userCode)) {
            if (input instanceof StreamConfig.SourceInputConfig) {
                return true;
            }
        }
        return false;
    }

    /** While a rescale runs, elements of all inputs are read ahead and wait in one order. */
    private static boolean isInputSelectable(JobVertex vertex, ClassLoader userCode) {
        StreamOperatorFactory<?> head =
                new StreamConfig(vertex.getConfiguration()).getStreamOperatorFactory(userCode);
        return InputSelectable.class.isAssignableFrom(head.getStreamOperatorClass(userCode));
    }

    /** Operators that a code generator makes are made by the task, and not known here. */
    @Nullable
    private static String refusalOfOperators(
            JobVertex vertex,
            Capacities capacities,
            Predicate<StreamOperatorFactory<?>> isUnknownSink,
            ClassLoader userCode) {
        Map<Integer, StreamConfig> chain =
                new StreamConfig(vertex.getConfiguration())
                        .getTransitiveChainedTaskConfigsWithSelf(userCode);
        for (StreamConfig config : chain.values()) {
            StreamOperatorFactory<?> factory = config.getStreamOperatorFactory(userCode);
            String where =
                    "Operator '"
                            + config.getOperatorName()
                            + "' of vertex '"
                            + vertex.getName()
                            + "' ";
            if (factory instanceof YieldingOperatorFactory
                    && isBeforeKeyed(config, chain, userCode)) {
                return where
                        + "may give records on later than it gets them (such as asynchronous I/O),"
                        + " to keyed state in the same chain, which may have left by then. Put"
                        + " keyBy() behind it.";
            }
            // Flink gives it a parallelism and a max parallelism of 1, but chains by the
            // parallelism alone; of what is chained the job graph tells neither
            if (factory instanceof StreamingGlobalCommitterOperatorFactory
                    && mayGrow(vertex, capacities)) {
                return where
                        + "must be one subtask (the global committer of a sink), but would become"
                        + " several with the vertex that it is chained to. Put rebalance() before"
                        + " the sink.";
            }
            if (factory instanceof SimpleOperatorFactory) {
                String refusal = refusalOf(((SimpleOperatorFactory<?>) factory).getOperator());
                if (refusal != null) {
                    return where + refusal;
                }
            }
            if (isUnknownSink.test(factory) && mayGrow(vertex, capacities)) {
                return where
                        + "is a sink that may hold records back, and it is not known how to have it"
                        + " write them before keys move: results of a key could get outside in the"
                        + " wrong order. Put partitionCustom() by the same key before it, bring an"
                        + " io.meces.runtime.sink.SinkDrain for its function, or set"
                        + " meces.rescale.unknown-sinks: ACCEPT.";
            }
        }
        return null;
    }

    @Nullable
    private static String refusalOf(StreamOperator<?> operator) {
        if (OperatorAccess.usesRawKeyedState(operator)) {
            return "writes raw keyed state, which cannot be moved while it runs. Use keyed"
                    + " state of the state backend.";
        }
        if (operator instanceof QueryableValueStateOperator
                || operator instanceof QueryableAppendingStateOperator) {
            return "is queryable state (asQueryableState), whose clients would ask the wrong"
                    + " subtask after a rescale.";
        }
        if (KeyedCaches.areUsedBy(operator)) {
            return "keeps state of keys in memory of its own besides (Top-N and session"
                    + " windows of SQL, aggregates in Python), which cannot be moved.";
        }
        if (numbersFiles(operator)) {
            return "names files by subtask and a counter. A subtask that is activated under"
                    + " an index that another had would begin to count anew, and overwrite"
                    + " that one's files. Put partitionCustom() by the same key before the"
                    + " sink, or rebalance() where the order of a key does not matter.";
        }
        return null;
    }

    private static boolean mayGrow(JobVertex vertex, Capacities capacities) {
        return capacities.wanted(vertex, maxParallelism(vertex, Collections.emptyMap())) > 1;
    }

    private static boolean isBeforeKeyed(
            StreamConfig config, Map<Integer, StreamConfig> chain, ClassLoader userCode) {
        for (StreamEdge edge : config.getChainedOutputs(userCode)) {
            StreamConfig next = chain.get(edge.getTargetId());
            if (next.getStateKeySerializer(userCode) != null
                    || isBeforeKeyed(next, chain, userCode)) {
                return true;
            }
        }
        return false;
    }

    /** The file sinks of the DataStream and of the Table API. */
    private static boolean numbersFiles(StreamOperator<?> operator) {
        if (operator instanceof AbstractUdfStreamOperator
                && ((AbstractUdfStreamOperator<?, ?>) operator).getUserFunction()
                        instanceof StreamingFileSink) {
            return true;
        }
        for (Class<?> type = operator.getClass(); type != null; type = type.getSuperclass()) {
            if (type.getName().equals(TABLE_FILE_SINK)) {
                return true;
            }
        }
        return false;
    }

    private static StateBackend stateBackend(
            JobGraph graph, Configuration cluster, ClassLoader userCode) throws IOException {
        StateBackend fromCode = null;
        try {
            if (graph.getCheckpointingSettings() != null
                    && graph.getCheckpointingSettings().getDefaultStateBackend() != null) {
                fromCode =
                        graph.getCheckpointingSettings()
                                .getDefaultStateBackend()
                                .deserializeValue(userCode);
            }
            return StateBackendLoader.fromApplicationOrConfigOrDefault(
                    fromCode, cluster, userCode, null);
        } catch (ClassNotFoundException | DynamicCodeLoadingException e) {
            throw new IOException("Cannot read the state backend of the job", e);
        }
    }

    // ------------------------------------------------------------------------
    //  Rewriting
    // ------------------------------------------------------------------------

    private static boolean hasMaxParallelism(JobVertex vertex) {
        return vertex.getMaxParallelism() > 0;
    }

    /**
     * As in Flink: the user's, or else that of the state that is restored, or else one that is
     * derived from the parallelism. It is known here, and not only when Flink restores the state:
     * capacity and assignment depend on it. Where the state does not say one that can be, Flink
     * says so when it restores it.
     */
    private static int maxParallelism(JobVertex vertex, Map<OperatorID, Integer> restored) {
        if (hasMaxParallelism(vertex)) {
            return vertex.getMaxParallelism();
        }
        int derived = KeyGroupRangeAssignment.computeDefaultMaxParallelism(vertex.getParallelism());
        Set<OperatorID> operators = new HashSet<>();
        for (OperatorIDPair operator : vertex.getOperatorIDs()) {
            operators.add(operator.getGeneratedOperatorID());
            operator.getUserDefinedOperatorID().ifPresent(operators::add);
        }
        Map<OperatorID, Integer> state = new HashMap<>(restored);
        state.keySet().retainAll(operators);
        SortedSet<Integer> ofState = new TreeSet<>(state.values());
        if (ofState.isEmpty()) {
            return derived;
        }
        if (ofState.size() > 1 || ofState.first() < vertex.getParallelism()) {
            LOG.warn(
                    "Vertex '{}' has parallelism {}, and the state that it is restored from has max"
                            + " parallelism {}: it must be one number, and not less than the"
                            + " parallelism. The vertex gets max parallelism {}.",
                    vertex.getName(),
                    vertex.getParallelism(),
                    ofState,
                    derived);
            return derived;
        }
        LOG.info(
                "Vertex '{}' gets max parallelism {}, that of the state that it is restored from.",
                vertex.getName(),
                ofState.first());
        return ofState.first();
    }

    private static ElasticVertex makeElastic(
            JobVertex vertex,
            int maxParallelism,
            int capacity,
            int subGroups,
            ClassLoader userCode) {
        int parallelism = vertex.getParallelism();
        vertex.setMaxParallelism(maxParallelism);
        vertex.setParallelism(capacity);
        ElasticVertex elastic =
                new ElasticVertex(
                        vertex.getID(),
                        vertex.getName(),
                        parallelism,
                        capacity,
                        maxParallelism,
                        subGroups);
        elastic.setSettledState(SettledState.of(vertex, userCode));
        elastic.setFinalResult(BoundedOperators.withFinalResult(vertex, userCode));
        for (JobEdge edge : vertex.getInputs()) {
            elastic.addInput(edge.getSourceId(), edge.getSource().getProducer().getID());
        }
        for (IntermediateDataSet dataSet : vertex.getProducedDataSets()) {
            for (JobEdge edge : dataSet.getConsumers()) {
                elastic.addOutput(dataSet.getId(), edge.getTarget().getID());
            }
        }
        return elastic;
    }

    private static void switchPartitioners(
            JobVertex vertex, Map<JobVertexID, ElasticVertex> elastic, ClassLoader userCode) {
        List<StreamEdge> edges = outEdges(vertex, userCode);
        for (int i = 0; i < edges.size(); i++) {
            ElasticVertex consumer = elastic.get(consumer(vertex, i).getID());
            if (consumer == null) {
                continue;
            }
            if (isKeyed(edges.get(i))) {
                edges.get(i)
                        .setPartitioner(
                                new ElasticPartitioner<>(
                                        (KeyGroupStreamPartitioner<?, ?>)
                                                edges.get(i).getPartitioner(),
                                        i));
            } else {
                consumer.markBroadcastInputs();
            }
        }
        if (!edges.isEmpty()) {
            new StreamConfig(vertex.getConfiguration()).setOutEdgesInOrder(edges);
        }
    }
}
