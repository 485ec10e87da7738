// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live.matrix;

import java.util.function.BiFunction;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * A job with some kind of state, window or timer, whose results do not depend on how the records of
 * different keys interleave. Every record of a key comes in a determined order. Immutable.
 *
 * <p>The event time at which a record meets the watermark is not determined, in Flink as with us.
 * So a result must not depend on it.
 */
final class Scenario {

    static final int MAX_PARALLELISM = 32;

    /** The clock of state that expires, in the first {@link Feed#ROUND_B} rounds. */
    static final long CLOCK_AT_START = 1_000;

    /** The same in the rounds from {@link Feed#ROUND_B} to {@link Feed#ROUND_B2}. */
    static final long CLOCK_AT_B = 1_300;

    /** The same at the end. It is set while units travel. */
    static final long CLOCK_AT_B2 = 1_600;

    final String name;
    private final BiFunction<Feeds, String, DataStream<String>> pipeline;
    private final Feed.Times times;
    private final int linesToAwait;
    private final boolean sameBytes;

    private Scenario(
            String name,
            BiFunction<Feeds, String, DataStream<String>> pipeline,
            Feed.Times times,
            int linesToAwait,
            boolean sameBytes) {
        this.name = name;
        this.pipeline = pipeline;
        this.times = times;
        this.linesToAwait = linesToAwait;
        this.sameBytes = sameBytes;
    }

    /** A scenario whose pipeline is made of its records and the name of its run. */
    static Scenario of(String name, BiFunction<Feeds, String, DataStream<String>> pipeline) {
        return new Scenario(name, pipeline, Feed.Times.IN_ORDER, 0, true);
    }

    Scenario with(Feed.Times times) {
        return new Scenario(name, pipeline, times, linesToAwait, sameBytes);
    }

    /** Results come by the clock of the machine: the job ends when there are so many. */
    Scenario awaiting(int lines) {
        return new Scenario(name, pipeline, times, lines, false);
    }

    /** A savepoint's size depends on more than the records that have come. */
    Scenario withSavepointsOfAnySize() {
        return new Scenario(name, pipeline, times, linesToAwait, false);
    }

    int linesToAwait() {
        return linesToAwait;
    }

    /** Whether the savepoints of two runs at the same position are equally long. */
    boolean hasSameBytes() {
        return sameBytes;
    }

    void build(StreamExecutionEnvironment env, Run run) {
        Feeds feeds = new Feeds(env, run.name, times);
        DataStream<String> results = pipeline.apply(feeds, run.name);
        run.setSources(feeds.number * Feed.SUBTASKS);
        results.rebalance()
                .addSink(new Lines(run.name))
                .setParallelism(1)
                .name("lines")
                .uid("lines");
    }

    @Override
    public String toString() {
        return name;
    }

    /** The sources of a job. */
    static final class Feeds {
        private final StreamExecutionEnvironment env;
        private final String runName;
        private final Feed.Times times;
        private int number;

        private Feeds(StreamExecutionEnvironment env, String runName, Feed.Times times) {
            this.env = env;
            this.runName = runName;
            this.times = times;
        }

        /** Another source, of the same records. */
        DataStream<Event> next() {
            String id = "feed-" + number;
            return env.addSource(new Feed(runName, number++, times))
                    .returns(Event.class)
                    .setParallelism(Feed.SUBTASKS)
                    .name(id)
                    .uid(id);
        }
    }
}
