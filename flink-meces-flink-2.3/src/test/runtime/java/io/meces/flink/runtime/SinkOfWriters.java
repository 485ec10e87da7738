// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;

/** A sink of tests, whose writers need no context. */
public interface SinkOfWriters<T> extends Sink<T> {

    SinkWriter<T> writer();

    @Override
    default SinkWriter<T> createWriter(WriterInitContext context) {
        return writer();
    }
}
