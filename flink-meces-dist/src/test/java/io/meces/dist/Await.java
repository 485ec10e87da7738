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
