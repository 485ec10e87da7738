// SPDX-License-Identifier: Apache-2.0
package io.meces.dist;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.experiments.cluster.FlinkClient;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The process of {@link KubernetesIT} that types the commands: of a session, then of an
 * application. Ends with an exception where something is not as the guide says.
 */
final class KubernetesGuide {
    private static final String SECTION = "Kubernetes";
    private static final String SESSION = "session";
    private static final String APPLICATION = "application";
    private static final int TCP_REST = 8081;

    private final GuidedInstallation installation;
    private final MiniKubernetes kubernetes;
    private final String mode;
    private final FlinkClient client;
    private String jobId = "JOB_ID";

    private KubernetesGuide(
            GuidedInstallation installation, MiniKubernetes kubernetes, String mode) {
        this.installation = installation;
        this.kubernetes = kubernetes;
        this.mode = mode;
        this.client = new FlinkClient(kubernetes.jobManager(mode) + ":" + TCP_REST);
    }

    /** Has no arguments. */
    public static void main(String[] args) throws Exception {
        GuidedInstallation installation =
                new GuidedInstallation("kubernetes", FlinkLine::kubernetes, Duration.ofMinutes(13));
        try (GuidedInstallation closed = installation) {
            Path directory = installation.directory;
            installation.flink.configure(
                    // the names that this process resolves, too
                    "kubernetes.rest-service.exposed.type: ClusterIP",
                    "jobmanager.memory.process.size: 1000m",
                    "taskmanager.memory.process.size: 1200m");
            // a rescale to 3 needs another pod
            if (installation.flink.line == FlinkLine.V1_12) {
                installation.flink.configure("taskmanager.numberOfTaskSlots: 2");
            }
            // the user of the image writes there
            Path checkpoints = Files.createDirectories(directory.resolve("checkpoints"));
            Files.setPosixFilePermissions(
                    checkpoints, PosixFilePermissions.fromString("rwxrwxrwx"));
            Files.write(
                    installation.flink.distribution().resolve("Dockerfile"),
                    installation.dockerfile().stream()
                            .map(installation.flink.line::image)
                            .collect(Collectors.toList()),
                    StandardCharsets.UTF_8);
            try (MiniKubernetes kubernetes =
                    new MiniKubernetes(
                            directory.resolve("pods"), checkpoints, SESSION, APPLICATION)) {
                List<String> hosts = new ArrayList<>(kubernetes.hosts());
                hosts.add("127.0.0.1 localhost");
                Path file = Files.write(directory.resolve("hosts"), hosts);
                installation.shell.run("export JAVA_TOOL_OPTIONS=-Djdk.net.hosts.file=" + file);
                installation.shell.run("export KUBERNETES_MASTER=" + kubernetes.url());
                installation.startKafka(kubernetes.host());
                new KubernetesGuide(installation, kubernetes, SESSION)
                        .rescaled("KubernetesSessionClusterEntrypoint");
                new KubernetesGuide(installation, kubernetes, APPLICATION)
                        .rescaled("KubernetesApplicationClusterEntrypoint");
            }
        }
    }

    /**
     * Runs the job in a mode, which is also the id of the cluster, rescales it to 3 and to 2, and
     * ends it.
     *
     * @param flinks the main class that ours takes the place of
     */
    private void rescaled(String flinks) throws Exception {
        Set<String> before = new HashSet<>();
        try (CountedJob job = installation.countedJob(mode)) {
            for (String command : commands()) {
                if (command.contains("bin/meces list")) {
                    await(() -> client.jobs().size() == 1);
                    jobId = client.jobs().get(0).id;
                    await(() -> client.allRunning(jobId, 2));
                    job.start(client, jobId);
                    // the JobManager, and one TaskManager
                    assertThat(kubernetes.running()).hasSize(2);
                    before.addAll(kubernetes.running());
                } else if (command.contains("flink cancel")) {
                    installation.shell.note(job.assertExact(client, jobId, 0, 1, 2));
                }
                String printed = typed(command);
                if (command.contains("kubernetes-session.sh -Dkubernetes.container")) {
                    await(() -> client.slots() == 0);
                } else if (command.contains("bin/meces list")) {
                    assertThat(printed).contains(jobId + "  RUNNING  key-count");
                } else if (command.contains("bin/meces rescale")) {
                    assertThat(printed).contains("FINISHED");
                    int parallelism = command.contains("--parallelism 3") ? 3 : 2;
                    assertThat(typed("bin/meces list --jobmanager HOST:PORT"))
                            .contains("  parallelism " + parallelism + " (up to 32)  count");
                    if (parallelism == 3) {
                        assertThat(kubernetes.running()).hasSize(3).containsAll(before);
                    }
                }
            }
        }
        Await.until(() -> kubernetes.collectGarbage() && kubernetes.running().isEmpty());
        assertThat(kubernetes.log(mode))
                .contains(
                        "flink-meces in place of org.apache.flink.kubernetes.entrypoint." + flinks);
    }

    /** Waits, as long as all pods can be started. */
    private void await(Await.Probe probe) throws Exception {
        Await.until(() -> !kubernetes.running().isEmpty() && probe.isTrue());
    }

    /** Those of the guide that are for both modes, and for this one. */
    private List<String> commands() {
        String other = mode.equals(SESSION) ? "kubernetes-application" : "kubernetes-session";
        return installation.commands(SECTION).stream()
                .filter(command -> !command.contains(other))
                .collect(Collectors.toList());
    }

    private String typed(String command) throws IOException {
        return installation.shell.run(adapted(command));
    }

    private String adapted(String command) {
        return installation
                .adapted(installation.flink.line.command(command), mode)
                .replace("HOST:PORT", client.address())
                .replace("CLUSTER_ID", mode)
                .replace("IMAGE", "flink-with-meces")
                .replace("JOB_ID", jobId);
    }
}
