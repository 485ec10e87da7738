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
