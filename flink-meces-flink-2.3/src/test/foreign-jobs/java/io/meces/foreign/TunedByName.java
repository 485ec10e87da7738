// SPDX-License-Identifier: Apache-2.0
package io.meces.foreign;

import java.util.Collection;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.state.rocksdb.ConfigurableRocksDBOptionsFactory;
import org.apache.flink.state.rocksdb.RocksDBOptionsFactory;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.DBOptions;

/** A {@link TunedRocksDB} that the configuration names, which takes classes only. */
public final class TunedByName implements ConfigurableRocksDBOptionsFactory {
    private static final long serialVersionUID = 1L;

    static final ConfigOption<TunedRocksDB> NAME =
            ConfigOptions.key("foreign.tuned").enumType(TunedRocksDB.class).noDefaultValue();

    private TunedRocksDB options;

    @Override
    public RocksDBOptionsFactory configure(ReadableConfig configuration) {
        options = configuration.get(NAME);
        return this;
    }

    @Override
    public DBOptions createDBOptions(DBOptions current, Collection<AutoCloseable> handles) {
        return options.createDBOptions(current, handles);
    }

    @Override
    public ColumnFamilyOptions createColumnOptions(
            ColumnFamilyOptions current, Collection<AutoCloseable> handles) {
        return options.createColumnOptions(current, handles);
    }
}
