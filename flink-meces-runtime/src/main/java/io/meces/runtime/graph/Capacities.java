// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.graph;

import io.meces.flink.runtime.OperatorUids;
import io.meces.runtime.MecesOptions;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToIntFunction;
import javax.annotation.Nullable;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.IllegalConfigurationException;
import org.apache.flink.runtime.OperatorIDPair;
import org.apache.flink.runtime.jobgraph.DistributionPattern;
import org.apache.flink.runtime.jobgraph.JobEdge;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.runtime.jobgraph.OperatorID;

/**
 * The capacity of each elastic vertex of a job: how many subtasks it can have. What the most
 * specific option says, or else in proportion to the parallelism; then lowered as far as the edge
 * budget demands. Flink keeps an object for each edge between two subtasks, active or not, so a
 * capacity costs memory and time of the JobManager with the product of those of neighbours.
 *
 * <p>Belongs to the thread that makes the job's scheduler.
 */
final class Capacities {

    /** Small jobs may grow as far as that costs next to nothing. */
    private static final int LEAST_BY_DEFAULT = 32;

    /** So that the cost of a large job stays in proportion to what it costs on a stock Flink. */
    private static final int TIMES_PARALLELISM = 4;

    private static final String OF_JOB = MecesOptions.MAX_RESCALE_PARALLELISM.key();
    private static final String OF_VERTEX = OF_JOB + ".";

    private final Configuration cluster;

    /** By key: what the job says, such as in its arguments. */
    private final Map<String, String> job = new TreeMap<>();

    /** By id. */
    private final Map<JobVertexID, Integer> restored;

    /**
     * @param globalJobParameters of the job
     * @param restored parallelisms that vertices must be able to have, as they will be restored
     */
    Capacities(
            Configuration cluster,
            Map<String, String> globalJobParameters,
            Map<JobVertexID, Integer> restored) {
        this.cluster = cluster;
        this.restored = restored;
        globalJobParameters.forEach(
                (key, value) -> {
                    if (key != null && (key.equals(OF_JOB) || key.startsWith(OF_VERTEX))) {
                        job.put(key, value);
                    }
                });
    }

    /** Why the job cannot be rescaled: a parameter of its own that cannot be; null: none. */
    @Nullable
    String refusal() {
        for (Map.Entry<String, String> option : job.entrySet()) {
            if (parse(option.getValue()) == null) {
                return "The job has the parameter "
                        + option.getKey()
                        + " = '"
                        + option.getValue()
                        + "'; it must be a whole number, at least 1.";
            }
        }
        return null;
    }

    /** Parameters of the job for which it has no vertex. */
    List<String> unused(Collection<JobVertex> elastic) {
        List<String> unused = new ArrayList<>();
        for (String key : job.keySet()) {
            String name = nameIn(key);
            if (name != null && elastic.stream().noneMatch(vertex -> isCalled(vertex, name))) {
                unused.add(
                        "The job has the parameter "
                                + key
                                + ", but no vertex that can be rescaled is called so. It must end"
                                + " with the name of a vertex, its id, or the uid of an operator"
                                + " in it.");
            }
        }
        return unused;
    }

    /** Without regard to the edge budget. */
    int wanted(JobVertex vertex, int maxParallelism) {
        int parallelism = vertex.getParallelism();
        Integer bound = bound(vertex);
        if (bound == null) {
            int proportional =
                    (int) Math.max(LEAST_BY_DEFAULT, (long) TIMES_PARALLELISM * parallelism);
            bound = Math.max(proportional, restored.getOrDefault(vertex.getID(), 1));
        }
        return Math.max(parallelism, Math.min(bound, maxParallelism));
    }

    /** What the user says, the most specific first; null: nothing. */
    @Nullable
    private Integer bound(JobVertex vertex) {
        for (Map.Entry<String, String> option : job.entrySet()) {
            String name = nameIn(option.getKey());
            if (name != null && isCalled(vertex, name)) {
                return parse(option.getValue());
            }
        }
        if (job.containsKey(OF_JOB)) {
            return parse(job.get(OF_JOB));
        }
        Integer bound = cluster.getOptional(MecesOptions.MAX_RESCALE_PARALLELISM).orElse(null);
        if (bound != null && bound < 1) {
            throw new IllegalConfigurationException(
                    OF_JOB + " is " + bound + "; it must be at least 1.");
        }
        return bound;
    }

