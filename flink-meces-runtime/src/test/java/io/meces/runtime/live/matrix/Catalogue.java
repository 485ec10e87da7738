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
import java.util.Collections;
import java.util.List;

/** All scenarios. */
final class Catalogue {

    private static final List<Scenario> ALL = new ArrayList<>();

    static {
        ALL.addAll(StateScenarios.all());
        ALL.addAll(WindowScenarios.all());
        ALL.addAll(TimerScenarios.all());
        ALL.addAll(TtlScenarios.all());
        ALL.addAll(JoinScenarios.all());
        ALL.addAll(BucketScenarios.all());
    }

    private Catalogue() {}

    static List<Scenario> all() {
        return Collections.unmodifiableList(ALL);
    }

    static Scenario named(String name) {
        return ALL.stream().filter(scenario -> scenario.name.equals(name)).findFirst().get();
    }
}
