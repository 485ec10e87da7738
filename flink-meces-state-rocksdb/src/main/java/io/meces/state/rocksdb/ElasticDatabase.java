// SPDX-License-Identifier: Apache-2.0
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
 * The options of a job, but for two.
 *
 * <p>A database is not flushed when it is closed, as Flink deletes it then. Were it flushed, the
 * end of a task would take longer, and on a disk that is full it would never come: RocksDB 5.17
 * waits in its destructor for a flush that failed for good.
 *
 * <p>What is flushed and compacted goes to the disk bit by bit while it is written. Otherwise the
 * kernel gathers a whole file, of tens or hundreds of MB, and the disk is busy with nothing else
 * when the file is finished: records wait for what they read from it. What a rescale has put off is
 * many such files.
 *
 * <p>Immutable and serializable.
 */
final class ElasticDatabase implements RocksDBOptionsFactory {

    private static final long serialVersionUID = 1L;

    /** After so many bytes RocksDB asks the kernel to begin to write them. */
    static final long SYNC_BYTES = 1 << 20;

    @Nullable private final RocksDBOptionsFactory job;

    private ElasticDatabase(@Nullable RocksDBOptionsFactory job) {
        this.job = job;
    }

    /**
     * The options with those two changed. The job may say something else for the second one, also
     * that it is off.
     *
     * @param job what the job, or the cluster, has configured
     */
    static RocksDBOptionsFactory with(@Nullable RocksDBOptionsFactory job) {
        return job instanceof ElasticDatabase ? job : new ElasticDatabase(job);
    }

    @Override
    public DBOptions createDBOptions(DBOptions current, Collection<AutoCloseable> handlesToClose) {
        if (current.bytesPerSync() == 0) {
            current.setBytesPerSync(SYNC_BYTES);
        }
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
