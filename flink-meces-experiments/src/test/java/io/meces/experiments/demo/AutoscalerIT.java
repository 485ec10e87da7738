// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.meces.experiments.cluster.FlinkLine;
import io.meces.experiments.cluster.Installation;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.annotation.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Flink's own autoscaler rescales a job by our REST interface; real processes. */
@Tag("full")
class AutoscalerIT {
    private static final Logger LOG = LoggerFactory.getLogger(AutoscalerIT.class);

    /** One of them, where parts of a matrix are run. */
    static List<String> lines() {
        List<String> lines = Arrays.asList("1.12", "1.20", "2.3");
        Collections.shuffle(lines);
        return Integer.getInteger("sample.size", 0) == 0 ? lines : lines.subList(0, 1);
    }

    @ParameterizedTest
    @MethodSource("lines")
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void aJobIsScaledOutAndInExactlyAndWithoutARestart(String line) throws Exception {
        rescaled(line, "autoscaler-" + line, null);
    }

    /**
     * By Flink's own main, of whatever release, where {@code autoscaler.jar} says where it is: it
     * is published as source alone.
     */
    @ParameterizedTest
    @MethodSource("lines")
    @EnabledIfSystemProperty(named = "autoscaler.jar", matches = ".+")
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void soDoesFlinksOwnMain(String line) throws Exception {
        assumeFalse(line.equals("1.12"), "it asks for what a Flink 1.12 does not tell");
        rescaled(
                line,
                "standalone-autoscaler-" + line,
                Paths.get(System.getProperty("autoscaler.jar")));
    }

    private static void rescaled(String line, String directory, @Nullable Path autoscaler)
            throws Exception {
        AutoscalerOptions options = new AutoscalerOptions();
        options.autoscaler = autoscaler;
        options.flink = line;
        options.seconds = 100;
        options.report = Paths.get("target", "it", directory, "report.json").toAbsolutePath();
        StringWriter text = new StringWriter();
        AutoscalerDemo demo =
                new AutoscalerDemo(
                        options,
                        new Installation(
                                Paths.get(System.getProperty("meces.home")), FlinkLine.of(line)),
                        new PrintWriter(text));
        demo.run();
        LOG.info("{}", text);
        assertThat(demo.result().verdict.isExact()).as(text.toString()).isTrue();
        assertThat(demo.result().health.wasRestarted()).isFalse();
        assertThat(demo.finished(run -> run.to > run.from)).isPositive();
        assertThat(demo.finished(run -> run.to < run.from)).isPositive();
        assertThat(demo.isSuccess()).as(text.toString()).isTrue();
        assertThat(options.report.resolveSibling("autoscaler.png")).isNotEmptyFile();
    }
}
