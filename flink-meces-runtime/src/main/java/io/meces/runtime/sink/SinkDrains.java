// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.sink;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import javax.annotation.Nullable;
import org.apache.flink.streaming.api.operators.AbstractUdfStreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.util.FlinkRuntimeException;
import org.apache.flink.util.function.ThrowingRunnable;

/** The kinds of sinks that can be drained: ours, and those that a job or an installation brings. */
public final class SinkDrains {

    private final List<SinkDrain> all = new ArrayList<>();

    private SinkDrains(Iterable<SinkDrain> others) {
        try {
            // first, so that one can take the place of ours
            others.forEach(all::add);
        } catch (ServiceConfigurationError e) {
            throw new FlinkRuntimeException("A SinkDrain that the job brings cannot be used", e);
        }
        all.addAll(
                Arrays.asList(
                        new KafkaDrain(),
                        new JdbcDrain(),
                        new ElasticsearchDrain(),
                        new HBaseDrain(),
                        new IcebergAppends(),
                        new PartFiles.Numbered()));
    }

    /**
     * @param userCode the class loader of the job
     * @throws FlinkRuntimeException if one that it brings cannot be made
     */
    public static SinkDrains of(ClassLoader userCode) {
        return new SinkDrains(ServiceLoader.load(SinkDrain.class, userCode));
    }

    /** How to drain what an operator, or its function, has taken; null if nobody knows. */
    @Nullable
    public Drainable find(StreamOperator<?> operator) {
        Drainable found = null;
        if (operator instanceof AbstractUdfStreamOperator) {
            found = find(((AbstractUdfStreamOperator<?, ?>) operator).getUserFunction());
        }
        return found == null ? find((Object) operator) : found;
    }

    @Nullable
    private Drainable find(Object sink) {
        for (SinkDrain drain : all) {
            if (drain.knows(sink)) {
                return new Drainable(drain, sink);
            }
        }
        return null;
    }

    /** A sink, and the one that knows it. */
    public static final class Drainable {
        private final SinkDrain drain;
        private final Object sink;

        Drainable(SinkDrain drain, Object sink) {
            this.drain = drain;
            this.sink = sink;
        }

        /** As {@link SinkDrain#workToDrain}. */
        @Nullable
        public ThrowingRunnable<Exception> workToDrain() throws Exception {
            return drain.workToDrain(sink);
        }

        /** As {@link SinkDrain#warning}. */
        @Nullable
        public String warning() {
            return drain.warning(sink);
        }
    }
}
