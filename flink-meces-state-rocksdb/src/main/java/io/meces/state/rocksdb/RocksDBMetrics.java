// SPDX-License-Identifier: Apache-2.0
package io.meces.state.rocksdb;

import java.util.function.IntSupplier;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;

/** What migrations cost a backend, as metrics of its operator in the group {@code meces}. */
final class RocksDBMetrics {

    private final Counter extracted;
    private final Counter installed;
    private final Counter ingested;
    private final Counter pauses;

    RocksDBMetrics(MetricGroup operator, IntSupplier pendingCompactions) {
        MetricGroup group = operator.addGroup("meces");
        extracted = group.counter("rocksdbBytesExtracted");
        installed = group.counter("rocksdbBytesInstalled");
        ingested = group.counter("rocksdbBytesIngested");
        pauses = group.counter("rocksdbPauses");
        group.gauge("rocksdbCompactionsPending", (Gauge<Integer>) pendingCompactions::getAsInt);
    }

    void extracted(long bytes) {
        extracted.inc(bytes);
    }

    void installed(long bytes) {
        installed.inc(bytes);
    }

    /** Of what is installed what RocksDB took over as files. */
    void ingested(long bytes) {
        ingested.inc(bytes);
    }

    /** The background has to wait, or RocksDB would slow down records. */
    void paused() {
        pauses.inc();
    }
}
