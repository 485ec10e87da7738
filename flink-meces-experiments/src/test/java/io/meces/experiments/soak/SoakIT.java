// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.experiments.cluster.FlinkCluster.StateBackendKind;
import io.meces.experiments.cluster.Installation;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import javax.annotation.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Soaks with real processes. The Maven property {@code soak.minutes} says how long the random one
 * takes, {@code soak.seed} what it does, {@code soak.state-backend} whether its state is on the
 * {@code heap} or in {@code rocksdb}.
 */
@Tag("full")
class SoakIT {
    private static final Logger LOG = LoggerFactory.getLogger(SoakIT.class);

    @Test
    @Timeout(value = 12, unit = TimeUnit.HOURS)
    void everyRecordIsCountedOnceWhateverHappens() throws Exception {
        SoakOptions options = options("random");
        options.minutes = Double.parseDouble(System.getProperty("soak.minutes"));
        options.seed = Long.valueOf(System.getProperty("soak.seed"));
        options.stateBackend =
                StateBackendKind.valueOf(
                        System.getProperty("soak.state-backend", "heap").toUpperCase(Locale.ROOT));
        run(options, null);
    }

    @Test
    @Timeout(value = 15, unit = TimeUnit.MINUTES)
    void transactionsOfASubtaskThatCameUnderTheIndexOfAnotherAreItsOwn() throws Exception {
        SoakOptions options = options("transactions");
        options.taskManagers = 2;
        Iterator<SoakAction> script =
                Arrays.asList(
                                // the third subtask leaves its transactional ids in list state,
                                SoakAction.rescale(0, 3),
                                SoakAction.rescale(0, 2),
                                // and another third one begins, before any restart
                                SoakAction.rescale(0, 3),
                                SoakAction.kill(0, 0),
                                SoakAction.rescale(0, 4),
                                SoakAction.kill(0, 1),
                                // restarts in the middle of scale-outs
                                SoakAction.rescale(0, 2),
                                SoakAction.rescale(0, 4).withKill(300, 1),
                                SoakAction.rescale(0, 3),
                                SoakAction.rescale(0, 4).withKill(600, 0),
                                // what leaves has been committed
                                SoakAction.rescale(0, 1),
                                SoakAction.rescale(0, 3),
                                SoakAction.rescale(0, 1).withKill(400, 1),
                                SoakAction.rescale(2_000, 2))
                        .iterator();
        Soak soak = run(options, () -> script.hasNext() ? script.next() : null);
        assertThat(soak.count(event -> event.killed)).isEqualTo(5);
        assertThat(soak.count(SoakAction.Kind.RESCALE, "FINISHED")).isEqualTo(soak.rescales());
    }

    private static SoakOptions options(String name) {
        SoakOptions options = new SoakOptions();
        options.rate = 500;
        options.keys = 2_000;
        options.pauseMillis = 2_000;
        options.seed = 1L;
        options.report = Paths.get("target", "it", "soak-" + name, "report.json").toAbsolutePath();
        return options;
    }

    private static Soak run(SoakOptions options, @Nullable Supplier<SoakAction> script)
            throws Exception {
        Path home = Paths.get(System.getProperty("meces.home"));
        StringWriter text = new StringWriter();
        Soak soak = new Soak(options, new Installation(home), new PrintWriter(text), script);
        try {
            soak.run();
        } finally {
            LOG.info("{}", text);
        }
        assertThat(soak.isSuccess()).as(text.toString()).isTrue();
        assertThat(soak.rescales()).isPositive();
        assertThat(options.report).isNotEmptyFile();
        assertThat(options.report.resolveSibling("report.png")).isNotEmptyFile();
        return soak;
    }
}
