// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.bench;

import io.meces.examples.rocksdb.LogWarnings;
import io.meces.experiments.measure.Interval;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.annotation.Nullable;

/** When the logs of RocksDB tell that it slows down or stops writes; immutable. */
final class RocksDBStalls {
    private static final String OPTIONS_FACTORY = "state.backend.rocksdb.options-factory";

    /** By name: the command runs without RocksDB. */
    private static final String LOG_WARNINGS = "io.meces.examples.rocksdb.LogWarnings";

    /**
     * By RocksDB 5.17: {@code 2026/01/31-12:00:00.123456 7f01 [WARN] [...] [state] Stopping ...}
     */
    private static final Pattern STALL =
            Pattern.compile("(\\S{10}-\\S{15}) .*\\[WARN] .*(Stalling|Stopping) writes because .*");

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy/MM/dd-HH:mm:ss.SSSSSS");

    private static final String DIRECTORY = "rocksdb";

    private final List<Long> micros;

    private RocksDBStalls(List<Long> micros) {
        this.micros = Collections.unmodifiableList(micros);
    }

    /**
     * What has the databases of a cluster on this machine log their stalls, for its configuration;
     * nothing if a user has an options factory, as there can be one only.
     *
     * @param logs where the logs of the cluster go
     * @param config of the user
     */
    static Map<String, String> logged(Path logs, Map<String, String> config) throws IOException {
        if (config.containsKey(OPTIONS_FACTORY)) {
            return Collections.emptyMap();
        }
        Map<String, String> more = new HashMap<>();
        more.put(OPTIONS_FACTORY, LOG_WARNINGS);
        more.put(
                LogWarnings.DIRECTORY_KEY,
                Files.createDirectories(logs.resolve(DIRECTORY)).toString());
        return more;
    }

    /**
     * Reads the logs of the databases; null if there are none: they were not to have any, or the
     * path of a database is too long for the name of a file.
     *
     * @param logs where the logs of the cluster are
     * @param zone in which the databases ran
     */
    @Nullable
    static RocksDBStalls read(Path logs, ZoneId zone) throws IOException {
        Path directory = logs.resolve(DIRECTORY);
        if (!Files.isDirectory(directory)) {
            return null;
        }
        List<Long> micros = new ArrayList<>();
        boolean any = false;
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*LOG*")) {
            for (Path file : files) {
                any = true;
                for (String line : Files.readAllLines(file, StandardCharsets.ISO_8859_1)) {
                    Matcher stall = STALL.matcher(line);
                    if (stall.matches()) {
                        Instant time =
                                LocalDateTime.parse(stall.group(1), TIME).atZone(zone).toInstant();
                        micros.add(ChronoUnit.MICROS.between(Instant.EPOCH, time));
                    }
                }
            }
        }
        return any ? new RocksDBStalls(micros) : null;
    }

    /** How often they do within a time. */
    long within(Interval interval) {
        return micros.stream().filter(interval::contains).count();
    }
}
