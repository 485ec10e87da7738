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

package io.meces.runtime.transition;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.runtime.MecesOptions;
import io.meces.runtime.courier.Lane;
import io.meces.runtime.live.Ledger;
import io.meces.runtime.transition.kafka.KafkaRedisTransitionService;
import io.meces.runtime.transition.kafka.Servers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.flink.configuration.Configuration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Two couriers whose Kafka or Redis fails in the middle: everything arrives once and in order, and
 * Redis is empty in the end.
 */
@Timeout(240)
class KafkaRedisOutageTest {

    private static final int BEFORE = 200;
    private static final int DURING = 400;
    private static final int AFTER = 600;
    private static final int BYTES = 1_000;
    private static final Duration READY = Duration.ofSeconds(90);
    private static final long PATIENCE_MS = 90_000;

    private static Servers servers;

    private TransitionService here;
    private TransitionService there;
    private CourierEnd one;
    private CourierEnd two;

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
        here = KafkaRedisTransitionService.connect(configuration, TransitionMetrics.unregistered());
        there =
                KafkaRedisTransitionService.connect(
                        configuration, TransitionMetrics.unregistered());
        one = new CourierEnd(here);
        two = new CourierEnd(there);
        one.meet(two, there.address());
        two.meet(one, here.address());
    }

    @AfterEach
    void stopServices() throws Exception {
        one.close();
        two.close();
        here.close();
        there.close();
        servers.awaitKeys(0);
    }

    @Test
    void kafkaIsStoppedAndRestarted() throws Exception {
        survives(() -> servers.kafka().stop(false), this::awaitRepetition, this::restartKafka);
    }

    @Test
    void kafkaIsKilledAndRestarted() throws Exception {
        survives(() -> servers.kafka().stop(true), this::awaitRepetition, this::restartKafka);
    }

    @Test
    void kafkaHangs() throws Exception {
        survives(
                () -> servers.kafka().process().pause(),
                this::awaitRepetition,
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
        send(0, BEFORE);
        awaitReceived(Lane.CONTROL, BEFORE);
        fault.run();
        send(BEFORE, DURING);
        during.run();
        repair.run();
        send(DURING, AFTER);
        List<Integer> expected = IntStream.range(0, AFTER).boxed().collect(Collectors.toList());
        for (Lane lane : Lane.values()) {
            awaitReceived(lane, AFTER);
            assertThat(new ArrayList<>(one.received(lane))).as("%s", lane).isEqualTo(expected);
            assertThat(new ArrayList<>(two.received(lane))).as("%s", lane).isEqualTo(expected);
        }
        servers.awaitKeys(2);
        assertThat(one.failure()).isNotDone();
        assertThat(two.failure()).isNotDone();
    }

    private void send(int first, int end) {
        for (Lane lane : Lane.values()) {
            one.send(lane, first, end, BYTES);
            two.send(lane, first, end, BYTES);
        }
    }

    private void awaitReceived(Lane lane, int number) throws Exception {
        Ledger.awaitOrFail(
                number + " messages in " + lane,
                () ->
                        one.failure().isDone()
                                || two.failure().isDone()
                                || one.received(lane).size() >= number
                                        && two.received(lane).size() >= number,
                PATIENCE_MS);
    }

    /** The outage is long enough for a courier to try again. */
    private void awaitRepetition() throws Exception {
        long repeated = one.statistics().repeated;
        Ledger.awaitOrFail(
                "messages to be sent again",
                () -> one.statistics().repeated > repeated + 100,
                PATIENCE_MS);
    }

    /** What is in records goes on, what is in Redis waits. */
    private void awaitWhatNeedsNoRedis() throws Exception {
        awaitReceived(Lane.CONTROL, DURING);
        awaitRepetition();
        assertThat(one.received(Lane.BULK).size()).isLessThan(DURING);
    }

    /** Something that may fail. */
    private interface Action {
        void run() throws Exception;
    }
}
