// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live.matrix;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

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

    /** One of each kind. */
    static List<Scenario> some() {
        return Stream.of(
                        "value state",
                        "event-time timers",
                        "processing-time timers due at any time",
                        "session windows, process",
                        "interval join",
                        "two keyed functions in one task")
                .map(Catalogue::named)
                .collect(Collectors.toList());
    }

    static Scenario named(String name) {
        return ALL.stream().filter(scenario -> scenario.name.equals(name)).findFirst().get();
    }
}
