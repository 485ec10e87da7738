// SPDX-License-Identifier: Apache-2.0
package io.meces.foreign;

import static io.meces.foreign.Comparison.ORDER_PER_KEY;

import com.google.protobuf.Int64Value;
import com.google.protobuf.StringValue;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.flink.statefun.flink.core.StatefulFunctionsJob;
import org.apache.flink.statefun.flink.io.datastream.SinkFunctionSpec;
import org.apache.flink.statefun.flink.io.datastream.SourceFunctionSpec;
import org.apache.flink.statefun.sdk.Context;
import org.apache.flink.statefun.sdk.FunctionType;
import org.apache.flink.statefun.sdk.StatefulFunction;
import org.apache.flink.statefun.sdk.annotations.Persisted;
import org.apache.flink.statefun.sdk.io.EgressIdentifier;
import org.apache.flink.statefun.sdk.io.IngressIdentifier;
import org.apache.flink.statefun.sdk.spi.StatefulFunctionModule;
import org.apache.flink.statefun.sdk.state.PersistedValue;
import org.apache.flink.streaming.api.functions.sink.SinkFunction;

/**
 * Embedded functions that send messages to each other: one counts per key, the other gives what it
 * is told.
 */
final class StatefulFunctionsJobs {

    private static final String NAMESPACE = "io.meces.foreign";
    private static final FunctionType COUNTER = new FunctionType(NAMESPACE, "counter");
    private static final FunctionType TELLER = new FunctionType(NAMESPACE, "teller");

    private StatefulFunctionsJobs() {}

    static List<FrameworkJob> all() {
        return Collections.singletonList(
                new FrameworkJob(
                        "Stateful Functions",
                        ORDER_PER_KEY,
                        run -> {
                            // messages between functions are lost if the sources end before
                            run.results.endWith((int) Run.RECORDS, line -> true);
                            run.feed.expect(Run.PARALLELISM);
                            StatefulFunctionsJob.main(
                                    "--feed", run.feed.name, "--results", run.results.name);
                            return run.results::all;
                        }));
    }

    /** Found on the class path by the JobManager and by each task. */
    public static final class Module implements StatefulFunctionModule {

        @Override
        public void configure(Map<String, String> parameters, Binder binder) {
            IngressIdentifier<Int64Value> events =
                    new IngressIdentifier<>(Int64Value.class, NAMESPACE, "events");
            EgressIdentifier<StringValue> results =
                    new EgressIdentifier<>(NAMESPACE, "results", StringValue.class);
            binder.bindIngress(
                    new SourceFunctionSpec<>(
                            events,
                            new FeedSource<>(
                                    parameters.get("feed"), "A", new Keys(), Run.RECORDS, 0)));
            binder.bindIngressRouter(
                    events,
                    (event, downstream) ->
                            downstream.forward(COUNTER, Long.toString(event.getValue()), event));
            binder.bindFunctionProvider(COUNTER, type -> new Counter());
            binder.bindFunctionProvider(
                    TELLER,
                    type -> (context, result) -> context.send(results, (StringValue) result));
            binder.bindEgress(new SinkFunctionSpec<>(results, new Sink(parameters.get("results"))));
        }
    }

    /** All events of a key are in one source subtask. */
    private static final class Keys implements FeedSource.Script<Int64Value> {
        private static final long serialVersionUID = 1L;

        @Override
        public Int64Value record(long number) {
            return Int64Value.newBuilder().setValue(number % Run.KEYS).build();
        }

        @Override
        public long timestamp(long number) {
            return number;
        }
    }

    private static final class Counter implements StatefulFunction {

        @Persisted
        private final PersistedValue<Long> count = PersistedValue.of("count", Long.class);

        @Override
        public void invoke(Context context, Object event) {
            long now = count.updateAndGet(before -> before == null ? 1 : before + 1);
            String key = context.self().id();
            StringValue result = StringValue.newBuilder().setValue(key + ": " + now).build();
            // to a function with another key: by the feedback loop
            context.send(TELLER, "teller of " + key, result);
        }
    }

    private static final class Sink implements SinkFunction<StringValue> {
        private static final long serialVersionUID = 1L;
        private final String results;

        Sink(String results) {
            this.results = results;
        }

        @Override
        public void invoke(StringValue result, Context context) {
            Results.named(results).add(result.getValue());
        }
    }
}
