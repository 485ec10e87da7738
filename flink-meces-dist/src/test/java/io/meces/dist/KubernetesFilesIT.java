// SPDX-License-Identifier: Apache-2.0
package io.meces.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * What stands in {@code docker/kubernetes} is what Kubernetes and Flink's operator take, as far as
 * the schema of the operator tells, which has that of pods. Nothing is run on a Kubernetes.
 */
class KubernetesFilesIT {
    private static final Path HOME = Paths.get(System.getProperty("meces.home"));
    private static final String VERSION = System.getProperty("meces.version");
    private static final Path FILES = HOME.resolve("docker/kubernetes");
    private static final Path DIRECTORY = Paths.get("target", "kubernetes-files").toAbsolutePath();
    private static final String CRD = "/META-INF/fabric8/flinkdeployments.flink.apache.org-v1.yml";
    private static final ObjectMapper YAML = new YAMLMapper();

    /** That of a FlinkDeployment. */
    private static JsonNode schema;

    @BeforeAll
    static void read() throws IOException {
        try (InputStream crd = KubernetesFilesIT.class.getResourceAsStream(CRD)) {
            schema =
                    YAML.readTree(crd)
                            .path("spec")
                            .path("versions")
                            .path(0)
                            .path("schema")
                            .path("openAPIV3Schema");
        }
        assertThat(schema.isObject()).isTrue();
    }

    private static List<JsonNode> resources(Path file) throws IOException {
        List<JsonNode> resources = new ArrayList<>();
        try (MappingIterator<JsonNode> documents =
                YAML.readerFor(JsonNode.class)
                        .readValues(new YAMLFactory().createParser(file.toFile()))) {
            documents.forEachRemaining(resources::add);
        }
        return resources;
    }

    private static List<String> problems(JsonNode resource) {
        ObjectNode own = resource.deepCopy();
        // what every resource has is no part of the schema of one kind
        own.remove("apiVersion");
        own.remove("kind");
        own.remove("metadata");
        return StructuralSchema.problems(own, schema, "");
    }

    @Test
    void theOperatorTakesTheDeployment() throws Exception {
        List<JsonNode> resources = resources(FILES.resolve("flink-deployment.yaml"));
        assertThat(resources).hasSize(1);
        assertThat(resources.get(0).path("kind").asText()).isEqualTo("FlinkDeployment");
        assertThat(problems(resources.get(0))).isEmpty();
        assertThat(resources.get(0).path("spec").path("image").asText())
                .isEqualTo("flink-meces-1.20:" + VERSION);
    }

    @Test
    void whatTheOperatorWouldDropIsSeen() throws Exception {
        ObjectNode deployment =
                (ObjectNode) resources(FILES.resolve("flink-deployment.yaml")).get(0);
        ObjectNode spec = (ObjectNode) deployment.path("spec");
        spec.put("flinkVersion", "v1_12");
        spec.put("flinkConfig", "x");
        ((ObjectNode) spec.path("flinkConfiguration")).put("rest.port", 8081);
        ((ObjectNode) spec.path("podTemplate").path("spec").path("containers").path(0))
                .put("volumesMounts", 3);
        assertThat(problems(deployment))
                .containsExactlyInAnyOrder(
                        ".spec.flinkVersion is \"v1_12\"",
                        ".spec.flinkConfig is unknown",
                        ".spec.flinkConfiguration.rest.port is no string",
                        ".spec.podTemplate.spec.containers[0].volumesMounts is unknown");
    }

    @Test
    void theDeploymentHasTheKeysOfTheDistribution() throws Exception {
        JsonNode configuration =
                resources(FILES.resolve("flink-deployment.yaml"))
                        .get(0)
                        .path("spec")
                        .path("flinkConfiguration");
        try (Shell shell = distribution()) {
            assertThat(shell.run("cat flink-meces/conf/meces.yaml"))
                    .contains(
                            "shuffle-service-factory.class: "
                                    + configuration.path("shuffle-service-factory.class").asText());
            String entry = configuration.path("kubernetes.entry.path").asText();
            assertThat(entry).startsWith("/opt/flink-meces/");
            shell.run("test -x " + entry.substring("/opt/".length()));
        }
    }

