// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition.kafka;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The contract over a Kafka that is newer than our clients. */
@Tag("full")
class NewestKafkaContractTest extends ServersContract {

    @BeforeAll
    static void startServers() throws Exception {
        PackagedRedis.assumeJavaOfNewestKafka();
        start(Servers.FILES.withNewestKafka());
    }
}
