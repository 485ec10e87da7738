// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition.kafka;

import io.meces.runtime.live.OutageScenario;
import io.meces.servers.ServerProcess;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A job that is rescaled while the Kafka or the Redis that its state travels over is away. */
@Tag("full")
@Timeout(240)
class ServerOutageTest extends OutageScenario {
    private static Servers servers;

    @BeforeAll
    static void startServers() throws Exception {
        servers = Servers.start();
    }

    @AfterAll
    static void stopServers() {
        servers.close();
    }

    @Override
    protected void assertNothingIsLeft() throws Exception {
        servers.awaitKeys(0);
    }

    @Test
    void aRedisThatHangsForSecondsOnlyDelaysARescale() throws Exception {
        ServerProcess redis = servers.redis().process();
        submit(servers.configuration(), PATIENT);
        isOnlyDelayed(redis::pause, redis::resume);
        servers.awaitKeys(TASK_MANAGERS);
    }

    @Test
    void aKafkaThatIsKilledAndRestartedOnlyDelaysARescale() throws Exception {
        submit(servers.configuration(), PATIENT);
        isOnlyDelayed(
                // by force: it may take seconds to stop in order, enough for the rescale to end
                () -> servers.kafka().stop(true),
                () -> {
                    servers.kafka().restart();
                    servers.kafka().awaitReady(READY);
                });
        servers.awaitKeys(TASK_MANAGERS);
    }

    @Test
    void aRedisThatIsAwayForTooLongFailsTheStepAndTheJobRecovers() throws Exception {
        ServerProcess redis = servers.redis().process();
        submit(servers.configuration(), STEP_TIMEOUT);
        failsAndRecovers(
                redis::pause, redis::resume, "messages do not get through", "payloads to Redis");
        servers.awaitKeys(TASK_MANAGERS);
    }

    @Test
    void aKafkaThatIsAwayForTooLongFailsTheStepAndTheJobRecovers() throws Exception {
        ServerProcess kafka = servers.kafka().process();
        submit(servers.configuration(), STEP_TIMEOUT);
        failsAndRecovers(kafka::pause, kafka::resume);
        servers.awaitKeys(TASK_MANAGERS);
    }
}
