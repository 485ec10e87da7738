// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import io.meces.cli.rest.ClientTls;
import io.meces.cli.rest.Credentials;
import io.meces.cli.rest.JobManagerAddress;
import io.meces.cli.rest.JobManagerClient;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.annotation.Nullable;
import okhttp3.MediaType;
import okhttp3.MultipartBody;
import okhttp3.RequestBody;

/** What an experiment asks a JobManager besides: jars, savepoints, checkpoints, metrics. */
public final class FlinkClient extends JobManagerClient {
    private static final MediaType JAR = MediaType.get("application/java-archive");

    /** As {@link JobManagerClient#JobManagerClient(String)}. */
    public FlinkClient(String address) {
        super(address);
    }

    /** As that of {@link JobManagerClient}. */
    public FlinkClient(
            JobManagerAddress address,
            String source,
            ClientTls tls,
            @Nullable Credentials credentials)
            throws IOException {
        super(address, source, tls, credentials);
    }

    /** The number of slots of the cluster, free or not. */
    public int slots() throws IOException {
        return overview().path("slots-total").asInt();
    }

    /** The number of slots that no job has. */
    public int freeSlots() throws IOException {
        return overview().path("slots-available").asInt();
    }

    /** What Flink says about the cluster: its version, TaskManagers, slots and jobs. */
    public JsonNode overview() throws IOException {
        return get("overview");
    }

    /** The configuration of the JobManager, as far as its file has it. */
    public Map<String, String> configuration() throws IOException {
        Map<String, String> configuration = new HashMap<>();
        for (JsonNode entry : get("jobmanager", "config")) {
            configuration.put(entry.path("key").asText(), entry.path("value").asText());
        }
        return configuration;
    }

    /** What Flink says about the subtasks of a vertex. */
    public JsonNode vertex(String jobId, String vertexId) throws IOException {
        return get("jobs", jobId, "vertices", vertexId);
    }

    /** What Flink says about the checkpoints of a job. */
    public JsonNode checkpoints(String jobId) throws IOException {
        return get("jobs", jobId, "checkpoints");
    }

    /** The value of a metric of a job, or null if there is no such metric (yet). */
    @Nullable
    public String metric(String jobId, String name) throws IOException {
        return metrics(Collections.singletonList(name), "jobs", jobId, "metrics").get(name);
    }

    /** The values of metrics of a TaskManager, by name; without those that there are not (yet). */
    public Map<String, String> taskManagerMetrics(String taskManagerId, List<String> names)
            throws IOException {
        return metrics(names, "taskmanagers", taskManagerId, "metrics");
    }

    /** Whether a job runs, and at least so many subtasks of each of its vertices. */
    public boolean allRunning(String jobId, int subtasks) throws IOException {
        JsonNode job = job(jobId);
        for (JsonNode vertex : job.path("vertices")) {
            if (vertex.path("tasks").path("RUNNING").asInt() < subtasks) {
                return false;
            }
        }
        return "RUNNING".equals(job.path("state").asText());
    }

    /** Whether a job runs, and of all its subtasks none is about to start or to end. */
    public boolean isSettled(String jobId) throws IOException {
        JsonNode job = job(jobId);
        for (JsonNode vertex : job.path("vertices")) {
            int all = 0;
            for (JsonNode number : vertex.path("tasks")) {
                all += number.asInt();
            }
            int running = vertex.path("tasks").path("RUNNING").asInt();
            if (running == 0 || running < all) {
                return false;
            }
        }
        return "RUNNING".equals(job.path("state").asText());
    }

    /** The ids of the TaskManagers that the JobManager knows. */
    public Set<String> taskManagers() throws IOException {
        Set<String> ids = new HashSet<>();
        for (JsonNode taskManager : get("taskmanagers").path("taskmanagers")) {
            ids.add(taskManager.path("id").asText());
        }
        return ids;
    }

    /**
     * Asks for a savepoint; returns the id of the request.
     *
     * @param jobId the job
     * @param directory where the savepoint goes, a URI
     */
    public String triggerSavepoint(String jobId, String directory) throws IOException {
        Map<String, Object> body = new HashMap<>();
        body.put("target-directory", directory);
        body.put("cancel-job", false);
        return post(body, "jobs", jobId, "savepoints").path("request-id").asText();
    }

    /**
     * Has a job end with a savepoint, its last records before the savepoint; returns the id of the
     * request.
     *
     * @param jobId the job
     * @param directory where the savepoint goes, a URI
     */
    public String stopWithSavepoint(String jobId, String directory) throws IOException {
        Map<String, Object> body = new HashMap<>();
        body.put("targetDirectory", directory);
        body.put("drain", false);
        return post(body, "jobs", jobId, "stop").path("request-id").asText();
    }

    /** What became of a savepoint that was asked for; null while that is not known. */
    @Nullable
    public JsonNode savepoint(String jobId, String requestId) throws IOException {
        return outcome(get("jobs", jobId, "savepoints", requestId));
    }

    /**
     * Asks for a savepoint to be deleted; returns the id of the request.
     *
     * @param path the path of the savepoint
     */
    public String disposeSavepoint(String path) throws IOException {
        return post(Collections.singletonMap("savepoint-path", path), "savepoint-disposal")
                .path("request-id")
                .asText();
    }

    /** What became of a savepoint that was asked to be deleted; null while that is not known. */
    @Nullable
    public JsonNode savepointDisposal(String requestId) throws IOException {
        return outcome(get("savepoint-disposal", requestId));
    }

    @Nullable
    private static JsonNode outcome(JsonNode answer) {
        boolean ended = "COMPLETED".equals(answer.path("status").path("id").asText());
        return ended ? answer.path("operation") : null;
    }

    /** Uploads a job jar; returns its id. */
    public String uploadJar(Path jar) throws IOException {
        RequestBody body =
                new MultipartBody.Builder()
                        .setType(MultipartBody.FORM)
                        .addFormDataPart(
                                "jarfile",
                                jar.getFileName().toString(),
                                RequestBody.create(jar.toFile(), JAR))
                        .build();
        String stored = call("POST", body, "jars", "upload").path("filename").asText();
        return stored.substring(stored.lastIndexOf('/') + 1);
    }

    /** Deletes an uploaded jar. */
    public void deleteJar(String jarId) throws IOException {
        call("DELETE", null, "jars", jarId);
    }

    /**
     * Runs a class of an uploaded jar; returns the id of the job.
     *
     * @param jarId the jar
     * @param mainClass the class; null: the one that the jar's manifest names
     * @param arguments for the class
     */
    public String runJar(String jarId, @Nullable String mainClass, List<String> arguments)
            throws IOException {
        return runJar(jarId, mainClass, arguments, null, null);
    }

    /**
     * As the other one, from a savepoint and with an id, which is known even if the answer gets
     * lost.
     *
     * @param savepoint the path of the savepoint; null: without one
     * @param jobId the id that the job is to have, 32 hexadecimal digits; null: Flink chooses one
     */
    public String runJar(
            String jarId,
            @Nullable String mainClass,
            List<String> arguments,
            @Nullable String savepoint,
            @Nullable String jobId)
            throws IOException {
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("jobId", jobId);
        body.put("entryClass", mainClass);
        body.put("savepointPath", savepoint);
        body.put("programArgsList", arguments);
        body.values().removeIf(value -> value == null);
        return post(body, "jars", jarId, "run").path("jobid").asText();
    }

    /** Cancels a job. It takes a moment until it is cancelled. */
    public void cancel(String jobId) throws IOException {
        call("PATCH", RequestBody.create("", null), "jobs", jobId);
    }
}
