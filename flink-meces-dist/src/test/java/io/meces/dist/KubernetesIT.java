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
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
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
    private static GuidedInstallation installation;
    private static Shell shell;
    private static MiniKubernetes kubernetes;
    private static JobManagerClient client;

    private String mode;
    private String jobId = "JOB_ID";

    @BeforeAll
    static void start() throws Exception {
        int[] ports = FreePorts.find(4);
        installation = new GuidedInstallation("kubernetes", "Kubernetes", Duration.ofMinutes(10));
        shell = installation.shell;
        Path directory = installation.directory;
        Path flink = installation.flink.flink();
        installation.flink.configure(
                // the pods share this machine
                "rest.port: " + ports[0],
                "jobmanager.rpc.port: " + ports[1],
                "blob.server.port: " + ports[2],
                "taskmanager.rpc.port: " + ports[3],
                "kubernetes.flink.conf.dir: " + directory.resolve("mounted"),
                "kubernetes.flink.log.dir: " + directory.resolve("logs"),
                // one that this test resolves
                "kubernetes.rest-service.exposed.type: ClusterIP",
                // one pod, as another one would need the same port
                "taskmanager.numberOfTaskSlots: 3",
                "jobmanager.memory.process.size: 1000m",
                "taskmanager.memory.process.size: 1200m");
        Path jars = Files.createDirectories(flink.resolve("usrlib"));
        shell.run("cp examples/flink-meces-examples-*-job.jar " + jars);
        Path hosts = directory.resolve("hosts");
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
                        flink,
                        directory.resolve("pods"),
                        Collections.singletonMap("JAVA_TOOL_OPTIONS", javaOptions));
        shell.run("export JAVA_TOOL_OPTIONS=" + javaOptions);
        shell.run("export KUBERNETES_MASTER=" + kubernetes.url());
        client = new JobManagerClient("localhost:" + ports[0]);
        installation.startKafka();
    }

    @AfterAll
    static void stop() throws Exception {
        if (kubernetes != null) {
            kubernetes.close();
        }
        if (installation != null) {
            installation.close();
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
        try (CountedJob job = installation.countedJob(mode)) {
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
        return installation.commands().stream()
                .filter(command -> !command.contains(other))
                .collect(Collectors.toList());
    }

    private String adapted(String command) {
        return installation
                .adapted(command, mode)
                .replace("/opt/flink/", installation.flink.flink() + "/")
                .replace("HOST:PORT", client.address())
                .replace("CLUSTER_ID", mode)
                .replace("JOB_ID", jobId);
    }
}
