// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.meces.runtime.transition.Backoff;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RetriesTest {

    private static final long MS = 1_000_000L;

    private final List<Long> pauses = new ArrayList<>();
    private long now;
    private int attempts;

    private final Retries retries =
            new Retries(
                    new Backoff(Duration.ofMillis(100), Duration.ofMillis(800), () -> 0),
                    () -> now,
                    nanos -> {
                        pauses.add(nanos / MS);
                        now += nanos;
                    });

    @Test
    void itIsTriedUntilItSucceeds() throws Exception {
        assertThat(retries.until(10_000 * MS, e -> true, () -> attempt(6))).isEqualTo("done");
        assertThat(attempts).isEqualTo(6);
        assertThat(pauses).containsExactly(100L, 200L, 400L, 800L, 800L);
    }

    @Test
    void theLastFailureIsToldWhenTimeIsOver() {
        assertThatThrownBy(() -> retries.until(1_000 * MS, e -> true, () -> attempt(100)))
                .isInstanceOf(IOException.class)
                .hasMessage("failure 4");
        assertThat(now).isLessThanOrEqualTo(1_000 * MS);
    }

    @Test
    void itIsTriedOnceWhenTimeIsOverAlready() {
        now = 5 * MS;
        assertThatThrownBy(() -> retries.until(0, e -> true, () -> attempt(100)))
                .hasMessage("failure 1");
    }

    @Test
    void whatTimeDoesNotHealIsToldAtOnce() {
        assertThatThrownBy(() -> retries.until(10_000 * MS, e -> false, () -> attempt(100)))
                .hasMessage("failure 1");
        assertThat(pauses).isEmpty();
    }

    private String attempt(int successful) throws IOException {
        if (++attempts < successful) {
            throw new IOException("failure " + attempts);
        }
        return "done";
    }
}
