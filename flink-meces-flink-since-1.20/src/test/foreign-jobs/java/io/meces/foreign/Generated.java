// SPDX-License-Identifier: Apache-2.0
package io.meces.foreign;

import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.LockSupport;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.connector.source.util.ratelimit.RateLimiter;
import org.apache.flink.api.connector.source.util.ratelimit.RateLimiterStrategy;
import org.apache.flink.api.java.tuple.Tuple4;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.connector.datagen.source.GeneratorFunction;
import org.apache.flink.streaming.api.datastream.DataStream;

/**
 * Flink's generator (FLIP-27) of the records of a {@link Run}, which its rate limiter holds back as
 * the {@link Feed} says.
 */
final class Generated {

    /** By how many ms a timestamp may be below that of an earlier record. */
    private static final Duration LATENESS = Duration.ofMillis(60);

    private Generated() {}

    static WatermarkStrategy<Tuple4<Long, Integer, Integer, Long>> watermarks() {
        return WatermarkStrategy.<Tuple4<Long, Integer, Integer, Long>>forBoundedOutOfOrderness(
                        LATENESS)
                .withTimestampAssigner((event, before) -> event.f3);
    }

    static DataStream<Tuple4<Long, Integer, Integer, Long>> events(
            Run run, String name, int subtasks) {
        return events(run, name, subtasks, watermarks());
    }

    static DataStream<Tuple4<Long, Integer, Integer, Long>> events(
            Run run,
            String name,
            int subtasks,
            WatermarkStrategy<Tuple4<Long, Integer, Integer, Long>> watermarks) {
        run.feed.expect(subtasks);
        return run.env
                .fromSource(
                        new DataGeneratorSource<>(
                                new Records(new Run.Events(name.hashCode()), subtasks),
                                Run.RECORDS,
                                new Limits(run.feed.name, name, Run.RECORDS),
                                Run.EVENT),
                        watermarks,
                        name)
                .setParallelism(subtasks);
    }

    /**
     * The numbers of a subtask follow each other; its records are spread over all of event time.
     */
    private static final class Records
            implements GeneratorFunction<Long, Tuple4<Long, Integer, Integer, Long>> {
        private static final long serialVersionUID = 1L;

        /** So many records come at once. */
        private static final int BURST = 20;

        private static final long PAUSE_NANOS = 4_000_000;

        private final Run.Events events;
        private final long perSubtask;
        private final int subtasks;

        private Records(Run.Events events, int subtasks) {
            this.events = events;
            this.perSubtask = Run.RECORDS / subtasks;
            this.subtasks = subtasks;
        }

        @Override
        public Tuple4<Long, Integer, Integer, Long> map(Long number) {
            if (number % BURST == 0) {
                LockSupport.parkNanos(PAUSE_NANOS);
            }
            return events.record(number % perSubtask * subtasks + number / perSubtask);
        }
    }

    private static final class Limits implements RateLimiterStrategy {
        private static final long serialVersionUID = 1L;
        private final String feed;
        private final String source;
        private final long records;

        private Limits(String feed, String source, long records) {
            this.feed = feed;
            this.source = source;
            this.records = records;
        }

        @Override
        public RateLimiter createRateLimiter(int parallelism) {
            return new Limit(
                    Feed.named(feed), source + " " + UUID.randomUUID(), records / parallelism);
        }
    }

    /** Of one subtask. Owned by its task thread. */
    private static final class Limit implements RateLimiter {
        private final Feed feed;
        private final String subtask;
        private final long records;
        private long asked;

        private Limit(Feed feed, String subtask, long records) {
            this.feed = feed;
            this.subtask = subtask;
            this.records = records;
        }

        @Override
        public CompletionStage<Void> acquire() {
            return acquire(1);
        }

        /** Some lines ask for several records at once. */
        public CompletionStage<Void> acquire(int number) {
            long portion = Math.min(asked * feed.portions / records, feed.portions - 1L);
            asked += number;
            return feed.whenOpen(subtask, (int) portion);
        }
    }
}
