// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.examples;

import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;

/** A function of an example job for keyed records. Owned by the task thread. */
public abstract class KeyedFunction<K, I, O> extends KeyedProcessFunction<K, I, O> {
    private static final long serialVersionUID = 1L;

    /** Called once, before all else. */
    protected abstract void opened();

    @Override
    public final void open(Configuration parameters) {
        opened();
    }
}
