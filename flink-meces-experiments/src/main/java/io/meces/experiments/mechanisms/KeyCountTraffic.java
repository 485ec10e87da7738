// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.mechanisms;

import io.meces.examples.keycount.CountResult;
import io.meces.experiments.harness.CountResults;
import io.meces.experiments.harness.ExactnessVerifier;
import io.meces.experiments.harness.JobTopics;
import io.meces.experiments.harness.KeyDistribution;
import io.meces.experiments.harness.LoadGenerator;
import io.meces.experiments.harness.ResultReader;
import io.meces.experiments.harness.Samples;
import io.meces.experiments.run.Watchdog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import javax.annotation.Nullable;

/** The events of the key-count job, and its counts. */
final class KeyCountTraffic implements Traffic {
    private static final long SURGE_LEAD_SECONDS = 3;

    private final KeyCountOptions options;
    private final LoadGenerator generator;
    private final ResultReader<Counts> reader;

    KeyCountTraffic(KeyCountOptions options, JobTopics topics, Watchdog watchdog) {
        this.options = options;
        this.generator =
                new LoadGenerator(
                        topics.bootstrapServers,
                        topics.input,
                        topics.partitions,
                        options.keys(),
                        watchdog);
        this.reader =
                new ResultReader<>(
                        topics.bootstrapServers,
                        topics.output,
                        topics.partitions,
                        new Counts(options.keys()),
                        watchdog,
                        false);
    }

    @Override
    public void prefill() throws Exception {
        generator.preload(reader, options.payloadBytes);
    }

    @Override
    public long start() {
        LongSupplier keys = options.distribution().sampler(options.keys(), options.seed);
        LongSupplier markers = KeyDistribution.UNIFORM.sampler(options.keys(), ~options.seed);
        int rate = options.rate();
        int recordsPerMarker = options.recordsPerMarker();
        long surgeStart = surgeStart();
        long surgeEnd = surgeStart + (long) options.surgeSeconds * rate;
        return generator.start(
                rate,
                (index, dueMicros, event) -> {
                    event.accept((int) keys.getAsLong(), false);
                    if (index >= surgeStart && index < surgeEnd) {
                        event.accept((int) keys.getAsLong(), false);
                    }
                    if (index % recordsPerMarker == 0) {
                        event.accept((int) markers.getAsLong(), true);
                    }
                });
    }

    /** The position from which on the rate is doubled; never reached without back pressure. */
    private long surgeStart() {
        if (options.scenario() != Scenario.BACK_PRESSURE) {
            return Long.MAX_VALUE / 2;
        }
        long seconds = options.warmUpSeconds + options.steadySeconds - SURGE_LEAD_SECONDS;
        return Math.max(0, seconds) * options.rate();
    }

    @Override
    public long stop(Duration timeout) throws InterruptedException, TimeoutException {
        return generator.stop(timeout);
    }

    @Override
    public boolean drain(Duration stall, Duration timeout) throws Exception {
        return reader.await(generator.sent(), stall, timeout);
    }

    @Override
    public void finish(Duration timeout) throws InterruptedException, TimeoutException {
        reader.finish(timeout);
    }

    @Override
    public Samples results() {
        return reader.results().samples();
    }

    @Override
    public Samples markers() {
        return reader.results().markers;
    }

    @Override
    public Stages stages() {
        return reader.results().stages;
    }

    @Override
    public Exactness exactness(@Nullable Long stopped) {
        ExactnessVerifier.Verdict verdict =
                reader.results().verifier().verdict(generator.sentPerKey());
        long repeated =
                stopped == null
                        ? 0
                        : reader.results().duplicates.stream()
                                .filter(times -> times[0] < stopped && times[1] >= stopped)
                                .count();
        return new Exactness(
                verdict.records,
                verdict.results,
                verdict.lost,
                verdict.duplicated - repeated,
                repeated,
                verdict.reordered,
                verdict.unknown,
                verdict.duplicated == repeated && verdict.isExactBesidesDuplicates()
                        ? Collections.emptyList()
                        : verdict.examples);
    }

    @Override
    public void close() {
        reader.close();
        generator.close();
    }

    /** Counts, with the markers among them and the stages of their way. */
    private static final class Counts extends CountResults {
        private final Samples markers = new Samples();
        private final Stages stages = new Stages();

        /** Of results that came twice: when the record was due, when it was counted again. */
        private final List<long[]> duplicates = new ArrayList<>();

        Counts(int keys) {
            super(keys);
        }

        @Override
        protected void measured(CountResult result, long appendMillis, boolean duplicate) {
            if (duplicate) {
                duplicates.add(new long[] {result.intendedMicros, result.processedMicros});
                return;
            }
            if (result.marker) {
                markers.add(result.intendedMicros, appendMillis);
            }
            stages.add(
                    result.intendedMicros,
                    result.readMicros,
                    result.processedMicros,
                    (appendMillis + 1) * 1_000L);
        }
    }
}
