// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.graph;

import io.meces.flink.runtime.CheckpointSettings;
import io.meces.flink.runtime.JobGraphs;
import io.meces.flink.runtime.JobOutput;
import io.meces.flink.runtime.LineRefusals;
import io.meces.flink.runtime.SinkOperators;
import io.meces.runtime.MecesOptions;
import io.meces.runtime.MecesOptions.UnalignedCheckpoints;
import io.meces.runtime.operator.OperatorAdapter;
import io.meces.runtime.operator.OperatorAdapters;
import io.meces.runtime.sink.KafkaWriters;
import io.meces.runtime.sink.PartFiles;
import io.meces.runtime.sink.SinkDrains;
import io.meces.state.ElasticStateBackend;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import javax.annotation.Nullable;
import org.apache.flink.api.common.io.FileOutputFormat;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.jobgraph.IntermediateDataSet;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.streaming.api.functions.query.QueryableAppendingStateOperator;
import org.apache.flink.streaming.api.functions.query.QueryableValueStateOperator;
import org.apache.flink.streaming.api.functions.sink.OutputFormatSinkFunction;
import org.apache.flink.streaming.api.functions.sink.filesystem.StreamingFileSink;
import org.apache.flink.streaming.api.graph.StreamConfig;
import org.apache.flink.streaming.api.graph.StreamEdge;
import org.apache.flink.streaming.api.operators.AbstractUdfStreamOperator;
import org.apache.flink.streaming.api.operators.CoordinatedOperatorFactory;
import org.apache.flink.streaming.api.operators.InputSelectable;
import org.apache.flink.streaming.api.operators.SimpleOperatorFactory;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorFactory;
import org.apache.flink.streaming.api.operators.YieldingOperatorFactory;

/**
 * Which jobs can be rescaled. Where not, it says which vertex or operator is the reason, and what
 * to do about it.
 */
final class Admission {

    /** Not on our class path. */
    private static final String TABLE_FILE_SINK =
            "org.apache.flink.table.filesystem.stream.AbstractStreamingWriter";

    /** Not on our class path, either; later lines have two whose names end so. */
    private static final String ROCKSDB = "RocksDBStateBackend";

    /** By it Flink wraps any, in later lines. */
    private static final String CHANGELOG = "ChangelogStateBackend";

    private final JobGraph graph;
    private final Configuration cluster;
    private final Capacities capacities;
    private final ClassLoader userCode;

    Admission(JobGraph graph, Configuration cluster, Capacities capacities, ClassLoader userCode) {
        this.graph = graph;
        this.cluster = cluster;
        this.capacities = capacities;
        this.userCode = userCode;
    }

    /**
     * Flink tells a coordinator once, before the first subtask runs, how many there are, and has it
     * reach these only. It would wait for those that are not active, and not know of others. So
     * would those that are told with committables how many subtasks there were at the beginning.
     *
     * @param keyed loses those on whose number of subtasks somebody counts
     * @return what is said of each that is removed
     */
    List<String> removeCounted(Set<JobVertex> keyed) {
        List<String> removed = new ArrayList<>();
        for (JobVertex vertex : new ArrayList<>(keyed)) {
            String counted = countedOperator(vertex);
            if (counted != null && mayGrow(vertex)) {
                keyed.remove(vertex);
                removed.add(
                        "Vertex '"
                                + vertex.getName()
                                + "' cannot be rescaled: its "
                                + counted
                                + ". If the operator needs no keyed state, put"
                                + " partitionCustom() by the same key before it, or rebalance()"
                                + " where the order of a key does not matter.");
            }
        }
        return removed;
    }

    /** One on whose number of subtasks somebody counts, and who that is; null: none. */
    @Nullable
    private String countedOperator(JobVertex vertex) {
        Map<Integer, StreamConfig> chain =
                new StreamConfig(vertex.getConfiguration())
                        .getTransitiveChainedTaskConfigsWithSelf(userCode);
        for (StreamConfig config : chain.values()) {
            StreamOperatorFactory<?> factory = config.getStreamOperatorFactory(userCode);
            String operator = "operator '" + config.getOperatorName() + "' ";
            if (factory instanceof CoordinatedOperatorFactory) {
                return operator
                        + "has a coordinator, which counts on a fixed number of subtasks (such as"
                        + " executeAndCollect(), and sinks that commit by a coordinator)";
            }
            if (SinkOperators.countsSubtasks(factory) && isReadElsewhere(config, vertex, chain)) {
                return operator
                        + "sends committables to another vertex, which counts on a fixed number of"
                        + " subtasks (such as a sink with a global committer, or with a topology of"
                        + " its own before or behind its committer)";
            }
        }
        return null;
    }

