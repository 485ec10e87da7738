// SPDX-License-Identifier: Apache-2.0
package io.meces.examples.rocksdb;

import java.util.Collection;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.contrib.streaming.state.ConfigurableRocksDBOptionsFactory;
import org.apache.flink.contrib.streaming.state.RocksDBOptionsFactory;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.InfoLogLevel;

/**
 * Has RocksDB write its warnings to files, which Flink 1.12 turns off: when it slows down or stops
 * writes, and why. For {@code state.backend.rocksdb.options-factory}.
 */
public final class LogWarnings implements ConfigurableRocksDBOptionsFactory {
    private static final long serialVersionUID = 1L;

    /** The option for the directory of the files, one for each database; it is there already. */
    public static final String DIRECTORY_KEY = "meces.examples.rocksdb-log-directory";

    private static final ConfigOption<String> DIRECTORY =
            ConfigOptions.key(DIRECTORY_KEY).stringType().noDefaultValue();

    private String directory;

    @Override
    public RocksDBOptionsFactory configure(ReadableConfig config) {
        directory =
                config.getOptional(DIRECTORY)
                        .orElseThrow(
                                () ->
                                        new IllegalArgumentException(
                                                DIRECTORY_KEY
                                                        + " has to name a directory for the logs of"
                                                        + " RocksDB."));
        return this;
    }

    @Override
    public DBOptions createDBOptions(DBOptions options, Collection<AutoCloseable> handlesToClose) {
        return options.setInfoLogLevel(InfoLogLevel.WARN_LEVEL).setDbLogDir(directory);
    }

    @Override
    public ColumnFamilyOptions createColumnOptions(
            ColumnFamilyOptions options, Collection<AutoCloseable> handlesToClose) {
        return options;
    }
}
