// SPDX-License-Identifier: Apache-2.0
package io.meces.examples.keycount;

import java.util.Properties;
import org.apache.flink.api.java.utils.ParameterTool;

/** How the example jobs use the Kafka that their argument {@code --bootstrap-servers} names. */
public final class KafkaArguments {

    private KafkaArguments() {}

    /** Properties of a consumer in a group. */
    public static Properties consumer(ParameterTool parameters, String group) {
        Properties properties = bootstrapServers(parameters);
        properties.setProperty("group.id", group);
        return properties;
    }

    /** A producer whose own retries neither repeat nor reorder: what is wrong then is the job's. */
    public static Properties producer(ParameterTool parameters) {
        Properties properties = bootstrapServers(parameters);
        properties.setProperty("enable.idempotence", "true");
        properties.setProperty("acks", "all");
        properties.setProperty("linger.ms", "5");
        // the connector's own, an hour, is more than brokers allow
        properties.setProperty(
                "transaction.timeout.ms", parameters.get("transaction-timeout", "600000"));
        return properties;
    }

    private static Properties bootstrapServers(ParameterTool parameters) {
        Properties properties = new Properties();
        properties.setProperty("bootstrap.servers", parameters.getRequired("bootstrap-servers"));
        return properties;
    }
}
