// SPDX-License-Identifier: Apache-2.0
package io.meces.state.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** How often the background gives way to others, and that it gets on all the same. */
class ProcessorYieldTest {

    private static final int MANY_BYTES = 1 << 20;

    private long now;
    private long given;
    private int times;

    /** For how long others have the processor. */
    private long others;

    private final ProcessorYield processorYield =
            new ProcessorYield(
                    () -> now,
                    () -> {
                        now += others;
                        given += others;
                        times++;
                    });

    @Test
    void whereNobodyWantsTheProcessorItIsOfferedAfterSoManyBytes() {
        for (int i = 0; i < MANY_BYTES; i += 1 << 10) {
            now++;
            processorYield.after(1 << 10);
        }

        assertThat(times).isEqualTo(MANY_BYTES / ProcessorYield.EACH_BYTES);
    }

    @Test
    void whereOthersNeverRestTheyGetHalfOfTheTimeAtMost() {
        others = 4_000;
        for (int i = 0; i < 10_000; i++) {
            now += 150;
            processorYield.after(ProcessorYield.EACH_BYTES);
        }

        assertThat(given).isBetween(now * 45 / 100, now / 2 + others);
    }
}
