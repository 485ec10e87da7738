// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.bench;

import com.fasterxml.jackson.databind.JsonNode;
import io.meces.experiments.cluster.FlinkClient;
import io.meces.experiments.cluster.Installation;
import io.meces.experiments.run.Environment;
import io.meces.experiments.run.Machine;
import io.meces.experiments.run.PhaseLog;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Clusters that run already, one for each mechanism, and a Kafka: each run has topics and jobs of
 * its own there. Not thread-safe.
 */
final class RemoteEnvironmentFactory implements EnvironmentFactory {
    /** Keys that say something about what is measured; addresses and secrets do not. */
    private static final Pattern TELLING =
            Pattern.compile(
                    "meces\\.(migration|rescale|state)\\..*|meces\\.transition-service.*"
                            + "|taskmanager\\.(memory|network)\\..*|state\\.backend"
                            + "|web\\.refresh-interval|metrics\\.fetcher\\.update-interval");

    private final BenchOptions options;
    private final Installation installation;
    private final PhaseLog phases;

    /** By mechanism, for the report. */
    private final Map<String, Object> clusters = new LinkedHashMap<>();

    /**
     * Does not connect yet.
     *
     * @param phases told what could not be taken away
     */
    RemoteEnvironmentFactory(BenchOptions options, Installation installation, PhaseLog phases) {
        this.options = options;
        this.installation = installation;
        this.phases = phases;
    }

    @Override
    public void check(List<Mechanism> mechanisms) throws Exception {
        installation.jobJar();
        for (Mechanism mechanism : mechanisms) {
            FlinkClient client = client(mechanism);
            Map<String, String> configuration = client.configuration();
            JsonNode overview = client.overview();
            String misfit = mechanism.misfit(configuration);
            if (misfit != null) {
                throw new IOException(
                        String.format(
                                "The cluster at %s is not one for %s: %s",
                                client.address(), mechanism, misfit));
            }
            int free = overview.path("slots-available").asInt();
            if (free < options.slots()) {
                throw new IOException(
                        String.format(
                                "The cluster at %s has %d free slot(s); the job needs %d.",
                                client.address(), free, options.slots()));
            }
            clusters.put(mechanism.toString(), describe(client, overview, configuration));
        }
        new TopicAdmin(options.cluster.bootstrapServers).requireReachable();
    }

    private FlinkClient client(Mechanism mechanism) {
        return new FlinkClient(options.cluster.addressOf(mechanism, options.transitionService));
    }

    private static Map<String, Object> describe(
            FlinkClient client, JsonNode overview, Map<String, String> configuration) {
        Map<String, String> settings = new TreeMap<>(configuration);
        settings.keySet().removeIf(key -> !TELLING.matcher(key).matches());
        Map<String, Object> cluster = new LinkedHashMap<>();
        cluster.put("job-manager", client.address());
        cluster.put("flink", overview.path("flink-version").asText());
        cluster.put("task-managers", overview.path("taskmanagers").asInt());
        cluster.put("slots", overview.path("slots-total").asInt());
        cluster.put("configuration", settings);
        return cluster;
    }

    /** There are no logs: they are where the clusters have theirs. */
    @Override
    public Environment open(Mechanism mechanism, Path logs) throws Exception {
        return RemoteEnvironment.open(
                client(mechanism),
                options.cluster.bootstrapServers,
                options.partitions(),
                options.cluster.savepoints,
                installation.jobJar(),
                phases);
    }

    @Override
    public String ownOfRun() {
        return "topics and jobs of its own on clusters that ran already";
    }

    @Override
    public Map<String, Object> parameters() {
        return Collections.singletonMap("clusters", clusters);
    }

    /** Those of the machine of the command; those of Flink are among the parameters. */
    @Override
    public Map<String, Object> versions() {
        Map<String, Object> versions = Machine.describe(installation);
        versions.remove("flink");
        versions.remove("kafka");
        versions.put("machine", "that of the command, which sends and verifies");
        return versions;
    }
}
