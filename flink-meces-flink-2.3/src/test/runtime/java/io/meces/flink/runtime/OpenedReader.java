// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.state.api.functions.KeyedStateReaderFunction;

/** Reads keys of a savepoint, of which there are those that have a state asked for at first. */
public abstract class OpenedReader<K, T> extends KeyedStateReaderFunction<K, T> {
    private static final long serialVersionUID = 1L;

    protected abstract void opened() throws Exception;

    @Override
    public final void open(OpenContext unused) throws Exception {
        opened();
    }
}
