// SPDX-License-Identifier: Apache-2.0
package io.meces.dist;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.KeyToPath;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
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
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import okhttp3.mockwebserver.MockWebServer;

/**
 * What stands for a Kubernetes: an API server that keeps what it is told, and a kubelet that runs
 * each pod as a container of a Docker engine, with its image, command, variables, memory and the
 * files of its ConfigMap, at an address of its own. Services are names of addresses. The kubelet is
 * a thread of its own, which alone has the shell and knows the pods; what it failed at is told to
 * whoever asks.
 */
final class MiniKubernetes implements AutoCloseable {
    private static final String NAMESPACE = "default";
    private static final String NETWORK = "flink-meces-pods";
    private static final String SUBNET = "10.244.0.";
    private static final int TCP_API = 6443;

    private final Shell shell;
    private final Path directory;
    private final Path shared;
    private final Map<String, String> services = new LinkedHashMap<>();
    private final KubernetesMockServer server;
    private final NamespacedKubernetesClient client;
    private final Set<String> running = new LinkedHashSet<>();
    private final ScheduledExecutorService kubelet =
            Executors.newSingleThreadScheduledExecutor(task -> new Thread(task, "kubelet"));
    private final ScheduledFuture<?> reconciling;

    /**
     * Makes the network of the pods, and starts the API server there.
     *
     * @param directory for the files and the output of pods
     * @param shared a directory that all pods have, as they would have an object store
     * @param clusters the ids of those that there will be
     */
    MiniKubernetes(Path directory, Path shared, String... clusters) throws IOException {
        this.directory = Files.createDirectories(directory);
        this.shell =
                new Shell(directory, Duration.ofMinutes(13), directory.resolve("transcript.txt"));
        this.shared = shared;
        // away from where the engine begins
        int last = 100;
        for (String cluster : clusters) {
            services.put(cluster, SUBNET + last++);
        }
        shell.run("docker network create --subnet " + SUBNET + "0/24 " + NETWORK);
        server =
                new KubernetesMockServer(
                        new Context(),
                        new MockWebServer(),
                        new HashMap<>(),
                        new KubernetesCrudDispatcher(),
                        false);
        server.init(InetAddress.getByName(host()), TCP_API);
        client = server.createClient();
        // what fails ends it, and is told by the future
        reconciling =
                kubelet.scheduleWithFixedDelay(this::reconcile, 0, 200, TimeUnit.MILLISECONDS);
    }

    /** The address of this machine in the network of the pods. */
    String host() {
        return SUBNET + "1";
    }

    /** The URL of the API server. */
    String url() {
        return "http://" + host() + ":" + TCP_API;
    }

    /** The address of the JobManager of a cluster. */
    String jobManager(String cluster) {
        return services.get(cluster);
    }

    /** Lines of a hosts file with the names of all services. */
    List<String> hosts() {
        List<String> lines = new ArrayList<>();
        services.forEach(
                (cluster, address) -> lines.add(address + " " + String.join(" ", names(cluster))));
        return lines;
    }

