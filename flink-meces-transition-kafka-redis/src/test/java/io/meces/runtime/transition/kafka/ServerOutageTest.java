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
        failsAndRecovers(redis::pause, redis::resume);
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