    @Test
    void podsOfTheSessionAreSuchAsKubernetesHas() throws Exception {
        JsonNode pod = schema.path("properties").path("spec").path("properties");
        int pods = 0;
        for (JsonNode resource : resources(FILES.resolve("session.yaml"))) {
            JsonNode template = resource.path("spec").path("template");
            if (template.isObject()) {
                ObjectNode spec = ((ObjectNode) template).deepCopy();
                spec.remove("metadata");
                assertThat(StructuralSchema.problems(spec, pod.path("podTemplate"), "template"))
                        .isEmpty();
                assertThat(resource.path("spec").path("selector").path("matchLabels"))
                        .isEqualTo(template.path("metadata").path("labels"));
                pods++;
            }
        }
        assertThat(pods).isEqualTo(2);
    }

    @Test
    void theImageIsMadeOfWhatIsThere() throws Exception {
        String text =
                new String(Files.readAllBytes(FILES.resolve("Dockerfile")), StandardCharsets.UTF_8);
        assertThat(text).contains("ARG MECES_VERSION=" + VERSION + "\n");
        JsonNode kustomization = resources(FILES.resolve("kustomization.yaml")).get(0);
        assertThat(kustomization.path("images").path(0).path("newTag").asText()).isEqualTo(VERSION);
        for (JsonNode file : kustomization.path("resources")) {
            assertThat(FILES.resolve(file.asText())).exists();
        }
    }

    /** Where there is a kubectl, it renders the folder. */
    @Test
    void theFolderIsRendered() throws Exception {
        try (Shell shell = distribution()) {
            assumeTrue(shell.tryOut("command -v kubectl").exitCode == 0, "no kubectl");
            assertThat(shell.run("kubectl kustomize " + FILES))
                    .contains("image: flink-meces-1.20:" + VERSION, "kind: Service");
        }
    }

    /** The entry point of the image, with a Java that tells what it is called with. */
    @Test
    void aJobManagerIsStartedByTheLauncher() throws Exception {
        try (Shell shell = distribution()) {
            shell.run("mkdir -p jdk/bin");
            shell.run(
                    "printf '#!/bin/sh\\necho \"$@\"\\n' > jdk/bin/java && chmod +x jdk/bin/java");
            shell.run(
                    "printf '#!/bin/sh\\n\"$JAVA_HOME/bin/java\" \"$@\"\\n' > entry && chmod +x entry");
            shell.run("export JAVA_HOME=$PWD/jdk MECES_ENTRY_PATH=$PWD/entry");
            String type = "org.apache.flink.kubernetes.";
            for (String mode : new String[] {"Session", "Application"}) {
                String main = type + "entrypoint.Kubernetes" + mode + "ClusterEntrypoint";
                assertThat(
                                shell.run(
                                        "flink-meces/bin/meces-kubernetes.sh -Xmx1m "
                                                + main
                                                + " -D x"))
                        .isEqualTo(
                                "-Xmx1m io.meces.runtime.entrypoint.MecesLauncher "
                                        + main
                                        + " -D x\n");
            }
            String other = "-cp 'a b' " + type + "taskmanager.KubernetesTaskExecutorRunner -D y";
            assertThat(shell.run("flink-meces/bin/meces-kubernetes.sh " + other))
                    .isEqualTo(other.replace("'", "") + "\n");
        }
    }

    /** A shell next to the distribution for Flink 1.20. */
    private static Shell distribution() throws IOException {
        StockInstallation.delete(DIRECTORY);
        Files.createDirectories(DIRECTORY);
        Shell shell =
                new Shell(DIRECTORY, Duration.ofMinutes(1), DIRECTORY.resolve("transcript.txt"));
        String name = "flink-meces-1.20-" + VERSION;
        shell.run("tar xzf " + HOME.resolve("flink-meces-dist/target/" + name + ".tar.gz"));
        shell.run("ln -s " + name + " flink-meces");
        return shell;
    }
}
