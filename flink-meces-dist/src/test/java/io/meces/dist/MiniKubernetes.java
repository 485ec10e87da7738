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

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.KeyToPath;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.NamespacedKubernetesClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesCrudDispatcher;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.fabric8.mockwebserver.Context;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import okhttp3.mockwebserver.MockWebServer;

/**
 * What stands for a Kubernetes: an API server that keeps what it is told, and a kubelet that runs
 * the command of a pod as a process, in an unpacked Flink in place of an image, with its variables
 * and the files of its ConfigMap. All pods have the address of this machine. Not thread-safe.
 */
final class MiniKubernetes implements AutoCloseable {
    private static final String NAMESPACE = "default";

    private final Path flink;
    private final Path directory;
    private final Map<String, String> environment;
    private final KubernetesMockServer server;
    private final NamespacedKubernetesClient client;
    private final Map<String, Process> processes = new LinkedHashMap<>();

    /**
     * Starts the API server.
     *
     * @param flink the home of the Flink that is the image
     * @param directory for the output of pods
     * @param environment variables of all pods
     */
    MiniKubernetes(Path flink, Path directory, Map<String, String> environment) throws IOException {
        this.flink = flink;
        this.directory = Files.createDirectories(directory);
        this.environment = environment;
        server =
                new KubernetesMockServer(
                        new Context(),
                        new MockWebServer(),
                        new HashMap<>(),
                        new KubernetesCrudDispatcher(),
                        false);
        server.init();
        client = server.createClient();
    }

    /** The URL of the API server. */
    String url() {
        return "http://localhost:" + server.getPort();
    }

    /** Starts the pods that there should be and are not, stops those that there should not be. */
    void reconcile() throws Exception {
        Map<String, PodSpec> wanted = new LinkedHashMap<>();
        for (Deployment deployment :
                client.apps().deployments().inNamespace(NAMESPACE).list().getItems()) {
            wanted.put(
                    deployment.getMetadata().getName(),
                    deployment.getSpec().getTemplate().getSpec());
        }
        for (Pod pod : client.pods().inNamespace(NAMESPACE).list().getItems()) {
            wanted.put(pod.getMetadata().getName(), pod.getSpec());
        }
        for (String name : processes.keySet().toArray(new String[0])) {
            if (!wanted.containsKey(name)) {
                stop(processes.remove(name));
            }
        }
        for (Map.Entry<String, PodSpec> pod : wanted.entrySet()) {
            if (!processes.containsKey(pod.getKey())) {
                processes.put(pod.getKey(), start(pod.getKey(), pod.getValue()));
            }
        }
    }

    /** How many pods run. */
    int running() {
        return (int) processes.values().stream().filter(Process::isAlive).count();
    }

    /** What a pod has printed. */
    String log(String pod) throws IOException {
        return new String(Files.readAllBytes(output(pod)), StandardCharsets.UTF_8);
    }

    /**
     * Deletes the pods that belong to nothing any more, as a garbage collector does.
     *
     * @return whether it could; on a busy machine the server may answer too late, then it is to be
     *     asked again
     */
    boolean collectGarbage() throws Exception {
        try {
            client.pods().inNamespace(NAMESPACE).delete();
        } catch (KubernetesClientException e) {
            if (e.getCause() instanceof SocketTimeoutException) {
                return false;
            }
            throw e;
        }
        reconcile();
        return true;
    }

    private Process start(String name, PodSpec spec) throws IOException {
        Container container = spec.getContainers().get(0);
        Map<String, String> variables = new HashMap<>(environment);
        for (EnvVar variable : container.getEnv()) {
            // of what comes from elsewhere Flink has the address only
            variables.put(
                    variable.getName(),
                    variable.getValue() == null ? "127.0.0.1" : variable.getValue());
        }
        String configuration = mount(spec, container);
        List<String> arguments = container.getArgs();
        assertThat(container.getCommand()).containsExactly("/docker-entrypoint.sh");
        assertThat(arguments).hasSize(2).first().isEqualTo("native-k8s");
        // what the entry point of Flink's image does
        ProcessBuilder builder =
                new ProcessBuilder(
                        "bash",
                        "-c",
                        ". $FLINK_HOME/bin/config.sh;"
                                + " export FLINK_CLASSPATH=$(constructFlinkClassPath);"
                                + " exec bash -c \"$0\"",
                        arguments.get(1).replaceFirst("^\\$JAVA_HOME", "exec \\$JAVA_HOME"));
        builder.environment().putAll(variables);
        builder.environment().put("KUBERNETES_MASTER", url());
        builder.environment().put("FLINK_HOME", flink.toString());
        builder.environment().put("_FLINK_HOME_DETERMINED", "true");
        builder.environment().put("FLINK_CONF_DIR", configuration);
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        return builder.directory(flink.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output(name).toFile())
                .start();
    }

    /** Lays the ConfigMap over the directory where it is mounted, whose files it hides. */
    private String mount(PodSpec spec, Container container) throws IOException {
        Volume volume = spec.getVolumes().get(0);
        ConfigMap map =
                client.configMaps()
                        .inNamespace(NAMESPACE)
                        .withName(volume.getConfigMap().getName())
                        .get();
        VolumeMount mount = container.getVolumeMounts().get(0);
        assertThat(mount.getName()).isEqualTo(volume.getName());
        Path target = Paths.get(mount.getMountPath());
        StockInstallation.delete(target);
        Files.createDirectories(target);
        for (KeyToPath item : volume.getConfigMap().getItems()) {
            Files.write(
                    target.resolve(item.getPath()),
                    Arrays.asList(map.getData().get(item.getKey())));
        }
        return target.toString();
    }

    private Path output(String pod) {
        return directory.resolve(pod + ".log");
    }

    private static void stop(Process process) throws InterruptedException {
        process.destroy();
        if (!process.waitFor(30, TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor();
        }
    }

    @Override
    public void close() throws Exception {
        for (Process process : processes.values()) {
            stop(process);
        }
        client.close();
        server.destroy();
    }
}
