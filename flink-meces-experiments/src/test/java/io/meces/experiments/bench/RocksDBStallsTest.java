// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.experiments.measure.Interval;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.contrib.streaming.state.RocksDBStateBackend;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.FlushOptions;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;

class RocksDBStallsTest {

    /** As RocksDB 5.17 writes them: two stalls and a stop among other things. */
    static final List<String> LINES =
            Arrays.asList(
                    "2023/11/14-22:13:22.500000 7f01 [WARN] [/column_family.cc:793] [_timer] Stalling"
                            + " writes because we have 20 level-0 files rate 16777216",
                    "2023/11/14-22:13:25.000001 7f01 [WARN] [/column_family.cc:743] [count] Stopping"
                            + " writes because we have 2 immutable memtables (waiting for flush)",
                    "2023/11/14-22:13:25.100000 7f01 [WARN] [/db_impl.cc:1] Something else",
                    "2023/11/14-22:13:25.900000 7f01 [WARN] [/column_family.cc:793] [count] Stalling"
                            + " writes because we have 20 level-0 files rate 16777216",
                    "RocksDB version: 5.17.2");

    @TempDir private Path directory;

    static void write(Path log, List<String> lines) throws IOException {
        Files.write(log, lines, StandardCharsets.US_ASCII);
    }

    @Test
    void stallsAreTakenFromAllLogs() throws Exception {
        Path logs = Files.createDirectories(directory.resolve("rocksdb"));
        write(logs.resolve("tmp_a_db_LOG"), LINES);
        write(logs.resolve("tmp_b_db_LOG.old.123"), LINES);

        RocksDBStalls stalls = RocksDBStalls.read(directory, ZoneOffset.UTC);

        long second = 1_700_000_000_000_000L;
        assertThat(stalls.within(new Interval(second, second + 5_000_000))).isEqualTo(2);
        assertThat(stalls.within(new Interval(second + 5_000_000, second + 6_000_000)))
                .isEqualTo(4);
        assertThat(stalls.within(new Interval(0, second))).isZero();
    }

    @Test
    void nothingIsKnownWithoutLogs() throws Exception {
        assertThat(RocksDBStalls.read(directory, ZoneOffset.UTC)).isNull();

        Files.createDirectories(directory.resolve("rocksdb"));
        assertThat(RocksDBStalls.read(directory, ZoneOffset.UTC)).isNull();
    }

    @Test
    void theOptionsFactoryOfAUserStays() throws Exception {
        assertThat(
                        RocksDBStalls.logged(
                                directory,
                                Collections.singletonMap(
                                        "state.backend.rocksdb.options-factory", "org.example.F")))
                .isEmpty();
        assertThat(RocksDBStalls.read(directory, ZoneOffset.UTC)).isNull();
    }

    /** By the RocksDB that Flink has, and as Flink configures it. */
    @Test
    void aStallOfRocksDBItselfIsSeen() throws Exception {
        Map<String, String> config = RocksDBStalls.logged(directory, Collections.emptyMap());
        RocksDBStateBackend backend =
                new RocksDBStateBackend(directory.toUri())
                        .configure(Configuration.fromMap(config), getClass().getClassLoader());
        RocksDB.loadLibrary();
        Instant before = Instant.now();
        Path database = directory.resolve("database");
        try (DBOptions options =
                        backend.getRocksDBOptions()
                                .createDBOptions(new DBOptions(), Collections.emptyList());
                ColumnFamilyOptions columns = new ColumnFamilyOptions();
                Options all = new Options(options, columns);
                FlushOptions flush = new FlushOptions()) {
            all.setCreateIfMissing(true)
                    .setLevelZeroSlowdownWritesTrigger(1)
                    .setLevelZeroFileNumCompactionTrigger(1);
            try (RocksDB db = RocksDB.open(all, database.toString())) {
                ColumnFamilyHandle family = db.getDefaultColumnFamily();
                for (byte i = 0; i < 3; i++) {
                    db.put(family, new byte[] {i}, new byte[] {i});
                    db.flush(flush);
                }
            }
        }

        long micros = before.toEpochMilli() * 1_000;
        assertThat(
                        RocksDBStalls.read(directory, ZoneId.systemDefault())
                                .within(new Interval(micros, Long.MAX_VALUE)))
                .isPositive();
    }
}
