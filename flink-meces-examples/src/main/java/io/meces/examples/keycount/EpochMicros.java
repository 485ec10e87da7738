// SPDX-License-Identifier: Apache-2.0
package io.meces.examples.keycount;

import java.time.Instant;

/** The wall clock in microseconds since the epoch. JDK 8 has it in whole milliseconds only. */
public final class EpochMicros {

    private EpochMicros() {}

    /** Now, in µs since the epoch. */
    public static long now() {
        Instant now = Instant.now();
        return now.getEpochSecond() * 1_000_000L + now.getNano() / 1_000L;
    }
}
