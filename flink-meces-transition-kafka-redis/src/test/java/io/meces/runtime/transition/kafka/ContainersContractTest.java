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

package io.meces.runtime.transition.kafka;

import io.meces.runtime.MecesOptions;
import io.meces.runtime.live.Ledger;
import io.meces.runtime.transition.TransitionMetrics;
import io.meces.runtime.transition.TransitionService;
import io.meces.runtime.transition.TransitionServiceContract;
import org.apache.flink.configuration.Configuration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIf;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.kafka.KafkaContainer;
import redis.clients.jedis.Jedis;

/** The contract over the official images of Kafka and Redis, where there is a Docker engine. */
@EnabledIf(
        value = "isDockerThere",
        disabledReason = "There is no Docker engine for the images of Kafka and Redis.")
@Tag("full")
class ContainersContractTest extends TransitionServiceContract {

    private static final int REDIS_PORT = 6379;
    private static final long PATIENCE_MS = 30_000;

    private static final KafkaContainer kafka = new KafkaContainer("apache/kafka:3.7.0");
    private static final GenericContainer<?> redis =
            new GenericContainer<>("redis:7.2").withExposedPorts(REDIS_PORT);

    static boolean isDockerThere() {
        return DockerClientFactory.instance().isDockerAvailable();
    }

    @BeforeAll
    static void startContainers() {
        kafka.start();
        redis.start();
    }

    @AfterAll
    static void stopContainers() {
        kafka.stop();
        redis.stop();
    }

    @Override
    protected TransitionService create(TransitionMetrics metrics) throws Exception {
        Configuration configuration = new Configuration();
        configuration.set(MecesOptions.KAFKA_BOOTSTRAP_SERVERS, kafka.getBootstrapServers());
        configuration.set(
                MecesOptions.REDIS_HOSTS, redis.getHost() + ':' + redis.getMappedPort(REDIS_PORT));
        configuration.set(MecesOptions.KAFKA_REDIS_PARTITIONS, 2);
        configuration.set(MecesOptions.KAFKA_REDIS_REPLICATION, 1);
        return KafkaRedisTransitionService.connect(configuration, metrics);
    }

    @Override
    protected void assertNothingIsKept(int services) throws Exception {
        try (Jedis jedis = new Jedis(redis.getHost(), redis.getMappedPort(REDIS_PORT))) {
            Ledger.awaitOrFail(
                    services + " keys in Redis", () -> jedis.dbSize() == services, PATIENCE_MS);
        }
    }
}
