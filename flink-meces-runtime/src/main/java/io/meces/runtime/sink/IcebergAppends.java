// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.sink;

import java.util.Collection;
import javax.annotation.Nullable;
import org.apache.flink.util.function.ThrowingRunnable;

/**
 * The writer of Apache Iceberg's sink in a job that only adds rows. They show when a checkpoint is
 * complete, those of all subtasks together and in no order, so there is nothing to drain.
 *
 * <p>One with equality fields, which deletes rows by key, is not of this kind: such a delete does
 * not reach what another subtask writes for the same commit.
 */
final class IcebergAppends implements SinkDrain {

    private static final String SINK = "org.apache.iceberg.flink.sink.";
    private static final String WRITER = SINK + "IcebergStreamWriter";
    private static final String FACTORY = SINK + "RowDataTaskWriterFactory";

    @Override
    public boolean knows(Object sink) {
        if (ConnectorReflection.superclass(sink, WRITER) == null) {
            return false;
        }
        Object factory = ConnectorReflection.get(sink, WRITER, "taskWriterFactory");
        if (ConnectorReflection.superclass(factory, FACTORY) == null) {
            return false;
        }
        Object fields = ConnectorReflection.get(factory, FACTORY, "equalityFieldIds");
        return fields == null || ((Collection<?>) fields).isEmpty();
    }

    @Override
    @Nullable
    public ThrowingRunnable<Exception> workToDrain(Object sink) {
        return null;
    }
}
