// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.streaming.api.functions.sink.RichSinkFunction;

/** A sink of tests. */
public abstract class OpenedSink<T> extends RichSinkFunction<T> {
    private static final long serialVersionUID = 1L;

    /** Called once by the task, before all else. */
    protected abstract void opened() throws Exception;

    @Override
    public final void open(OpenContext unused) throws Exception {
        opened();
    }
}
