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

package io.meces.dist;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.cli.rest.JobManagerClient;
import io.meces.servers.FreePorts;
import io.meces.servers.KafkaBroker;
import io.meces.servers.ProcessGroup;
import io.meces.servers.ServerFiles;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Types the commands of the section Kubernetes of the user guide, with its line of configuration,
 * into a stock Flink with the distribution. Kubernetes is a stand-in ({@link MiniKubernetes}): the
 * commands of the pods that Flink asks it for run as processes.
 */
@Tag("full")
@Tag("stock-distribution")
class KubernetesIT {
    private static final String VERSION = System.getProperty("stock.flink.version");
    private static final Path HOME = Paths.get(System.getProperty("meces.home"));
    private static final Path DIRECTORY =
            Paths.get("target", "kubernetes", VERSION).toAbsolutePath();
    private static final String SECTION = "Kubernetes";

    private static StockInstallation flink;
    private static ProcessGroup processes;
    private static KafkaBroker kafka;
    private static MiniKubernetes kubernetes;
    private static Shell shell;
    private static DocumentedCommands guide;
    private static JobManagerClient client;

    private String mode;
    private String jobId = "JOB_ID";

    @BeforeAll
    static void start() throws Exception {
        int[] ports = FreePorts.find(4);
        flink = StockInstallation.prepare(VERSION, HOME, DIRECTORY);
        StockInstallation.delete(DIRECTORY.resolve("checkpoints"));
        guide = new DocumentedCommands(HOME.resolve("docs").resolve("user-guide.md"));
        shell = new Shell(DIRECTORY, Duration.ofMinutes(10), DIRECTORY.resolve("transcript.txt"));
        StockInstallation.install(
                shell,
                guide.of("Install").stream()
                        .map(
                                command ->
                                        command.replace("/opt/flink", flink.flink().toString())
                                                .replace(
                                                        "file:///tmp/flink-checkpoints",
                                                        DIRECTORY
                                                                .resolve("checkpoints")
                                                                .toUri()
                                                                .toString()))
                        .collect(Collectors.toList()),
                command -> {});
        flink.configure(guide.configuration(SECTION));
        flink.configure(
                // the pods share this machine
                "rest.port: " + ports[0],
                "jobmanager.rpc.port: " + ports[1],
                "blob.server.port: " + ports[2],
                "taskmanager.rpc.port: " + ports[3],
                "kubernetes.flink.conf.dir: " + DIRECTORY.resolve("mounted"),
                "kubernetes.flink.log.dir: " + DIRECTORY.resolve("logs"),
                // one that this test resolves
                "kubernetes.rest-service.exposed.type: ClusterIP",
                // one pod, as another one would need the same port
                "taskmanager.numberOfTaskSlots: 3",
                "jobmanager.memory.process.size: 1000m",
                "taskmanager.memory.process.size: 1200m");
        Path jars = Files.createDirectories(flink.flink().resolve("usrlib"));
        shell.run("cp examples/flink-meces-examples-*-job.jar " + jars);
        Path hosts = DIRECTORY.resolve("hosts");
        Files.write(
                hosts,
                Arrays.asList(
                        "127.0.0.1 localhost",
                        "127.0.0.1 " + InetAddress.getLocalHost().getHostName(),
                        "127.0.0.1 session.default session-rest.default",
                        "127.0.0.1 application.default application-rest.default"));
        String javaOptions = "-Djdk.net.hosts.file=" + hosts;
        kubernetes =
                new MiniKubernetes(
                        flink.flink(),
                        DIRECTORY.resolve("pods"),
                        Collections.singletonMap("JAVA_TOOL_OPTIONS", javaOptions));
        shell.run("export JAVA_TOOL_OPTIONS=" + javaOptions);
        shell.run("export KUBERNETES_MASTER=" + kubernetes.url());
        client = new JobManagerClient("localhost:" + ports[0]);
        processes = new ProcessGroup("kubernetes");
        kafka =
                KafkaBroker.start(
                        new ServerFiles(DIRECTORY.resolve(StockInstallation.DISTRIBUTION)),
                        processes,
                        DIRECTORY.resolve("kafka-logs"));
        kafka.awaitReady(Duration.ofMinutes(3));
    }

    @AfterAll
    static void stop() throws Exception {
        if (kubernetes != null) {
            kubernetes.close();
        }
        if (processes != null) {
            processes.close();
        }
        if (shell != null) {
            shell.close();
        }
    }

    @Test
    @Timeout(300)
    void aJobOfASession() throws Exception {
        rescaled("session", "KubernetesSessionClusterEntrypoint");
    }

    @Test
    @Timeout(300)
    void anApplication() throws Exception {
        rescaled("application", "KubernetesApplicationClusterEntrypoint");
    }

    /**
     * Runs the job in a mode, rescales it to 3 and to 2, and ends it.
     *
     * @param cluster the mode, which is also the id of the cluster
     * @param flinks the main class that ours takes the place of
     */
    private void rescaled(String cluster, String flinks) throws Exception {
        mode = cluster;
        try (CountedJob job = new CountedJob(kafka, input(), output(), processes)) {
            for (String command : commands()) {
                if (command.contains("bin/meces list")) {
                    Await.until(
                            () -> {
                                kubernetes.reconcile();
                                return client.jobs().size() == 1;
                            });
                    jobId = client.jobs().get(0).id;
                    Await.until(
                            () -> {
                                kubernetes.reconcile();
                                return client.allRunning(jobId, 2);
                            });
                    job.start(client, jobId);
                } else if (command.contains("flink cancel")) {
                    shell.note(job.assertExact(client, jobId, 0, 1, 2));
                }
                String printed = shell.run(adapted(command));
                if (command.contains("kubernetes-session.sh -Dkubernetes.container")) {
                    Await.until(
                            () -> {
                                kubernetes.reconcile();
                                return client.slots() == 0;
                            });
                } else if (command.contains("bin/meces list")) {
                    assertThat(printed).contains(jobId + "  RUNNING  key-count");
                } else if (command.contains("bin/meces rescale")) {
                    assertThat(printed).contains("FINISHED");
                    int parallelism = command.contains("--parallelism 3") ? 3 : 2;
                    assertThat(shell.run(adapted("bin/meces list --jobmanager HOST:PORT")))
                            .contains("  parallelism " + parallelism + " (up to 32)  count");
                }
            }
        }
        Await.until(() -> kubernetes.collectGarbage() && kubernetes.running() == 0);
        assertThat(kubernetes.log(cluster))
                .contains(
                        "flink-meces in place of org.apache.flink.kubernetes.entrypoint." + flinks);
    }

    /** Those of the guide that are for both modes, and for this one. */
    private List<String> commands() {
        String other = mode.equals("session") ? "kubernetes-application" : "kubernetes-session";
        return guide.of(SECTION).stream()
                .filter(command -> !command.contains(other))
                .collect(Collectors.toList());
    }

    private String adapted(String command) {
        return command.replace("localhost:9092", kafka.address())
                .replace("/opt/flink/", flink.flink() + "/")
                .replace("--input events", "--input " + input())
                .replace("--output results", "--output " + output())
                .replace("HOST:PORT", client.address())
                .replace("CLUSTER_ID", mode)
                .replace("JOB_ID", jobId);
    }

    private String input() {
        return "events-" + mode;
    }

    private String output() {
        return "results-" + mode;
    }
}