    private boolean isReadElsewhere(
            StreamConfig config, JobVertex vertex, Map<Integer, StreamConfig> chain) {
        return !JobOutput.readers(config, vertex, userCode).isEmpty()
                || config.getChainedOutputs(userCode).stream()
                        .anyMatch(
                                edge ->
                                        isReadElsewhere(
                                                chain.get(edge.getTargetId()), vertex, chain));
    }

    /**
     * Removes vertices with operators that keep something in memory which cannot follow their keys.
     *
     * @return what is said of each that is removed
     */
    List<String> removeUnadaptable(Set<JobVertex> keyed) {
        OperatorAdapters adapters = OperatorAdapters.of(userCode);
        List<String> removed = new ArrayList<>();
        for (JobVertex vertex : new ArrayList<>(keyed)) {
            String refusal = refusal(vertex, adapters);
            if (refusal != null && mayGrow(vertex)) {
                keyed.remove(vertex);
                removed.add("Vertex '" + vertex.getName() + "' cannot be rescaled: its " + refusal);
            }
        }
        return removed;
    }

    @Nullable
    private String refusal(JobVertex vertex, OperatorAdapters adapters) {
        for (StreamConfig config :
                new StreamConfig(vertex.getConfiguration())
                        .getTransitiveChainedTaskConfigsWithSelf(userCode)
                        .values()) {
            StreamOperatorFactory<?> factory = config.getStreamOperatorFactory(userCode);
            if (!(factory instanceof SimpleOperatorFactory)) {
                continue;
            }
            StreamOperator<?> operator = ((SimpleOperatorFactory<?>) factory).getOperator();
            OperatorAdapter adapter = adapters.find(operator);
            String refusal = adapter == null ? null : adapter.refusal(operator);
            if (refusal != null) {
                return "operator '" + config.getOperatorName() + "' " + refusal;
            }
        }
        return null;
    }

    /**
     * Removes vertices whose operators write outside by themselves, if that is not accepted.
     *
     * @return what is said of each that is removed
     */
    List<String> removeCommitting(Set<JobVertex> keyed) {
        List<String> removed = new ArrayList<>();
        if (acceptsUnknownSinks()) {
            return removed;
        }
        CommittingOperators committing =
                new CommittingOperators(graph, userCode, SinkDrains.of(userCode));
        for (JobVertex vertex : new ArrayList<>(keyed)) {
            String what = committing.in(vertex);
            if (what != null && mayGrow(vertex)) {
                keyed.remove(vertex);
                removed.add(
                        "Vertex '"
                                + vertex.getName()
                                + "' cannot be rescaled: its "
                                + what
                                + ". If two subtasks wrote a key for the same commit, its result"
                                + " could be wrong. What stands before the operator can be"
                                + " rescaled: put keyBy() or partitionCustom() by the same key"
                                + " between, or, where the order of a key does not matter,"
                                + " rebalance() or another parallelism of the sink (such as"
                                + " writeParallelism() of Iceberg's). Or set"
                                + " meces.rescale.unknown-sinks: ACCEPT if no key is written"
                                + " twice.");
            }
        }
        return removed;
    }

    private boolean acceptsUnknownSinks() {
        return cluster.get(MecesOptions.UNKNOWN_SINKS) == MecesOptions.UnknownSinks.ACCEPT;
    }

