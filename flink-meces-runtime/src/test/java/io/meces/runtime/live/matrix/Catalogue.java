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

package io.meces.runtime.live.matrix;

import java.util.ArrayList;
import java.util.List;

/** All scenarios. */
final class Catalogue {

    private Catalogue() {}

    /** Those whose name contains the system property {@code matrix.scenario}, if it is set. */
    static List<Scenario> all() {
        String wanted = System.getProperty("matrix.scenario", "");
        List<Scenario> all = new ArrayList<>();
        all.addAll(StateScenarios.all());
        all.addAll(WindowScenarios.all());
        all.addAll(TimerScenarios.all());
        all.addAll(TtlScenarios.all());
        all.addAll(JoinScenarios.all());
        all.addAll(ChainScenarios.all());
        all.removeIf(scenario -> !scenario.name.contains(wanted));
        return all;
    }
}
