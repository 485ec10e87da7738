// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;

/** A function of tests for keyed records. */
public abstract class OpenedProcess<K, I, O> extends KeyedProcessFunction<K, I, O> {
    private static final long serialVersionUID = 1L;

    /** Called once by the task, before all else. */
    protected abstract void opened() throws Exception;

    @Override
    public final void open(OpenContext unused) throws Exception {
        opened();
    }
}
