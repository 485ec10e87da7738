// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.table.runtime.operators;

import org.apache.flink.streaming.api.operators.AbstractStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.OneInputStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.StreamMap;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;

/** Stands in for that of the Table API, of which the name counts. Its operator is never made. */
public final class TableKeyedAsyncWaitOperatorFactory extends AbstractStreamOperatorFactory<Long>
        implements OneInputStreamOperatorFactory<Long, Long> {
    private static final long serialVersionUID = 1L;

    @Override
    public <T extends StreamOperator<Long>> T createStreamOperator(
            StreamOperatorParameters<Long> parameters) {
        throw new UnsupportedOperationException("no job runs");
    }

    @Override
    @SuppressWarnings("rawtypes")
    public Class<? extends StreamOperator> getStreamOperatorClass(ClassLoader classLoader) {
        return StreamMap.class;
    }
}