    /** Why the job cannot be rescaled; null if it can. */
    @Nullable
    String refusal(Set<JobVertex> keyed) throws IOException {
        for (JobVertex vertex : graph.getVertices()) {
            for (IntermediateDataSet dataSet : vertex.getProducedDataSets()) {
                if (!JobGraphs.isPipelined(dataSet.getResultType())) {
                    return "Vertex '"
                            + vertex.getName()
                            + "' has a blocking output. Only streaming jobs (execution.runtime-mode:"
                            + " STREAMING) can be rescaled, in which no operator waits for the end of"
                            + " its input, as fullWindowPartition() does.";
                }
            }
        }
        // first, as what they say of a framework is of more use than its other traits
        for (JobVertex vertex : keyed) {
            String refusal = refusalOfFixed(vertex);
            if (refusal != null) {
                return refusal;
            }
        }
        String ofLine = LineRefusals.ofJob(graph, cluster);
        if (ofLine != null) {
            return ofLine;
        }
        StateBackend backend = JobStateBackend.of(graph, cluster, userCode);
        boolean onHeap = !backend.getClass().getSimpleName().endsWith(ROCKSDB);
        for (JobVertex vertex : KeyedVertices.neighbourhood(keyed)) {
            ofLine = LineRefusals.ofVertex(vertex, onHeap, userCode);
            if (ofLine != null) {
                return ofLine;
            }
            if (!ElasticTasks.haveOneFor(vertex, userCode)) {
                return "Vertex '"
                        + vertex.getName()
                        + "' runs as "
                        + vertex.getInvokableClass(userCode).getSimpleName()
                        + ", which is not supported next to a rescalable vertex. Supported are"
                        + " sources and operators with one or more inputs.";
            }
            if (hasChainedSource(vertex)) {
                return "Vertex '"
                        + vertex.getName()
                        + "' has a source chained to it, which is not supported in or next to a"
                        + " rescalable vertex. Use another ChainingStrategy than"
                        + " HEAD_WITH_SOURCES.";
            }
        }
        for (JobVertex vertex : keyed) {
            if (isInputSelectable(vertex)) {
                return "The operator of vertex '"
                        + vertex.getName()
                        + "' selects the input that it reads next (InputSelectable), which cannot"
                        + " be combined with live rescaling.";
            }
            String refusal = PointwiseExchange.refusal(vertex, userCode);
            if (refusal != null) {
                return refusal;
            }
        }
        boolean refuses = !acceptsUnknownSinks();
        SinkDrains drains = SinkDrains.of(userCode);
        for (JobVertex vertex : keyed) {
            String refusal =
                    refusalOfOperators(
                            vertex, factory -> refuses && UnknownSinks.areMadeBy(factory, drains));
            if (refusal != null) {
                return refusal;
            }
        }
        if (AlignedCheckpoints.areNotWanted(graph)
                && AlignedCheckpoints.use(cluster) == UnalignedCheckpoints.REFUSE) {
            return "The job uses unaligned checkpoints, which cannot be combined with live"
                    + " rescaling. Set execution.checkpointing.unaligned: false for it, or have"
                    + " such jobs take aligned ones, by"
                    + " meces.rescale.unaligned-checkpoints: ALIGN.";
        }
        if (AlignedCheckpoints.areNotWanted(graph)
                && AlignedCheckpoints.use(cluster) == UnalignedCheckpoints.AT_REST
                && CheckpointSettings.interruptsTimers(graph)) {
            return "The job has unaligned checkpoints, and records, come between timers that are"
                    + " due, so keys could leave with them. Set"
                    + " execution.checkpointing.unaligned.interruptible-timers.enabled: false.";
        }
        if (!(backend instanceof ElasticStateBackend)) {
            String name = backend.getClass().getSimpleName();
            return "The job uses the state backend " + name + ". " + toHaveAnother(name);
        }
        String refusal = ((ElasticStateBackend) backend).refusal();
        if (refusal == null) {
            refusal = CheckpointSettings.refusal(graph, cluster);
        }
        if (refusal != null) {
            return refusal;
        }
        return capacities.refusal();
    }

    private static String toHaveAnother(String backend) {
        if (backend.endsWith(ROCKSDB)) {
            return "To have it rescaled, copy flink-meces-state-rocksdb from opt/ of the"
                    + " distribution of flink-meces to Flink's lib/, and do not set"
                    + " meces.rescale.replace-rocksdb-backends: false.";
        }
        return backend.equals(CHANGELOG)
                ? "Its changelog cannot move. Set state.changelog.enabled: false."
                : "State of jobs that use Flink's own backends can move: have none of another"
                        + " class in the job or in state.backend, and do not set"
                        + " meces.rescale.replace-heap-backends: false.";
    }

    /** What of vertices that can be rescaled cannot be done as somebody may expect. */
    List<String> warnings(Iterable<JobVertex> keyed) {
        List<String> warnings = new ArrayList<>();
        for (JobVertex vertex : keyed) {
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
            warnings.addAll(ListStates.warnings(vertex, userCode));
            warnings.addAll(SinkWarnings.of(vertex, userCode));
            warnings.addAll(PointwiseExchange.warnings(vertex));
        }
        return warnings;
    }

    /** Of a vertex in which the number of subtasks, or what a subtask has, is fixed. */
    @Nullable
    private String refusalOfFixed(JobVertex vertex) {
        for (StreamConfig config :
                new StreamConfig(vertex.getConfiguration())
                        .getTransitiveChainedTaskConfigsWithSelf(userCode)
                        .values()) {
            if (RawKeyedState.isWrittenBy(config.getStreamOperatorFactory(userCode), userCode)) {
                return "Operator '"
                        + config.getOperatorName()
                        + "' of vertex '"
                        + vertex.getName()
                        + "' writes raw keyed state, which cannot be moved while it runs. Use keyed"
                        + " state of the state backend. A job of a framework that writes it, such"
                        + " as Stateful Functions, gets another parallelism by a savepoint and a"
                        + " restart.";
            }
        }
        List<JobVertex> coLocated = JobGraphs.coLocated(graph, vertex);
        return coLocated == null
                ? null
                : "Vertex '"
                        + vertex.getName()
                        + "' is in a co-location group with "
                        + coLocated.stream()
                                .filter(other -> other != vertex)
                                .map(other -> "'" + other.getName() + "'")
                                .collect(Collectors.joining(", "))
                        + ": subtasks of the same index run together, so all have equally many."
                        + " Leave setCoLocationGroupKey() out. A job of a framework that sets it"
                        + " gets another parallelism by a savepoint and a restart.";
    }

