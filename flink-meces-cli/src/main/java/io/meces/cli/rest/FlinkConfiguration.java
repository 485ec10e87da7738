// SPDX-License-Identifier: Apache-2.0
package io.meces.cli.rest;

import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import javax.annotation.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/**
 * Flink's configuration on this machine, as far as a client of the REST interface needs it: where
 * that is, and how it is reached by TLS. Read as Flink does. In {@code flink-conf.yaml} a line is
 * {@code key: value}, what follows a {@code #} is a comment, and of a key that stands twice the
 * last one counts. Where there is none, and Flink is 1.19 or later, {@code config.yaml} is YAML,
 * whose keys may be nested.
 */
public final class FlinkConfiguration {
    private static final String LEGACY = "flink-conf.yaml";
    private static final String STANDARD = "config.yaml";

    @Nullable private final Path file;
    private final Map<String, String> values;

    private FlinkConfiguration(@Nullable Path file, Map<String, String> values) {
        this.file = file;
        this.values = values;
    }

    /**
     * The one in {@code FLINK_CONF_DIR}, or else in {@code conf} below {@code FLINK_HOME}, if there
     * is one; otherwise one in which nothing is set.
     *
     * @param environment the variables of the environment
     * @throws IOException if {@code FLINK_CONF_DIR} has none, or it cannot be read
     */
    public static FlinkConfiguration find(Map<String, String> environment) throws IOException {
        String directory = environment.getOrDefault("FLINK_CONF_DIR", "");
        String home = environment.getOrDefault("FLINK_HOME", "");
        if (!directory.isEmpty()) {
            FlinkConfiguration found = in(Paths.get(directory));
            if (found.file == null) {
                throw new IOException(
                        "There is no "
                                + LEGACY
                                + " and no "
                                + STANDARD
                                + " in "
                                + directory
                                + ", where FLINK_CONF_DIR says.");
            }
            return found;
        }
        return home.isEmpty()
                ? new FlinkConfiguration(null, new HashMap<>())
                : in(Paths.get(home, "conf"));
    }

    private static FlinkConfiguration in(Path directory) throws IOException {
        Path legacy = directory.resolve(LEGACY);
        Path standard = directory.resolve(STANDARD);
        Map<String, String> values = new HashMap<>();
        if (Files.exists(legacy)) {
            readLines(legacy, values);
            return new FlinkConfiguration(legacy, values);
        }
        if (Files.exists(standard)) {
            readYaml(standard, values);
            return new FlinkConfiguration(standard, values);
        }
        return new FlinkConfiguration(null, values);
    }

    private static void readLines(Path file, Map<String, String> values) throws IOException {
        for (String line : Files.readAllLines(file, StandardCharsets.UTF_8)) {
            String[] pair = line.split("#", 2)[0].trim().split(": ", 2);
            if (pair.length == 2 && !pair[0].trim().isEmpty() && !pair[1].trim().isEmpty()) {
                values.put(pair[0].trim(), pair[1].trim());
            }
        }
    }

    private static void readYaml(Path file, Map<String, String> values) throws IOException {
        try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            Load load = new Load(LoadSettings.builder().setLabel(file.toString()).build());
            flatten("", load.loadFromReader(reader), values);
        } catch (YamlEngineException e) {
            throw new IOException(file + " cannot be read: " + e.getMessage(), e);
        }
    }

    /** Of a key that stands nested and with dots the last one counts, as in Flink. */
    private static void flatten(String key, @Nullable Object value, Map<String, String> values) {
        if (value instanceof Map) {
            String prefix = key.isEmpty() ? "" : key + ".";
            ((Map<?, ?>) value).forEach((name, nested) -> flatten(prefix + name, nested, values));
        } else if (value != null) {
            values.put(key, value.toString());
        }
    }

    /** The file that was read; null if there is none. */
    @Nullable
    public Path file() {
        return file;
    }

    /**
     * host:port of the REST interface, for clients of this machine; null if nothing says where the
     * JobManager is.
     */
    @Nullable
    public String restAddress() {
        String host = get("rest.address", "jobmanager.rpc.address");
        return host == null
                ? null
                : (host.contains(":") ? "[" + host + "]" : host)
                        + ":"
                        + values.getOrDefault("rest.port", "8081");
    }

    /** Whether the REST interface is reached by TLS. */
    public boolean isRestTls() {
        return isOn("security.ssl.rest.enabled", "security.ssl.enabled");
    }

    /** Whether the name in the certificate is verified. */
    public boolean verifiesHostname() {
        return !"false".equalsIgnoreCase(get("security.ssl.verify-hostname"));
    }

    /**
     * How the REST interface is reached by TLS, by the keys {@code security.ssl.rest.*} and those
     * that Flink asks where these are not set.
     *
     * @throws IOException if one is missing, or what one names cannot be read
     */
    public ClientTls restTls() throws IOException {
        ClientTls tls = new ClientTls().verifyHostname(verifiesHostname());
        String fingerprints = get("security.ssl.rest.cert.fingerprint");
        if (fingerprints != null) {
            try {
                tls.trustFingerprints(Arrays.asList(fingerprints.split(",")));
            } catch (IllegalArgumentException e) {
                throw new IOException(
                        "security.ssl.rest.cert.fingerprint of " + file + ": " + e.getMessage(), e);
            }
        } else if (get("security.ssl.rest.truststore", "security.ssl.truststore") != null) {
            tls.trustStore(Paths.get(need("truststore")), need("truststore-password"));
        }
        if (isOn("security.ssl.rest.authentication-enabled")) {
            tls.showStore(
                    Paths.get(need("keystore")), need("keystore-password"), need("key-password"));
        }
        return tls;
    }

    private String need(String key) throws IOException {
        String value = get("security.ssl.rest." + key, "security.ssl." + key);
        if (value == null) {
            throw new IOException("security.ssl.rest." + key + " is missing in " + file + ".");
        }
        return value;
    }

    private boolean isOn(String... keys) {
        return "true".equalsIgnoreCase(get(keys));
    }

    /** The value of the first key that is set. */
    @Nullable
    private String get(String... keys) {
        for (String key : keys) {
            if (values.containsKey(key)) {
                return values.get(key);
            }
        }
        return null;
    }
}
