// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.meces.runtime.MecesOptions;
import io.meces.runtime.testing.MecesMiniCluster;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.SavepointRestoreSettings;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * State that has gone through Kryo of Flink 1. The savepoint is of {@code KryoStateTest}, run by
 * Flink 1.20.5.
 */
@Tag("full")
@Timeout(120)
class EarlierKryoTest {

    @TempDir private Path savepoint;

    private final Ledger ledger = new Ledger();

    @BeforeEach
    void copySavepoint() throws Exception {
        try (InputStream in = getClass().getResourceAsStream("/kryo-state-of-1.20/_metadata")) {
            Files.copy(in, savepoint.resolve("_metadata"));
        }
    }

    private JobGraph job() {
        JobGraph job = Years.job(ledger);
        job.setSavepointRestoreSettings(
                SavepointRestoreSettings.forPath(savepoint.toUri().toString()));
        return job;
    }

    @Test
    void isRefusedByName() throws Exception {
        try (MecesMiniCluster cluster = Clusters.start(1, 4, new Configuration())) {
            assertThatThrownBy(() -> cluster.submit(job()))
                    .hasStackTraceContaining(
                            " is of a Flink 1, whose Kryo has written state 'year'"
                                    + " (java.time.Year). Flink 2 has another Kryo")
                    .hasStackTraceContaining("meces.rescale.earlier-kryo: ACCEPT");
        }
    }

    /** As a stock Flink reads it. */
    @Test
    void isAcceptedByRequestAndReadAsOtherValues() throws Exception {
        Configuration accept = new Configuration();
        accept.set(MecesOptions.EARLIER_KRYO, MecesOptions.EarlierKryoUse.ACCEPT);
        try (MecesMiniCluster cluster = Clusters.start(1, 4, accept)) {
            cluster.submit(job());
            ledger.awaitResults(1_000);
            assertThat(ledger.verdict().violations).contains("the year 4052");
        }
    }
}