    /** Starts the pods that there should be and are not, stops those that there should not be. */
    private void reconcile() {
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
        try {
            for (String name : running.toArray(new String[0])) {
                if (!wanted.containsKey(name)) {
                    stop(name);
                    running.remove(name);
                }
            }
            for (Map.Entry<String, PodSpec> pod : wanted.entrySet()) {
                ConfigMap configuration = configuration(pod.getValue());
                // a pod waits for its volumes, which Flink makes after it
                if (configuration != null && running.add(pod.getKey())) {
                    start(pod.getKey(), pod.getValue(), configuration);
                    markScheduled(pod.getKey());
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * The names of the pods that there are.
     *
     * @throws ExecutionException if one could not be started or stopped
     */
    Set<String> running() throws Exception {
        if (reconciling.isDone()) {
            reconciling.get();
        }
        return kubelet.submit(() -> new LinkedHashSet<>(running)).get(1, TimeUnit.MINUTES);
    }

    /** What a pod that is gone has printed. */
    String log(String pod) throws IOException {
        return new String(Files.readAllBytes(output(pod)), StandardCharsets.UTF_8);
    }

    /**
     * Asks for the end of the pods that belong to nothing any more, as a garbage collector does.
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
        return true;
    }

    private void start(String name, PodSpec spec, ConfigMap configuration) throws IOException {
        Container container = spec.getContainers().get(0);
        List<String> line = new ArrayList<>(Arrays.asList("docker", "run", "-d"));
        line.addAll(Arrays.asList("--name", name, "--network", NETWORK));
        String address = services.get(name);
        if (address != null) {
            line.addAll(Arrays.asList("--ip", address));
            for (String alias : names(name)) {
                line.addAll(Arrays.asList("--network-alias", alias));
            }
        }
        line.addAll(Arrays.asList("-e", "KUBERNETES_MASTER=" + url()));
        for (EnvVar variable : container.getEnv()) {
            String value = variable.getValue();
            if (value == null) {
                String path = variable.getValueFrom().getFieldRef().getFieldPath();
                assertThat(path).isIn("status.podIP", "spec.nodeName");
                value = path.equals("status.podIP") ? address : "node";
            }
            line.addAll(Arrays.asList("-e", variable.getName() + "=" + value));
        }
        String memory = container.getResources().getLimits().get("memory").toString();
        line.addAll(Arrays.asList("--memory", memory.replace("Mi", "m")));
        line.addAll(Arrays.asList("-v", mounted(name, spec, configuration)));
        line.addAll(Arrays.asList("-v", shared + ":" + shared));
        assertThat(container.getCommand()).hasSize(1);
        line.addAll(Arrays.asList("--entrypoint", container.getCommand().get(0)));
        line.add(container.getImage());
        line.addAll(container.getArgs());
        StringBuilder typed = new StringBuilder();
        for (String word : line) {
            typed.append(" '").append(word.replace("'", "'\\''")).append('\'');
        }
        shell.run(typed.substring(1));
    }

    /** Later Flinks take no TaskManager of a pod that has no node. */
    private void markScheduled(String name) {
        Pod pod = client.pods().inNamespace(NAMESPACE).withName(name).get();
        // that of a deployment is not kept
        if (pod != null) {
            client.pods()
                    .inNamespace(NAMESPACE)
                    .withName(name)
                    .edit(
                            old ->
                                    new PodBuilder(old)
                                            .withNewStatus()
                                            .addNewCondition()
                                            .withType("PodScheduled")
                                            .withStatus("True")
                                            .endCondition()
                                            .endStatus()
                                            .build());
        }
    }

    private ConfigMap configuration(PodSpec spec) {
        return client.configMaps()
                .inNamespace(NAMESPACE)
                .withName(configured(spec).getConfigMap().getName())
                .get();
    }

    /** The volume with the configuration; later Flinks have others, which are empty. */
    private static Volume configured(PodSpec spec) {
        return spec.getVolumes().stream()
                .filter(volume -> volume.getConfigMap() != null)
                .findFirst()
                .get();
    }

    /**
     * Writes the files of the ConfigMap.
     *
     * @return where they are, and where the container has them
     */
    private String mounted(String name, PodSpec spec, ConfigMap configuration) throws IOException {
        Volume volume = configured(spec);
        VolumeMount mount =
                spec.getContainers().get(0).getVolumeMounts().stream()
                        .filter(candidate -> candidate.getName().equals(volume.getName()))
                        .findFirst()
                        .get();
        Path files = Files.createDirectories(directory.resolve(name));
        for (KeyToPath item : volume.getConfigMap().getItems()) {
            Files.write(
                    files.resolve(item.getPath()),
                    Arrays.asList(configuration.getData().get(item.getKey())));
        }
        return files + ":" + mount.getMountPath() + ":ro";
    }

    private static List<String> names(String cluster) {
        return Arrays.asList(cluster + "." + NAMESPACE, cluster + "-rest." + NAMESPACE);
    }

    private void stop(String name) throws IOException {
        shell.run("docker stop -t 30 " + name);
        shell.run("docker logs " + name + " > " + output(name) + " 2>&1");
        shell.run("docker rm " + name);
    }

    private Path output(String pod) {
        return directory.resolve(pod + ".log");
    }

    @Override
    public void close() throws Exception {
        kubelet.shutdown();
        // a pod ends within 30 s
        if (!kubelet.awaitTermination(1, TimeUnit.MINUTES)) {
            kubelet.shutdownNow();
        }
        for (String name : running) {
            stop(name);
        }
        shell.run("docker network rm " + NETWORK);
        shell.close();
        client.close();
        server.destroy();
    }
}
