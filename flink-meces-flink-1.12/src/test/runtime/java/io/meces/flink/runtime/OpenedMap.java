// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.configuration.Configuration;

/** A function of tests for records. */
public abstract class OpenedMap<I, O> extends RichMapFunction<I, O> {
    private static final long serialVersionUID = 1L;

    /** Called once by the task, before all else. */
    protected abstract void opened() throws Exception;

    @Override
    public final void open(Configuration unused) throws Exception {
        opened();
    }
}