    private boolean hasChainedSource(JobVertex vertex) {
        for (StreamConfig.InputConfig input :
                new StreamConfig(vertex.getConfiguration()).getInputs(userCode)) {
            if (input instanceof StreamConfig.SourceInputConfig) {
                return true;
            }
        }
        return false;
    }

    /** While a rescale runs, elements of all inputs are read ahead and wait in one order. */
    private boolean isInputSelectable(JobVertex vertex) {
        StreamOperatorFactory<?> head =
                new StreamConfig(vertex.getConfiguration()).getStreamOperatorFactory(userCode);
        return InputSelectable.class.isAssignableFrom(head.getStreamOperatorClass(userCode));
    }

    /** Operators that a code generator makes are made by the task, and not known here. */
    @Nullable
    private String refusalOfOperators(
            JobVertex vertex, Predicate<StreamOperatorFactory<?>> isUnknownSink) {
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
            if (factory instanceof YieldingOperatorFactory && isBeforeKeyed(config, chain)) {
                return where
                        + "may give records on later than it gets them (such as asynchronous I/O),"
                        + " to keyed state in the same chain, which may have left by then. Put"
                        + " keyBy() behind it.";
            }
            // Flink gives it a parallelism and a max parallelism of 1, but chains by the
            // parallelism alone; of what is chained the job graph tells neither
            if (SinkOperators.isGlobalCommitter(factory) && mayGrow(vertex)) {
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
            if (KafkaWriters.arePooling(factory) && mayGrow(vertex)) {
                return where
                        + "is a KafkaSink with TransactionNamingStrategy.POOLING, whose state says"
                        + " how many subtasks there are: a restart fails if two were deployed with"
                        + " different numbers, as in a rescale. Set TransactionNamingStrategy"
                        + ".INCREMENTING, or put partitionCustom() by the same key before it.";
            }
            if (isUnknownSink.test(factory) && mayGrow(vertex)) {
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
        if (operator instanceof QueryableValueStateOperator
                || operator instanceof QueryableAppendingStateOperator) {
            return "is queryable state (asQueryableState), whose clients would ask the wrong"
                    + " subtask after a rescale.";
        }
        if (KeyedCaches.areUsedBy(operator)) {
            return "keeps state of keys in the Python process besides (aggregates in Python),"
                    + " where a rescale cannot reach it.";
        }
        if (numbersFiles(operator)) {
            return "names files by subtask. A subtask that is activated under an index that"
                    + " another had would begin anew, and overwrite that one's files. Use FileSink,"
                    + " put partitionCustom() by the same key before the sink, or rebalance() where"
                    + " the order of a key does not matter.";
        }
        return null;
    }

    private boolean mayGrow(JobVertex vertex) {
        return capacities.wanted(vertex, MaxParallelism.of(vertex, Collections.emptyMap())) > 1;
    }

    private boolean isBeforeKeyed(StreamConfig config, Map<Integer, StreamConfig> chain) {
        for (StreamEdge edge : config.getChainedOutputs(userCode)) {
            StreamConfig next = chain.get(edge.getTargetId());
            if (next.getStateKeySerializer(userCode) != null || isBeforeKeyed(next, chain)) {
                return true;
            }
        }
        return false;
    }

    /**
     * That of the Table API, writeAsText(), writeAsCsv(), and a StreamingFileSink we cannot name.
     */
    private static boolean numbersFiles(StreamOperator<?> operator) {
        if (operator instanceof AbstractUdfStreamOperator) {
            Object function = ((AbstractUdfStreamOperator<?, ?>) operator).getUserFunction();
            if (function instanceof StreamingFileSink && !PartFiles.areNumberedBy(function)
                    || function instanceof OutputFormatSinkFunction
                            && ((OutputFormatSinkFunction<?>) function).getFormat()
                                    instanceof FileOutputFormat) {
                return true;
            }
        }
        for (Class<?> type = operator.getClass(); type != null; type = type.getSuperclass()) {
            if (type.getName().equals(TABLE_FILE_SINK)) {
                return true;
            }
        }
        return false;
    }
}
