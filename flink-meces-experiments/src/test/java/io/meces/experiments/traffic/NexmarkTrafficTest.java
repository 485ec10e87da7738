// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.experiments.measure.Verdict;
import io.meces.experiments.traffic.NexmarkTraffic.Line;
import java.util.HashMap;
import java.util.Map;
import javax.annotation.Nullable;
import org.junit.jupiter.api.Test;

class NexmarkTrafficTest {
    private final Map<String, Integer> expected = new HashMap<>();
    private final Map<String, Line> seen = new HashMap<>();

    @Test
    void theSameLinesAreExact() {
        expected.put("a", 1);
        expected.put("b", 2);
        see("b", 3);
        see("a", 1);
        see("b", 2);

        assertThat(compare(null).isExact()).isTrue();
        assertThat(compare(null).records).isEqualTo(3);
    }

    @Test
    void whatIsMissingAndWhatIsTooMuchIsCounted() {
        expected.put("a", 2);
        expected.put("b", 1);
        see("a", 1);
        see("b", 1);
        see("b", 2);
        see("c", 1);

        Verdict exactness = compare(null);

        assertThat(exactness.isExact()).isFalse();
        assertThat(exactness.lost).isEqualTo(1);
        assertThat(exactness.duplicated).isEqualTo(1);
        assertThat(exactness.unknown).isEqualTo(1);
        assertThat(exactness.examples)
                .containsExactlyInAnyOrder("lost: a", "duplicated: b", "unknown: c");
    }

    @Test
    void aLineFromBeforeAndAfterAStopIsARepetition() {
        expected.put("a", 1);
        see("a", 9);
        see("a", 11);

        Verdict exactness = compare(10L);

        assertThat(exactness.isExact()).isTrue();
        assertThat(exactness.duplicated).isZero();
        assertThat(exactness.repeatedAtStop).isEqualTo(1);
        assertThat(compare(12L).duplicated).isEqualTo(1);
    }

    private Verdict compare(@Nullable Long stopped) {
        return NexmarkTraffic.compare(expected, seen, stopped);
    }

    private void see(String line, long micros) {
        seen.computeIfAbsent(line, l -> new Line(micros)).again(micros);
    }
}
