// SPDX-License-Identifier: Apache-2.0
package io.meces.foreign;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.apache.flink.api.connector.sink.Committer;
import org.apache.flink.api.connector.sink.GlobalCommitter;
import org.apache.flink.api.connector.sink.Sink;
import org.apache.flink.api.connector.sink.SinkWriter;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/** Writes what it has collected at each checkpoint; it has neither state nor a committer. */
final class BatchSink implements Sink<String, Serializable, Void, Void> {
    private static final long serialVersionUID = 1L;
    private final String results;

    BatchSink(String results) {
        this.results = results;
    }

    @Override
    public SinkWriter<String, Serializable, Void> createWriter(
            InitContext context, List<Void> states) {
        return new SinkWriter<String, Serializable, Void>() {
            private final List<String> batch = new ArrayList<>();

            @Override
            public void write(String line, Context lineContext) {
                batch.add(line);
            }

            @Override
            public List<Serializable> prepareCommit(boolean flush) {
                batch.forEach(Results.named(results)::add);
                batch.clear();
                return Collections.emptyList();
            }

            @Override
            public List<Void> snapshotState() {
                return Collections.emptyList();
            }

            @Override
            public void close() {
                batch.clear();
            }
        };
    }

    @Override
    public Optional<Committer<Serializable>> createCommitter() {
        return Optional.empty();
    }

    @Override
    public Optional<GlobalCommitter<Serializable, Void>> createGlobalCommitter() {
        return Optional.empty();
    }

    @Override
    public Optional<SimpleVersionedSerializer<Serializable>> getCommittableSerializer() {
        return Optional.empty();
    }

    @Override
    public Optional<SimpleVersionedSerializer<Void>> getGlobalCommittableSerializer() {
        return Optional.empty();
    }

    @Override
    public Optional<SimpleVersionedSerializer<Void>> getWriterStateSerializer() {
        return Optional.empty();
    }
}
