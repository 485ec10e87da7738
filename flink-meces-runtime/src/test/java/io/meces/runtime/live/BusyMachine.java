// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Starves tests of processor time, with {@code -Pstarved}: some faults are seen only where a thread
 * that is due does not run for long. So many threads as {@code meces.busy-threads} says are busy
 * beside the tests of a process, until it ends. Registered for every test that has this jar on its
 * class path.
 */
public final class BusyMachine implements BeforeAllCallback {

    private static final AtomicBoolean STARTED = new AtomicBoolean();
    private static final AtomicLong SUM = new AtomicLong();

    @Override
    public void beforeAll(ExtensionContext context) {
        int threads = Integer.getInteger("meces.busy-threads", 0);
        if (STARTED.compareAndSet(false, true)) {
            for (int i = 0; i < threads; i++) {
                Thread thread = new Thread(BusyMachine::compute, "busy-" + i);
                thread.setDaemon(true);
                thread.start();
            }
        }
    }

    private static void compute() {
        while (true) {
            long sum = 0;
            for (int i = 0; i < 1_000_000; i++) {
                sum += ThreadLocalRandom.current().nextLong();
            }
            SUM.lazySet(sum);
        }
    }
}
