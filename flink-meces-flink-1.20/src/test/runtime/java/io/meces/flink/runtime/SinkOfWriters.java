// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;

/** A sink of tests, whose writers need no context. */
public interface SinkOfWriters<T> extends Sink<T> {

    SinkWriter<T> writer();

    @Override
    @SuppressWarnings("deprecation")
    default SinkWriter<T> createWriter(InitContext context) {
        return writer();
    }
}
