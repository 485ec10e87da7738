// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.flink.runtime.Savepoints;
import io.meces.runtime.testing.MecesMiniCluster;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.SavepointRestoreSettings;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** State that has gone through Kryo of the same line of Flink. */
@Tag("full")
@Timeout(120)
class KryoStateTest {

    @TempDir private Path directory;

    private final Ledger ledger = new Ledger();

    /** With -Dsavepoints the savepoint is kept there: {@code EarlierKryoTest} has such a one. */
    @Test
    void isRestored() throws Exception {
        String folder =
                Paths.get(System.getProperty("savepoints", directory.toString()))
                        .toUri()
                        .toString();
        try (MecesMiniCluster cluster = Clusters.start(1, 4, new Configuration())) {
            JobID before = cluster.submit(Years.job(ledger));
            ledger.awaitResults(1_000);
            String savepoint =
                    Savepoints.take(cluster.flink(), before, folder, true)
                            .get(60, TimeUnit.SECONDS);
            cluster.flink().requestJobResult(before).get(60, TimeUnit.SECONDS);
            JobGraph after = Years.job(ledger);
            after.setSavepointRestoreSettings(SavepointRestoreSettings.forPath(savepoint));
            cluster.submit(after);
            ledger.awaitResults(1_000);
            assertThat(ledger.verdict().violations).isEmpty();
        }
    }
}
