// SPDX-License-Identifier: Apache-2.0
package io.meces.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/**
 * How much more processor time something takes when it is larger. That of this thread only, and the
 * least of some runs: what else the machine does hardly counts.
 */
public final class Growth {

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final int ROUNDS = 8;

    private Growth() {}

    /**
     * @param times how much more the large one may take; far above what is right and far below what
     *     is wrong
     */
    public static void assertAtMost(int times, Runnable small, Runnable large) {
        long least = Long.MAX_VALUE;
        long most = Long.MAX_VALUE;
        for (int round = 0; round < ROUNDS; round++) {
            least = Math.min(least, nanos(small));
            most = Math.min(most, nanos(large));
            if (round > 1 && most <= times * least) {
                return;
            }
        }
        assertThat(most).as("ns, where the small one takes %s", least).isLessThan(times * least);
    }

    private static long nanos(Runnable action) {
        long before = THREADS.getCurrentThreadCpuTime();
        action.run();
        return THREADS.getCurrentThreadCpuTime() - before;
    }
}
