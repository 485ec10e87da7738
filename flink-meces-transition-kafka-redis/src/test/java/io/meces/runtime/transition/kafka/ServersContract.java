// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition.kafka;

import io.meces.runtime.transition.TransitionMetrics;
import io.meces.runtime.transition.TransitionService;
import io.meces.runtime.transition.TransitionServiceContract;
import io.meces.servers.ServerFiles;
import javax.annotation.Nullable;
import org.junit.jupiter.api.AfterAll;

/** The contract over a Kafka and a Redis that a test class starts before. */
abstract class ServersContract extends TransitionServiceContract {

    @Nullable private static Servers servers;

    static void start(ServerFiles files) throws Exception {
        servers = Servers.start(files);
    }

    @AfterAll
    static void stopServers() {
        if (servers != null) {
            servers.close();
            servers = null;
        }
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