    @Nullable
    private static String nameIn(String key) {
        return key.startsWith(OF_VERTEX) ? key.substring(OF_VERTEX.length()) : null;
    }

    @Nullable
    private static Integer parse(@Nullable String number) {
        try {
            int parsed = Integer.parseInt(number == null ? "" : number.trim());
            return parsed < 1 ? null : parsed;
        } catch (NumberFormatException e) {
            return null;
        }
    }

    /** As in a request, or by the uid of one of its operators. */
    private static boolean isCalled(JobVertex vertex, String name) {
        if (vertex.getName().equals(name)
                || vertex.getName().startsWith(name + " -> ")
                || vertex.getID().toString().equalsIgnoreCase(name)) {
            return true;
        }
        OperatorID byUid = OperatorUids.toId(name);
        return vertex.getOperatorIDs().stream()
                .map(OperatorIDPair::getGeneratedOperatorID)
                .anyMatch(byUid::equals);
    }

    /**
     * The capacities that fit the edge budget. The largest are lowered first, to a common bound,
     * but none below the parallelism with which its vertex begins.
     *
     * @param maxParallelisms of the elastic vertices
     */
    Map<JobVertex, Integer> within(JobGraph graph, Map<JobVertex, Integer> maxParallelisms) {
        Map<JobVertex, Integer> wanted = new LinkedHashMap<>();
        maxParallelisms.forEach((vertex, max) -> wanted.put(vertex, wanted(vertex, max)));
        int budget = cluster.get(MecesOptions.MAX_EDGES);
        if (edges(graph, wanted) <= budget) {
            return wanted;
        }
        int fits = 0;
        int tooMuch = wanted.values().stream().mapToInt(c -> c).max().orElse(1);
        while (tooMuch - fits > 1) {
            int bound = (fits + tooMuch) >>> 1;
            if (edges(graph, bounded(wanted, bound)) <= budget) {
                fits = bound;
            } else {
                tooMuch = bound;
            }
        }
        return bounded(wanted, fits);
    }

    /** What is said of capacities that the edge budget has lowered. */
    List<String> lowered(
            JobGraph graph,
            Map<JobVertex, Integer> maxParallelisms,
            Map<JobVertex, Integer> affordable) {
        Map<JobVertex, Integer> wanted = new LinkedHashMap<>();
        maxParallelisms.forEach((vertex, max) -> wanted.put(vertex, wanted(vertex, max)));
        List<String> lowered = new ArrayList<>();
        wanted.forEach(
                (vertex, capacity) -> {
                    if (affordable.get(vertex) < capacity) {
                        lowered.add(
                                "Vertex '"
                                        + vertex.getName()
                                        + "' can be rescaled to "
                                        + affordable.get(vertex)
                                        + " subtasks at most, instead of "
                                        + capacity
                                        + ": the job would have "
                                        + edges(graph, wanted)
                                        + " edges between subtasks, more than "
                                        + MecesOptions.MAX_EDGES.key()
                                        + " ("
                                        + cluster.get(MecesOptions.MAX_EDGES)
                                        + "). Raise it, or set "
                                        + OF_JOB
                                        + " for vertices that need less.");
                    }
                });
        return lowered;
    }

    private Map<JobVertex, Integer> bounded(Map<JobVertex, Integer> wanted, int bound) {
        Map<JobVertex, Integer> bounded = new LinkedHashMap<>();
        wanted.forEach(
                (vertex, capacity) -> {
                    int atStart =
                            Math.max(
                                    vertex.getParallelism(),
                                    restored.getOrDefault(vertex.getID(), 1));
                    bounded.put(vertex, Math.min(capacity, Math.max(bound, atStart)));
                });
        return bounded;
    }

    /** Between all subtasks that the elastic vertices and their neighbours can have. */
    static long edges(JobGraph graph, Map<JobVertex, Integer> capacities) {
        ToIntFunction<JobVertex> subtasks =
                vertex -> capacities.getOrDefault(vertex, vertex.getParallelism());
        long sum = 0;
        for (JobVertex consumer : graph.getVertices()) {
            for (JobEdge edge : consumer.getInputs()) {
                JobVertex producer = edge.getSource().getProducer();
                if (edge.getDistributionPattern() == DistributionPattern.ALL_TO_ALL
                        && (capacities.containsKey(producer) || capacities.containsKey(consumer))) {
                    sum += (long) subtasks.applyAsInt(producer) * subtasks.applyAsInt(consumer);
                }
            }
        }
        return sum;
    }
}
