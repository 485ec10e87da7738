// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition.kafka;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.api.exception.NotFoundException;
import io.meces.runtime.MecesOptions;
import io.meces.runtime.live.Ledger;
import io.meces.runtime.transition.TransitionMetrics;
import io.meces.runtime.transition.TransitionService;
import io.meces.runtime.transition.TransitionServiceContract;
import java.util.concurrent.TimeUnit;
import org.apache.flink.configuration.Configuration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.kafka.KafkaContainer;
import redis.clients.jedis.Jedis;

/**
 * The contract over the official images of Kafka and Redis, where there is a Docker engine that has
 * or can pull them. Below {@code docker/stand-ins/with-engine} it runs on images that stand for
 * them.
 */
@Tag("full")
@Tag("containers")
class ContainersContractTest extends TransitionServiceContract {

    private static final int REDIS_PORT = 6379;
    private static final long PULL_MINUTES = 5;

    /** As in docker/docker-compose.yml. */
    private static final String KAFKA = "apache/kafka:3.9.2";

    private static final String REDIS = "redis:8.2";

    private static final KafkaContainer kafka = new KafkaContainer(KAFKA);
    private static final GenericContainer<?> redis =
            new GenericContainer<>(REDIS)
                    .withExposedPorts(REDIS_PORT)
                    .withCommand("redis-server", "--protected-mode", "no");

    @BeforeAll
    static void startContainers() throws InterruptedException {
        assumeTrue(
                DockerClientFactory.instance().isDockerAvailable(), "There is no Docker engine.");
        assumeImage(KAFKA);
        assumeImage(REDIS);
        kafka.start();
        redis.start();
    }

    /** Testcontainers would try for minutes to pull it, and then fail. */
    private static void assumeImage(String image) throws InterruptedException {
        DockerClient docker = DockerClientFactory.lazyClient();
        try {
            docker.inspectImageCmd(image).exec();
        } catch (NotFoundException absent) {
            try {
                boolean complete =
                        docker.pullImageCmd(image)
                                .start()
                                .awaitCompletion(PULL_MINUTES, TimeUnit.MINUTES);
                assumeTrue(
                        complete, image + " takes longer to pull than " + PULL_MINUTES + " min.");
            } catch (DockerException e) {
                assumeTrue(false, image + " is not there and cannot be pulled: " + e.getMessage());
            }
        }
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
            Ledger.awaitOrFail(services + " keys in Redis", () -> jedis.dbSize() == services);
        }
    }
}
