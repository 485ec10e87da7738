// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.api.RescaleDetails;
import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.testing.MecesMiniCluster;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple5;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.RichSinkFunction;

/** Many rescales of a job, which must leave nothing behind. */
public abstract class LongRun {
    private static final int[] PARALLELISMS = {3, 1, 4, 2};

    private final Ledger ledger = new Ledger();

    protected static Configuration configuration() {
        Configuration configuration = Footprint.configuration();
        configuration.setString("meces.state.sub-groups", "2");
        return configuration;
    }

    protected final JobID submit(MecesMiniCluster cluster) throws Exception {
        ledger.rate = 500;
        StreamExecutionEnvironment env = Jobs.environment(200);
        env.setMaxParallelism(16);
        Jobs.source(env, ledger, 100, Long.MAX_VALUE)
                .keyBy(r -> r.f0, Types.INT)
                .process(new Jobs.Counter(ledger.name))
                .returns(Jobs.RESULT)
                .name("count")
                .uid("count")
                .rebalance()
                .addSink(new Tally(ledger.name))
                .name("tally");
        JobID job = cluster.submit(TestGraphs.of(env, "long run"));
        Clusters.awaitRunning(cluster, job);
        ledger.awaitResults(200);
        return job;
    }

    /** A multiple of four, so that it ends where it begins. */
    protected final void rescale(MecesMiniCluster cluster, JobID job, int times) throws Exception {
        for (int i = 0; i < times; i++) {
            RescaleDetails status =
                    cluster.rescale(job, "count", PARALLELISMS[i % PARALLELISMS.length])
                            .get(60, TimeUnit.SECONDS);
            assertThat(status.failure()).isNull();
            assertThat(status.unitsMigrated()).isEqualTo(status.unitsTotal()).isPositive();
        }
        ledger.awaitResults(200);
    }

    protected final void assertExact() throws Exception {
        ledger.paused = true;
        Ledger.awaitOrFail("all results", () -> ledger.results.get() >= emitted());
        assertThat(ledger.results.get()).isEqualTo(emitted());
        assertThat(ledger.verdict().violations).isEmpty();
    }

    private long emitted() {
        return ledger.emitted.get(0) + ledger.emitted.get(1);
    }

    /** Counts results, and remembers none. */
    private static final class Tally
            extends RichSinkFunction<Tuple5<Integer, Integer, Long, Long, Integer>> {
        private static final long serialVersionUID = 1L;
        private final String ledger;
        private transient Ledger books;

        Tally(String ledger) {
            this.ledger = ledger;
        }

        @Override
        public void open(Configuration parameters) {
            books = Ledger.named(ledger);
        }

        @Override
        public void invoke(Tuple5<Integer, Integer, Long, Long, Integer> result, Context context) {
            books.results.incrementAndGet();
        }
    }
}
