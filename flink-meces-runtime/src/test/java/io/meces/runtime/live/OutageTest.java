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
