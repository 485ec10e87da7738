// SPDX-License-Identifier: Apache-2.0
package io.meces.foreign;

import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.typeinfo.TypeHint;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple4;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** What a job is built with, once for each run: environment, sources and sink. For one thread. */
final class Run implements AutoCloseable {

    /** Number of the record, key, value, event time in ms. */
    static final TypeInformation<Tuple4<Long, Integer, Integer, Long>> EVENT =
            TypeInformation.of(new TypeHint<Tuple4<Long, Integer, Integer, Long>>() {});

    static final int PARALLELISM = 2;

    /** How many key-groups there are, and subtasks at most. */
    static final int MAX_PARALLELISM = 16;

    /** Records of a source. */
    static final long RECORDS = 3_000;

    /** Keys of a source, of which the first ones are more frequent. */
    static final int KEYS = 40;

    /** Between two records in event time, in ms. */
    static final long EVENT_TIME_STEP = 10;

    private static final long LATENESS = 60;

    final StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    final Results results = new Results();
    final Feed feed;

    Run(int portions) {
        feed = new Feed(portions, results);
        env.setParallelism(PARALLELISM);
        env.setMaxParallelism(MAX_PARALLELISM);
        env.setBufferTimeout(5);
        env.enableCheckpointing(200);
        if (Boolean.getBoolean("foreign.unaligned")) {
            env.getCheckpointConfig().enableUnalignedCheckpoints();
        }
    }

    /** One source subtask: the order of the records of a key is determined. */
    DataStream<Tuple4<Long, Integer, Integer, Long>> events(String name) {
        return events(name, 1);
    }

    /** Several source subtasks, each with records of all keys. */
    DataStream<Tuple4<Long, Integer, Integer, Long>> events(String name, int subtasks) {
        return source(name, new Events(name.hashCode()), EVENT, RECORDS, subtasks);
    }

    <T> SingleOutputStreamOperator<T> source(
            String name,
            FeedSource.Script<T> script,
            TypeInformation<T> type,
            long records,
            int subtasks) {
        feed.expect(subtasks);
        return env.addSource(
                        new FeedSource<>(feed.name, name, script, records, LATENESS), name, type)
                .setParallelism(subtasks);
    }

    /** Results in the order in which one subtask sees them. */
    <T> void collect(DataStream<T> stream) {
        stream.rebalance()
                .addSink(new Results.Sink<>(results.name))
                .setParallelism(1)
                .name("results");
    }

    /** Results of each key in the order in which one subtask sees them. */
    <T> void collect(DataStream<T> stream, MapFunction<T, Object> key) {
        collect(stream.map(result -> key.map(result) + ": " + result).returns(Types.STRING));
    }

    @Override
    public void close() {
        feed.close();
        results.close();
    }

    /** Random keys, of which small ones are frequent; timestamps up to 50 ms out of order. */
    static final class Events implements FeedSource.Script<Tuple4<Long, Integer, Integer, Long>> {
        private static final long serialVersionUID = 1L;
        private final int salt;

        Events(int salt) {
            this.salt = salt;
        }

        @Override
        public Tuple4<Long, Integer, Integer, Long> record(long number) {
            int key = Math.min(random(number, 1) % KEYS, random(number, 2) % KEYS);
            return Tuple4.of(number, key, random(number, 3) % 100, timestamp(number));
        }

        @Override
        public long timestamp(long number) {
            return 100 + number * EVENT_TIME_STEP - random(number, 4) % 6 * 10;
        }

        private int random(long number, int what) {
            long mixed = (number * 31 + what) * 0x9E3779B97F4A7C15L + salt;
            mixed = (mixed ^ mixed >>> 32) * 0xD6E8FEB86659FD93L;
            mixed = (mixed ^ mixed >>> 29) * 0xD6E8FEB86659FD93L;
            return (int) (mixed >>> 33);
        }
    }
}
