// SPDX-License-Identifier: Apache-2.0
package io.meces.foreign;

import static io.meces.foreign.Comparison.RESULTS;

import java.util.Arrays;
import java.util.List;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple4;
import org.apache.flink.streaming.api.datastream.IterativeStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;

/** Jobs with iterations, which later lines of Flink do not have. */
final class IterationJobs {

    /** How long an iteration waits for records before it ends. */
    private static final long ITERATION_WAIT_MS = 4_000;

    private IterationJobs() {}

    static List<ForeignJob> all() {
        return Arrays.asList(
                new ForeignJob("behind an iteration", RESULTS, IterationJobs::behindIteration),
                new ForeignJob("in an iteration", RESULTS, IterationJobs::inIteration));
    }

    private static void behindIteration(Run run) {
        run.env.getCheckpointConfig().disableCheckpointing();
        IterativeStream<Tuple4<Long, Integer, Integer, Long>> numbers =
                run.events("numbers").iterate(ITERATION_WAIT_MS);
        SingleOutputStreamOperator<Tuple4<Long, Integer, Integer, Long>> halved =
                numbers.map(IterationJobs::halve).returns(Run.EVENT).setParallelism(1);
        numbers.closeWith(halved.filter(e -> e.f2 > 0).setParallelism(1));
        run.collect(
                halved.filter(e -> e.f2 == 0)
                        .keyBy(e -> e.f1, Types.INT)
                        .process(new StreamJobs.Numbering()));
    }

    private static void inIteration(Run run) {
        run.env.getCheckpointConfig().disableCheckpointing();
        IterativeStream<Tuple4<Long, Integer, Integer, Long>> numbers =
                run.events("numbers").iterate(ITERATION_WAIT_MS);
        SingleOutputStreamOperator<Tuple4<Long, Integer, Integer, Long>> halved =
                numbers.keyBy(e -> e.f1, Types.INT)
                        .map(IterationJobs::halve)
                        .returns(Run.EVENT)
                        .setParallelism(1);
        numbers.closeWith(halved.filter(e -> e.f2 > 0).setParallelism(1));
        run.collect(halved.filter(e -> e.f2 == 0));
    }

    private static Tuple4<Long, Integer, Integer, Long> halve(
            Tuple4<Long, Integer, Integer, Long> event) {
        return Tuple4.of(event.f0, event.f1, event.f2 / 2, event.f3);
    }
}
