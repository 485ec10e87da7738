// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.soak;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class SoakPlanTest {

    private static List<SoakAction> actions(long seed, int slots) {
        SoakPlan plan = new SoakPlan(seed, 3, 2, slots, 1_000);
        return Stream.generate(plan::next).limit(500).collect(Collectors.toList());
    }

    private static List<String> texts(long seed) {
        return actions(seed, 6).stream()
                .map(action -> action.pauseMillis + " " + action)
                .collect(Collectors.toList());
    }

    @Test
    void seedDeterminesAll() {
        assertThat(texts(7)).isEqualTo(texts(7)).isNotEqualTo(texts(8));
    }

    @Test
    void hasAllThatCanHappen() {
        assertThat(actions(1, 6))
                .anyMatch(action -> action.kind == SoakAction.Kind.KILL)
                .anyMatch(action -> action.kind == SoakAction.Kind.SAVEPOINT)
                .anyMatch(SoakAction::hasKill)
                .anyMatch(action -> action.isAborted() && action.rollback)
                .anyMatch(action -> action.isAborted() && !action.rollback);
    }

    @Test
    void rescalesGoToAnotherParallelismThatThereAreSlotsFor() {
        for (int slots = 2; slots < 6; slots++) {
            int before = 2;
            for (SoakAction action : actions(slots, slots)) {
                if (action.kind == SoakAction.Kind.RESCALE) {
                    assertThat(action.to).isBetween(1, slots).isNotEqualTo(before);
                    before = action.to;
                }
            }
        }
    }
}
