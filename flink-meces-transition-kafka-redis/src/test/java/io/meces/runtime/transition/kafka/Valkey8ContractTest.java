// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition.kafka;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The contract with Valkey 8 in the place of the Redis of the build. */
@Tag("full")
class Valkey8ContractTest extends ServersContract {

    @BeforeAll
    static void startServers() throws Exception {
        start(Servers.FILES.withRedis(PackagedRedis.VALKEY_8.programOrAbort()));
    }
}
