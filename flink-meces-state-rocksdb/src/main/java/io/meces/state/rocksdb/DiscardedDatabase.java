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

import java.util.Collection;
import javax.annotation.Nullable;
import org.apache.flink.contrib.streaming.state.RocksDBNativeMetricOptions;
import org.apache.flink.contrib.streaming.state.RocksDBOptionsFactory;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.ReadOptions;
import org.rocksdb.WriteOptions;

/**
 * The options of a job, but for one: a database is not flushed when it is closed, as Flink deletes
 * it then. Were it flushed, the end of a task would take longer, and on a disk that is full it
 * would never come: RocksDB 5.17 waits in its destructor for a flush that failed for good.
 *
 * <p>Immutable and serializable.
 */
final class DiscardedDatabase implements RocksDBOptionsFactory {

    private static final long serialVersionUID = 1L;

    @Nullable private final RocksDBOptionsFactory job;

    private DiscardedDatabase(@Nullable RocksDBOptionsFactory job) {
        this.job = job;
    }

    /**
     * The options with that one changed.
     *
     * @param job what the job, or the cluster, has configured
     */
    static RocksDBOptionsFactory with(@Nullable RocksDBOptionsFactory job) {
        return job instanceof DiscardedDatabase ? job : new DiscardedDatabase(job);
    }

    @Override
    public DBOptions createDBOptions(DBOptions current, Collection<AutoCloseable> handlesToClose) {
        DBOptions options = job == null ? current : job.createDBOptions(current, handlesToClose);
        return options.setAvoidFlushDuringShutdown(true);
    }

    @Override
    public ColumnFamilyOptions createColumnOptions(
            ColumnFamilyOptions current, Collection<AutoCloseable> handlesToClose) {
        return job == null ? current : job.createColumnOptions(current, handlesToClose);
    }

    @Override
    public RocksDBNativeMetricOptions createNativeMetricsOptions(
            RocksDBNativeMetricOptions current) {
        return job == null ? current : job.createNativeMetricsOptions(current);
    }

    @Override
    public WriteOptions createWriteOptions(
            WriteOptions current, Collection<AutoCloseable> handlesToClose) {
        return job == null ? current : job.createWriteOptions(current, handlesToClose);
    }

    @Override
    public ReadOptions createReadOptions(
            ReadOptions current, Collection<AutoCloseable> handlesToClose) {
        return job == null ? current : job.createReadOptions(current, handlesToClose);
    }
}
