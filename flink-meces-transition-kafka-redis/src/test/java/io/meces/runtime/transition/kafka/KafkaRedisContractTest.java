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

import io.meces.runtime.transition.TransitionMetrics;
import io.meces.runtime.transition.TransitionService;
import io.meces.runtime.transition.TransitionServiceContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The contract over Kafka and Redis. */
class KafkaRedisContractTest extends TransitionServiceContract {

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
    protected TransitionService create(TransitionMetrics metrics) throws Exception {
        return KafkaRedisTransitionService.connect(servers.configuration(), metrics);
    }

    @Override
    protected void assertNothingIsKept(int services) throws Exception {
        servers.awaitKeys(services);
    }
}
