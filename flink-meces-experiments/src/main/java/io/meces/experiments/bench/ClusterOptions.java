// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.bench;

import static io.meces.experiments.run.RunOptions.require;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;
import okhttp3.HttpUrl;
import picocli.CommandLine.Option;

/** On which running clusters an experiment takes place, if not on this machine. */
public final class ClusterOptions {
    private static final String CLUSTER = "--cluster";
    private static final String BOOTSTRAP_SERVERS = "--bootstrap-servers";
    private static final String SAVEPOINTS = "--savepoints";

    @Option(names = CLUSTER, paramLabel = "MECHANISM=HOST:PORT")
    public List<String> clusters = new ArrayList<>();

    @Nullable
    @Option(names = BOOTSTRAP_SERVERS, paramLabel = "HOST:PORT[,...]")
    public String bootstrapServers;

    @Nullable
    @Option(names = SAVEPOINTS, paramLabel = "URI")
    public String savepoints;

    /** Whether the experiment takes place on clusters that run already. */
    boolean given() {
        return !clusters.isEmpty();
    }

    /**
     * The mechanisms for which there is a cluster, as they were written, with its address.
     *
     * @throws IllegalArgumentException with a message for the user
     */
    Map<String, String> byName() {
        Map<String, String> byName = new LinkedHashMap<>();
        for (String cluster : clusters) {
            int equals = cluster.indexOf('=');
            require(
                    equals > 0,
                    CLUSTER
                            + " takes MECHANISM=HOST:PORT, as in meces=jobmanager:8081, not "
                            + cluster
                            + ".");
            String name = cluster.substring(0, equals).trim();
            String address = cluster.substring(equals + 1).trim();
            requireAddress(CLUSTER, address);
            require(
                    byName.put(name, address) == null,
                    CLUSTER + " is given twice for " + name + ".");
        }
        return byName;
    }

    /**
     * The address of the JobManager for a mechanism; null if there is none. A repartition strategy
     * is asked for in the request, so any cluster for the mechanism without one will do.
     *
     * @param defaultService the transition service where a name has none
     */
    @Nullable
    String addressOf(Mechanism mechanism, String defaultService) {
        Map<Mechanism, String> addresses = new LinkedHashMap<>();
        byName().forEach(
                        (name, address) ->
                                addresses.put(Mechanism.parse(name, defaultService), address));
        String own = addresses.get(mechanism);
        return own != null ? own : addresses.get(mechanism.withoutStrategy());
    }

    /**
     * Checks what picocli does not.
     *
     * @param mechanisms of all runs
     * @param defaultService the transition service where a name has none
     * @throws IllegalArgumentException with a message for the user
     */
    void validate(List<Mechanism> mechanisms, String defaultService) {
        if (!given()) {
            require(bootstrapServers == null, BOOTSTRAP_SERVERS + " goes with " + CLUSTER + ".");
            require(savepoints == null, SAVEPOINTS + " goes with " + CLUSTER + ".");
            return;
        }
        for (Mechanism mechanism : mechanisms) {
            require(
                    addressOf(mechanism, defaultService) != null,
                    "There is no cluster for "
                            + mechanism
                            + ": give one by "
                            + CLUSTER
                            + " "
                            + mechanism
                            + "=HOST:PORT, or leave it out of --mechanisms.");
            require(
                    mechanism.kind != Mechanism.Kind.NATIVE || savepoints != null,
                    "native needs "
                            + SAVEPOINTS
                            + " URI, a directory that all processes of its cluster reach.");
        }
        requireUse(mechanisms, defaultService);
        require(
                bootstrapServers != null,
                CLUSTER + " needs " + BOOTSTRAP_SERVERS + " HOST:PORT, the Kafka of the clusters.");
        for (String address : bootstrapServers.split(",", -1)) {
            requireAddress(BOOTSTRAP_SERVERS, address);
        }
        require(
                savepoints == null || hasScheme(savepoints),
                SAVEPOINTS + " takes a URI, such as hdfs:///savepoints, not " + savepoints + ".");
    }

    private void requireUse(List<Mechanism> mechanisms, String defaultService) {
        List<Mechanism> seen = new ArrayList<>();
        for (String name : byName().keySet()) {
            Mechanism of = Mechanism.parse(name, defaultService);
            require(!seen.contains(of), CLUSTER + " is given twice for " + of + ".");
            seen.add(of);
            require(
                    mechanisms.stream()
                            .anyMatch(m -> of.equals(m) || of.equals(m.withoutStrategy())),
                    "There is a cluster for " + name + ", which is not one of --mechanisms.");
        }
    }

    private static void requireAddress(String option, String address) {
        String message = option + " takes HOST:PORT, not " + address + ".";
        HttpUrl url = HttpUrl.parse("http://" + address + "/");
        require(
                url != null && !address.contains("/") && address.endsWith(":" + url.port()),
                message);
    }

    private static boolean hasScheme(String text) {
        try {
            return new URI(text).getScheme() != null;
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException(SAVEPOINTS + " takes a URI, not " + text + ".", e);
        }
    }
}
