// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition;

import java.util.concurrent.atomic.LongAdder;
import org.apache.flink.metrics.Counter;

/** A counter that several threads count with; Flink 1.12 has none. */
final class SharedCounter implements Counter {

    private final LongAdder count = new LongAdder();

    @Override
    public void inc() {
        count.increment();
    }

    @Override
    public void inc(long n) {
        count.add(n);
    }

    @Override
    public void dec() {
        count.decrement();
    }

    @Override
    public void dec(long n) {
        count.add(-n);
    }

    @Override
    public long getCount() {
        return count.sum();
    }
}
