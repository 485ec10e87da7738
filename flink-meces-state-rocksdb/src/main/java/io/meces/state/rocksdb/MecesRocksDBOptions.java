// SPDX-License-Identifier: Apache-2.0
package io.meces.state.rocksdb;

import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.IllegalConfigurationException;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.ReadableConfig;

/** The options of state in RocksDB, as they stand in {@code flink-conf.yaml}. */
public final class MecesRocksDBOptions {

    /** See {@link MovedRows}. */
    public static final ConfigOption<MemorySize> FILES_FROM =
            ConfigOptions.key("meces.state.rocksdb.files-from")
                    .memoryType()
                    .defaultValue(MemorySize.parse("512 kb"))
                    .withDescription(
                            "From what size on rows that come to a subtask in a rescale become a"
                                    + " file that RocksDB takes over, instead of going through"
                                    + " memtables. Above 8 mb none does.");

    private MecesRocksDBOptions() {}

    /**
     * The configured size, in bytes.
     *
     * @throws IllegalConfigurationException naming the key, if it is no size
     */
    static long filesFrom(ReadableConfig config) {
        try {
            return config.get(FILES_FROM).getBytes();
        } catch (IllegalArgumentException e) {
            throw new IllegalConfigurationException(
                    FILES_FROM.key() + " must be a size, as " + FILES_FROM.defaultValue(), e);
        }
    }
}
