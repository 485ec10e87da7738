// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition.kafka;

import org.junit.jupiter.api.BeforeAll;

/** The contract over Kafka and Redis. */
class KafkaRedisContractTest extends ServersContract {

    @BeforeAll
    static void startServers() throws Exception {
        start(Servers.FILES);
    }
}
