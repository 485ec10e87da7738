// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import io.meces.runtime.MecesOptions;
import io.meces.runtime.transition.ProxiedNettyServiceFactory;
import org.apache.flink.configuration.Configuration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A job that is rescaled while the network between its TaskManagers is away. */
@Tag("full")
@Timeout(240)
class OutageTest extends OutageScenario {

    @Test
    void aNetworkThatHangsForSecondsOnlyDelaysARescale() throws Exception {
        submit(proxiedNetty(), PATIENT);
        isOnlyDelayed(
                () -> ProxiedNettyServiceFactory.stall(true),
                () -> ProxiedNettyServiceFactory.stall(false));
    }

    @Test
    void aNetworkThatIsAwayForTooLongFailsTheStepAndTheJobRecovers() throws Exception {
        submit(proxiedNetty(), STEP_TIMEOUT);
        failsAndRecovers(
                () -> ProxiedNettyServiceFactory.stall(true),
                () -> ProxiedNettyServiceFactory.stall(false));
    }

    private static Configuration proxiedNetty() {
        Configuration configuration = new Configuration();
        configuration.set(
                MecesOptions.TRANSITION_SERVICE, ProxiedNettyServiceFactory.class.getName());
        return configuration;
    }
}
