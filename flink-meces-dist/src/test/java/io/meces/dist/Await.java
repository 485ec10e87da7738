// SPDX-License-Identifier: Apache-2.0
package io.meces.dist;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Waits for what cannot call back: another process. */
final class Await {
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private Await() {}

    /** Asks another process. */
    @FunctionalInterface
    interface Probe {
        boolean isTrue() throws Exception;
    }

    /**
     * Waits until the probe says yes, for three minutes at most; one that throws an {@link
     * IOException} says no.
     */
    static void until(Probe probe) throws Exception {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            IOException last = null;
            try {
                if (probe.isTrue()) {
                    return;
                }
            } catch (IOException e) {
                last = e;
            }
            if (System.nanoTime() - deadline >= 0) {
                throw new IllegalStateException("Not within " + PATIENCE.getSeconds() + " s", last);
            }
            TimeUnit.MILLISECONDS.sleep(100);
        }
    }
}
