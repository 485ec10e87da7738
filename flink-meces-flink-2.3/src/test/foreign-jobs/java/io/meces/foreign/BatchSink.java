// SPDX-License-Identifier: Apache-2.0
package io.meces.foreign;

import io.meces.flink.runtime.SinkOfWriters;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.connector.sink2.SinkWriter;

/** Writes what it has collected at each checkpoint; it has neither state nor a committer. */
final class BatchSink implements SinkOfWriters<String> {
    private static final long serialVersionUID = 1L;
    private final String results;

    BatchSink(String results) {
        this.results = results;
    }

    @Override
    public SinkWriter<String> writer() {
        return new SinkWriter<String>() {
            private final List<String> batch = new ArrayList<>();

            @Override
            public void write(String line, Context lineContext) {
                batch.add(line);
            }

            @Override
            public void flush(boolean endOfInput) {
                batch.forEach(Results.named(results)::add);
                batch.clear();
            }

            @Override
            public void close() {
                batch.clear();
            }
        };
    }
}
