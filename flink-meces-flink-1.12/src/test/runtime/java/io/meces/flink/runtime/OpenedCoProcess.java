// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.functions.co.KeyedCoProcessFunction;

/** A function of tests for keyed records of two inputs. */
public abstract class OpenedCoProcess<K, A, B, O> extends KeyedCoProcessFunction<K, A, B, O> {
    private static final long serialVersionUID = 1L;

    /** Called once by the task, before all else. */
    protected abstract void opened() throws Exception;

    @Override
    public final void open(Configuration unused) throws Exception {
        opened();
    }
}
