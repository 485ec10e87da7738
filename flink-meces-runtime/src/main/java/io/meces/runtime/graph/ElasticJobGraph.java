// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.graph;

import io.meces.core.job.ElasticVertex;
import io.meces.flink.runtime.JobGraphs;
import io.meces.flink.runtime.JobOutput;
import io.meces.runtime.FlinkIds;
import io.meces.runtime.MecesOptions.UnalignedCheckpoints;
import io.meces.runtime.shuffle.ElasticPartitioner;
import io.meces.runtime.sink.SinkDrains;
import io.meces.state.ElasticStateBackend;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.annotation.Nullable;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.jobgraph.IntermediateDataSet;
import org.apache.flink.runtime.jobgraph.JobEdge;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.streaming.runtime.partitioner.KeyGroupStreamPartitioner;
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

    private static final Logger LOG = LoggerFactory.getLogger(ElasticJobGraph.class);

    private final List<ElasticVertex> vertices;
    @Nullable private final String refusal;
    private final List<String> warnings;
    private final boolean goesOnInFlight;
    private final boolean awaitsCheckpoints;

    private ElasticJobGraph(
            List<ElasticVertex> vertices,
            @Nullable String refusal,
            List<String> warnings,
            boolean goesOnInFlight,
            boolean awaitsCheckpoints) {
        this.vertices = Collections.unmodifiableList(vertices);
        this.goesOnInFlight = goesOnInFlight;
        this.awaitsCheckpoints = awaitsCheckpoints;
        this.refusal = refusal;
        this.warnings = Collections.unmodifiableList(warnings);
    }

    private static ElasticJobGraph refused(String refusal) {
        return new ElasticJobGraph(
                Collections.emptyList(), refusal, Collections.emptyList(), false, false);
    }

    /** Whether no rescale may abort a checkpoint. */
    public boolean awaitsCheckpoints() {
        return awaitsCheckpoints;
    }

    /**
     * Whether the job goes on from a checkpoint of an earlier JobManager that has records in
     * flight.
     */
    public boolean goesOnInFlight() {
        return goesOnInFlight;
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
        Set<JobVertex> keyed = KeyedVertices.of(graph, userCode);
        if (keyed.isEmpty()) {
            return refused(
                    "The job has no vertex that is fed by keyBy, and by broadcast() or nothing"
                            + " else.");
        }
        Capacities capacities =
                new Capacities(cluster, parameters(graph, userCode), restored.parallelisms());
        Admission admission = new Admission(graph, cluster, capacities, userCode);
        List<String> warnings = admission.removeCounted(keyed);
        warnings.addAll(admission.removeUnadaptable(keyed));
        warnings.addAll(admission.removeCommitting(keyed));
        String refusal = keyed.isEmpty() ? String.join(" ", warnings) : admission.refusal(keyed);
        boolean unaligned = AlignedCheckpoints.areNotWanted(graph);
        boolean align = unaligned && AlignedCheckpoints.use(cluster) == UnalignedCheckpoints.ALIGN;
        boolean goesOnInFlight = refusal == null && unaligned && restored.hasRecordsInFlight();
        if (align && goesOnInFlight) {
            refusal =
                    "The job goes on from an unaligned checkpoint with records in flight, so it"
                            + " keeps to unaligned checkpoints. Stop it with a savepoint and start"
                            + " it from that to have it rescaled.";
        }
        if (refusal != null) {
            LOG.warn("Job {} cannot be rescaled live: {}", graph.getName(), refusal);
            return refused(refusal);
        }
        String flushing =
                new CommittingOperators(graph, userCode, SinkDrains.of(userCode))
                        .flushingBeforeBarriers(graph);
        if (flushing != null) {
            warnings.add(
                    flushing
                            + " If a checkpoint is aborted after that, what belongs to two commits"
                            + " becomes one, in which some tables keep rows that were deleted. So"
                            + " rescales of the job wait for each checkpoint"
                            + " (meces.migration.checkpoint: WAIT).");
        }
        if (align) {
            AlignedCheckpoints.putInto(graph);
            warnings.add(
                    "The job asks for unaligned checkpoints, but takes aligned ones"
                            + " (meces.rescale.unaligned-checkpoints: ALIGN). Under back pressure"
                            + " they take longer.");
        }
        ElasticStateBackend backend =
                (ElasticStateBackend) JobStateBackend.of(graph, cluster, userCode);
        Map<OperatorID, Integer> restoredMaxParallelisms =
                keyed.stream().allMatch(MaxParallelism::isSet)
                        ? Collections.emptyMap()
                        : restored.maxParallelisms(backend);
        Map<JobVertex, Integer> maxParallelisms = new LinkedHashMap<>();
        for (JobVertex vertex : graph.getVerticesSortedTopologicallyFromSources()) {
            if (keyed.contains(vertex)) {
                maxParallelisms.put(vertex, MaxParallelism.of(vertex, restoredMaxParallelisms));
            }
        }
        Map<JobVertex, Integer> affordable = capacities.within(graph, maxParallelisms);
        warnings.addAll(capacities.unused(keyed));
        warnings.addAll(capacities.lowered(graph, maxParallelisms, affordable));
        warnings.addAll(admission.warnings(maxParallelisms.keySet()));
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
        for (JobVertex vertex : maxParallelisms.keySet()) {
            PointwiseExchange.replaceAll(vertex, maxParallelisms.get(vertex), userCode);
        }
        for (JobVertex vertex : KeyedVertices.neighbourhood(keyed)) {
            ElasticTasks.putInto(vertex, userCode);
            switchPartitioners(vertex, elastic, userCode);
        }
        // a TaskManager must not choose another one
        for (JobVertex vertex : graph.getVertices()) {
            JobGraphs.setStateBackend(vertex, backend);
        }
        JobGraphs.letProducersBeUnknown(graph);
        return new ElasticJobGraph(
                new ArrayList<>(elastic.values()),
                null,
                warnings,
                goesOnInFlight,
                flushing != null);
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
                        FlinkIds.of(vertex.getID()),
                        vertex.getName(),
                        parallelism,
                        capacity,
                        maxParallelism,
                        subGroups);
        elastic.setSettledState(SettledState.of(vertex, userCode));
        elastic.setCheckpointedBesidesKeys(CheckpointedOperators.in(vertex, userCode));
        elastic.setFinalResult(BoundedOperators.withFinalResult(vertex, userCode));
        for (JobEdge edge : vertex.getInputs()) {
            elastic.addInput(
                    FlinkIds.of(edge.getSourceId()),
                    FlinkIds.of(edge.getSource().getProducer().getID()));
        }
        for (IntermediateDataSet dataSet : vertex.getProducedDataSets()) {
            for (JobEdge edge : dataSet.getConsumers()) {
                elastic.addOutput(
                        FlinkIds.of(dataSet.getId()), FlinkIds.of(edge.getTarget().getID()));
            }
        }
        return elastic;
    }

    private static void switchPartitioners(
            JobVertex vertex, Map<JobVertexID, ElasticVertex> elastic, ClassLoader userCode) {
        List<JobOutput> outputs = JobOutput.of(vertex, userCode);
        for (int i = 0; i < outputs.size(); i++) {
            ElasticVertex consumer = elastic.get(KeyedVertices.consumer(vertex, i).getID());
            if (consumer == null) {
                continue;
            }
            if (KeyedVertices.isKeyed(outputs.get(i))) {
                outputs.get(i)
                        .setPartitioner(
                                new ElasticPartitioner<>(
                                        (KeyGroupStreamPartitioner<?, ?>)
                                                outputs.get(i).partitioner(),
                                        i));
            } else {
                consumer.markBroadcastInputs();
            }
        }
        JobOutput.save(vertex, outputs);
    }
}
