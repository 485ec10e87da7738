// SPDX-License-Identifier: Apache-2.0
package io.meces.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.runtime.MecesOptions;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Runs everything once, for a moment, so that it does not rot. */
class BenchmarksTest {

    @Test
    void allBenchmarksRun() throws Exception {
        Options options =
                new OptionsBuilder()
                        .include("io.meces.benchmarks.*")
                        .param("backend", Backends.FLINK, "3")
                        .param("keys", "1000")
                        .param("keysPerUnit", "1000")
                        .param("maxParallelism", "128", "256")
                        .forks(0)
                        .warmupIterations(0)
                        .measurementIterations(1)
                        .measurementTime(TimeValue.milliseconds(5))
                        .addProfiler(CpuTimeProfiler.class)
                        .shouldFailOnError(true)
                        .verbosity(VerboseMode.SILENT)
                        .build();

        Collection<RunResult> results = new Runner(options).run();

        // Fourteen with two backends each, two with and without timers, and five of two sizes.
        assertThat(results).hasSize(14 * 2 + 2 * 2 + 5 * 2);
        assertThat(results)
                .allSatisfy(
                        result ->
                                assertThat(result.getSecondaryResults())
                                        .containsKey(CpuTimeProfiler.LABEL));
    }

    @Test
    void movesOfADatabaseAreReported() throws Exception {
        StringWriter text = new StringWriter();

        RocksDBMove.print(new PrintWriter(text), 4);

        assertThat(text.toString())
                .containsPattern("\\| background, MB/s \\| [0-9.]+ \\|")
                .containsPattern("\\| the same after that \\| [0-9.]+ \\|");
    }

    @Test
    void heapPausesAndCompressionAreReported() throws Exception {
        StringWriter text = new StringWriter();
        PrintWriter out = new PrintWriter(text);

        HeapPerEntry.print(out, 1_000, 500);
        UnitPauses.print(out, 2, 50, 2);
        CompressionTable.print(out, 100, 2, 1L << 30, 1);

        assertThat(text.toString())
                .containsPattern("\\| 500 \\|( [-0-9.]+( \\([-+0-9.]+ %\\))? \\|){6}")
                .containsPattern("\\| install, values and timers \\|( [0-9.]+ \\|){6}")
                .containsPattern("\\| maps of 30 strings \\| ZSTD \\|( [0-9.]+ \\|){6}");
    }

    @Test
    void fetchesAndInputOutputAreReported(@TempDir Path directory) throws Exception {
        StringWriter text = new StringWriter();
        Map<Integer, FetchNode> nodes = new HashMap<>();
        FetchBenchmark.Nodes here =
                new FetchBenchmark.Nodes() {
                    @Override
                    public FetchNode node(int number) {
                        return nodes.computeIfAbsent(number, n -> new FetchNodeServer());
                    }

                    @Override
                    public Map<String, String> configuration(String service) {
                        return new HashMap<>(
                                Map.of(MecesOptions.TRANSITION_SERVICE.key(), service));
                    }

                    @Override
                    public long kafkaRecords() {
                        return 0;
                    }

                    @Override
                    public long redisCommands() {
                        return 0;
                    }
                };
        FetchBenchmark benchmark =
                new FetchBenchmark(new PrintWriter(text), directory, here, 20, 1);

        benchmark.fetch(List.of("local", "netty"), 1 << 10);
        benchmark.inputOutput(List.of("netty"), 1);
        benchmark.chunks(new int[] {16}, new int[] {2});

        assertThat(text.toString())
                .containsPattern("\\| local \\| 1 \\| background \\| 20 \\|( [0-9.]+ \\|){8}")
                .containsPattern("\\| netty \\| 1 \\| elsewhere \\| 20 \\|( [0-9.]+ \\|){8}")
                .containsPattern("\\| netty \\| 0 \\| 100 \\|( [0-9.]+ \\|){8}")
                .containsPattern("\\| 16 \\| 2 \\|( [0-9.]+ \\|){7}");
        assertThat(directory.resolve("fetch.csv")).content().hasLineCount(6);
    }
}
