// SPDX-License-Identifier: Apache-2.0
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
