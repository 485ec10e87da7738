// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.testing;

import java.time.Duration;

/** In place of the class of Flink, which it has no more. */
public final class Time {

    private Time() {}

    public static Duration milliseconds(long amount) {
        return Duration.ofMillis(amount);
    }

    public static Duration seconds(long amount) {
        return Duration.ofSeconds(amount);
    }

    public static Duration hours(long amount) {
        return Duration.ofHours(amount);
    }
}
