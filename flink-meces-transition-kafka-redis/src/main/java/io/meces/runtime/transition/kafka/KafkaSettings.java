// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition.kafka;

import io.meces.runtime.MecesOptions;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.GlobalConfiguration;
import org.apache.flink.configuration.IllegalConfigurationException;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The settings of our Kafka clients: the user's from {@code meces.kafka.*}, ours where the user
 * says nothing, and those that the service relies on in any case. Immutable.
 */
final class KafkaSettings {

    private static final Logger LOG = LoggerFactory.getLogger(KafkaSettings.class);

    /** Kafka's package as its users know it, not written in one: shading would rewrite it. */
    private static final String KAFKA = String.join(".", "org", "apache", "kafka") + ".";

    /** Kafka's package as it is called here. */
    private static final String KAFKA_HERE =
            KafkaProducer.class.getName().replaceAll("clients\\.producer\\..*", "");

    private final Map<String, Object> settings = new HashMap<>();

    /**
     * @throws IllegalConfigurationException if the brokers are not named
     */
    KafkaSettings(Configuration configuration) {
        this(configuration, KAFKA_HERE);
    }

    /** As the other, where Kafka's classes are in another package, with a dot at its end. */
    KafkaSettings(Configuration configuration, String kafkaHere) {
        if (configuration.get(MecesOptions.KAFKA_BOOTSTRAP_SERVERS) == null) {
            throw new IllegalConfigurationException(
                    "The transition service kafka-redis needs a Kafka: set "
                            + MecesOptions.KAFKA_BOOTSTRAP_SERVERS.key()
                            + " to host:port of its brokers.");
        }
        ConfigDef known = ProducerConfig.configDef();
        configuration
                .toMap()
                .forEach(
                        (key, value) -> {
                            if (key.startsWith(MecesOptions.KAFKA_PREFIX)) {
                                String name = name(key);
                                warnIfShown(key, name, known);
                                settings.put(
                                        name,
                                        namesClasses(name)
                                                ? value.replace(KAFKA, kafkaHere)
                                                : value);
                            }
                        });
    }

    private static String name(String key) {
        return key.startsWith(MecesOptions.KAFKA_SECRET_PREFIX)
                ? key.substring(MecesOptions.KAFKA_SECRET_PREFIX.length())
                : key.substring(MecesOptions.KAFKA_PREFIX.length());
    }

    private static void warnIfShown(String key, String name, ConfigDef known) {
        ConfigDef.ConfigKey option = known.configKeys().get(name);
        if (option != null
                && option.type == ConfigDef.Type.PASSWORD
                && !GlobalConfiguration.isSensitive(key)) {
            LOG.warn(
                    "Flink shows the value of {} in its logs and its web UI; set {}{} instead,"
                            + " which it masks.",
                    key,
                    MecesOptions.KAFKA_SECRET_PREFIX,
                    name);
        }
    }

    private static boolean namesClasses(String name) {
        return name.endsWith("sasl.jaas.config")
                || name.endsWith(".class")
                || name.endsWith(".classes")
                || name.equals("metric.reporters")
                || name.equals("security.providers");
    }

    String bootstrapServers() {
        return (String) settings.get(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG);
    }

    /** Other names than those of the clients of jobs in the same process, for JMX and the logs. */
    private static Map<String, Object> forClient(String id) {
        Map<String, Object> result = new HashMap<>();
        result.put(ProducerConfig.CLIENT_ID_CONFIG, id);
        return result;
    }

    /** For a client that sends records at once, each exactly once to the log, to all replicas. */
    Map<String, Object> producer(String clientId) {
        Map<String, Object> result = forClient(clientId);
        result.put(ProducerConfig.LINGER_MS_CONFIG, "0");
        result.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, "5000");
        result.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, "15000");
        result.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, "2000");
        result.put(ProducerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, "500");
        addUsers(result, ProducerConfig.configNames());
        force(result, ProducerConfig.ACKS_CONFIG, "all");
        force(result, ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, "true");
        force(result, ProducerConfig.COMPRESSION_TYPE_CONFIG, "none");
        result.remove(ProducerConfig.TRANSACTIONAL_ID_CONFIG);
        result.remove(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG);
        result.remove(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG);
        return result;
    }

    /** For a client that reads a partition of its own, without a group, as records come. */
    Map<String, Object> consumer(String clientId) {
        Map<String, Object> result = forClient(clientId);
        result.put(ConsumerConfig.FETCH_MIN_BYTES_CONFIG, "1");
        result.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, "64");
        result.put(ConsumerConfig.REQUEST_TIMEOUT_MS_CONFIG, "5000");
        result.put(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, "5000");
        result.put(ConsumerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, "500");
        addUsers(result, ConsumerConfig.configNames());
        force(result, ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
        // where the log was cut; what is outdated is dropped
        force(result, ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        result.remove(ConsumerConfig.GROUP_ID_CONFIG);
        result.remove(ConsumerConfig.GROUP_INSTANCE_ID_CONFIG);
        result.remove(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG);
        result.remove(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG);
        return result;
    }

    Map<String, Object> admin() {
        Map<String, Object> result = new HashMap<>();
        result.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, "5000");
        result.put(AdminClientConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, "500");
        addUsers(result, AdminClientConfig.configNames());
        return result;
    }

    /** Those that the client knows, and those that none knows: they may be of a plug-in of it. */
    private void addUsers(Map<String, Object> result, Set<String> knownToClient) {
        Set<String> known = new HashSet<>(ProducerConfig.configNames());
        known.addAll(ConsumerConfig.configNames());
        known.addAll(AdminClientConfig.configNames());
        Predicate<String> belongs = name -> knownToClient.contains(name) || !known.contains(name);
        settings.forEach(
                (name, value) -> {
                    if (belongs.test(name)) {
                        result.put(name, value);
                    }
                });
    }

    private static void force(Map<String, Object> result, String name, String value) {
        Object users = result.put(name, value);
        if (users != null && !users.equals(value)) {
            LOG.warn("{}{} is {} whatever is configured.", MecesOptions.KAFKA_PREFIX, name, value);
        }
    }
}
