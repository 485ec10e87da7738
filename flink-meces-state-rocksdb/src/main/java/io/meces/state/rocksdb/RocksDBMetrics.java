/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

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
