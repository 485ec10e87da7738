// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.testing;

import org.apache.flink.streaming.api.operators.AbstractStreamOperator;

/** An operator that is told when it is disposed of, also in a task that is cancelled. */
public abstract class DisposedOperator<T> extends AbstractStreamOperator<T> {
    private static final long serialVersionUID = 1L;

    protected abstract void disposed() throws Exception;

    @Override
    public final void dispose() throws Exception {
        disposed();
        super.dispose();
    }
}
