// SPDX-License-Identifier: Apache-2.0
package io.meces.cli.top;

import com.fasterxml.jackson.databind.JsonNode;
import io.meces.api.Elasticity;
import io.meces.api.RescaleDetails;
import io.meces.cli.rest.JobManagerClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** How a job stands at one moment, as its JobManager tells it. Immutable. */
public final class JobSnapshot {

    private static final String RECORDS_IN = "numRecordsInPerSecond";
    private static final String RECORDS_OUT = "numRecordsOutPerSecond";
    private static final String BUSY = "busyTimeMsPerSecond";
    private static final String PARKED = "meces.parkedRecords";
    private static final String[] NAMES = {RECORDS_IN, RECORDS_OUT, BUSY, PARKED};

    /** Subtasks whose metrics are asked for at once: Netty takes URLs of 4 KB at most. */
    private static final int SUBTASKS_AT_ONCE = 30;

    final String id;
    final String name;
    final String state;

    /** Upstream ones first. */
    final List<Vertex> vertices;

    /** What can be rescaled; nothing of a job that does not run. */
    final Elasticity elasticity;

    /** The newest last. */
    final List<RescaleDetails> rescales;

    JobSnapshot(
            String id,
            String name,
            String state,
            List<Vertex> vertices,
            Elasticity elasticity,
            List<RescaleDetails> rescales) {
        this.id = id;
        this.name = name;
        this.state = state;
        this.vertices = Collections.unmodifiableList(new ArrayList<>(vertices));
        this.elasticity = elasticity;
        this.rescales = Collections.unmodifiableList(new ArrayList<>(rescales));
    }

    /**
     * Reads it.
     *
     * @throws IOException if the JobManager cannot be asked, or refuses an answer
     */
    public static JobSnapshot read(JobManagerClient client, String jobId) throws IOException {
        JsonNode job = client.job(jobId);
        String state = job.path("state").asText();
        Elasticity elasticity =
                state.equals("RUNNING")
                        ? client.elasticity(jobId)
                        : new Elasticity(Collections.emptyList(), null, Collections.emptyList());
        Map<String, Elasticity.Vertex> elastic = new HashMap<>();
        elasticity.vertices().forEach(vertex -> elastic.put(vertex.id(), vertex));
        List<Vertex> vertices = new ArrayList<>();
        for (JsonNode vertex : job.path("vertices")) {
            String id = vertex.path("id").asText();
            Elasticity.Vertex ours = elastic.get(id);
            int parallelism =
                    ours == null ? vertex.path("parallelism").asInt() : ours.parallelism();
            List<Subtask> subtasks = new ArrayList<>();
            Map<String, String> metrics = metrics(client, jobId, id, parallelism);
            for (int i = 0; i < parallelism; i++) {
                subtasks.add(
                        new Subtask(
                                ours == null || i >= ours.keyGroups().size()
                                        ? -1
                                        : ours.keyGroups().get(i).size(),
                                number(metrics, i, RECORDS_IN),
                                number(metrics, i, RECORDS_OUT),
                                number(metrics, i, BUSY),
                                number(metrics, i, PARKED)));
            }
            vertices.add(
                    new Vertex(
                            id,
                            vertex.path("name").asText(),
                            ours == null ? 0 : ours.capacity(),
                            subtasks));
        }
        return new JobSnapshot(
                jobId,
                job.path("name").asText(),
                state,
                vertices,
                elasticity,
                state.equals("RUNNING") ? client.rescales(jobId) : Collections.emptyList());
    }

    private static Map<String, String> metrics(
            JobManagerClient client, String jobId, String vertexId, int parallelism)
            throws IOException {
        Map<String, String> metrics = new HashMap<>();
        for (int first = 0; first < parallelism; first += SUBTASKS_AT_ONCE) {
            List<String> names = new ArrayList<>();
            for (int i = first; i < Math.min(parallelism, first + SUBTASKS_AT_ONCE); i++) {
                for (String name : NAMES) {
                    names.add(i + "." + name);
                }
            }
            metrics.putAll(client.metrics(jobId, vertexId, names));
        }
        return metrics;
    }

    /** NaN: it is not known. */
    private static double number(Map<String, String> metrics, int subtask, String name) {
        String value = metrics.get(subtask + "." + name);
        try {
            return value == null ? Double.NaN : Double.parseDouble(value);
        } catch (NumberFormatException e) {
            return Double.NaN;
        }
    }

    /** One vertex of the job. */
    static final class Vertex {
        final String id;
        final String name;

        /** The largest parallelism that a rescale can ask for; 0: it cannot be rescaled. */
        final int capacity;

        /** The active ones. */
        final List<Subtask> subtasks;

        Vertex(String id, String name, int capacity, List<Subtask> subtasks) {
            this.id = id;
            this.name = name;
            this.capacity = capacity;
            this.subtasks = Collections.unmodifiableList(new ArrayList<>(subtasks));
        }

        boolean isElastic() {
            return capacity > 0;
        }
    }

    /** One subtask; a number that is not known is NaN. */
    static final class Subtask {
        /** How many it has; -1: it is not known. */
        final int keyGroups;

        final double recordsIn;
        final double recordsOut;

        /** Ms per second. */
        final double busy;

        /** Records that wait for their state. */
        final double parked;

        Subtask(int keyGroups, double recordsIn, double recordsOut, double busy, double parked) {
            this.keyGroups = keyGroups;
            this.recordsIn = recordsIn;
            this.recordsOut = recordsOut;
            this.busy = busy;
            this.parked = parked;
        }
    }
}
