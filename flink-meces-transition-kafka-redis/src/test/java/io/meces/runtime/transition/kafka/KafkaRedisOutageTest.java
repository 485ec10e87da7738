// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.core.exchange.Priority;
import io.meces.runtime.MecesOptions;
import io.meces.runtime.transition.TransitionMetrics;
import io.meces.runtime.transition.TwoEnds;
import java.time.Duration;
import org.apache.flink.configuration.Configuration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Two reliable messaging whose Kafka or Redis fails in the middle: everything arrives once and in
 * order, and Redis is empty in the end.
 */
@Tag("full")
@Timeout(240)
class KafkaRedisOutageTest {

    private static final int BEFORE = 200;
    private static final int DURING = 400;
    private static final int AFTER = 600;
    private static final Duration READY = Duration.ofSeconds(90);

    private static Servers servers;

    private TwoEnds ends;

    @BeforeAll
    static void startServers() throws Exception {
        servers = Servers.start();
    }

    @AfterAll
    static void stopServers() {
        servers.close();
    }

    @BeforeEach
    void startServices() throws Exception {
        Configuration configuration = servers.configuration();
        configuration.set(MecesOptions.KAFKA_REDIS_LEASE, Duration.ofSeconds(3));
        configuration.set(MecesOptions.REDIS_TIMEOUT, Duration.ofSeconds(1));
        ends =
                new TwoEnds(
                        KafkaRedisTransitionService.connect(
                                configuration, TransitionMetrics.unregistered()),
                        KafkaRedisTransitionService.connect(
                                configuration, TransitionMetrics.unregistered()));
    }

    @AfterEach
    void stopServices() throws Exception {
        ends.close();
        servers.awaitKeys(0);
    }

    @Test
    void kafkaIsStoppedAndRestarted() throws Exception {
        survives(() -> servers.kafka().stop(false), ends::awaitRepetition, this::restartKafka);
    }

    @Test
    void kafkaIsKilledAndRestarted() throws Exception {
        survives(() -> servers.kafka().stop(true), ends::awaitRepetition, this::restartKafka);
    }

    @Test
    void kafkaHangs() throws Exception {
        survives(
                () -> servers.kafka().process().pause(),
                ends::awaitRepetition,
                () -> servers.kafka().process().resume());
    }

    @Test
    void redisIsKilledAndRestartedWithoutItsData() throws Exception {
        survives(
                () -> servers.redis().stop(true),
                this::awaitWhatNeedsNoRedis,
                () -> {
                    servers.redis().restart();
                    servers.redis().awaitReady(READY);
                });
    }

    @Test
    void redisHangs() throws Exception {
        survives(
                () -> servers.redis().process().pause(),
                this::awaitWhatNeedsNoRedis,
                () -> servers.redis().process().resume());
    }

    private void restartKafka() throws Exception {
        servers.kafka().restart();
        servers.kafka().awaitReady(READY);
    }

    /** Sends while the servers are sound, while one is not, and when it is again. */
    private void survives(Action fault, Action during, Action repair) throws Exception {
        ends.send(0, BEFORE);
        ends.awaitReceived(Priority.CONTROL, BEFORE);
        fault.run();
        ends.send(BEFORE, DURING);
        during.run();
        repair.run();
        ends.send(DURING, AFTER);
        ends.assertReceived(AFTER);
        servers.awaitKeys(2);
    }

    /** What is in records goes on, what is in Redis waits. */
    private void awaitWhatNeedsNoRedis() throws Exception {
        ends.awaitReceived(Priority.CONTROL, DURING);
        ends.awaitRepetition();
        assertThat(ends.received(Priority.BULK)).isLessThan(DURING);
    }

    /** Something that may fail. */
    private interface Action {
        void run() throws Exception;
    }
}
