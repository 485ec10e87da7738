// SPDX-License-Identifier: Apache-2.0
package io.meces.foreign;

import static io.meces.foreign.Comparison.ORDER_PER_KEY;
import static io.meces.foreign.Comparison.RESULTS;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;
import org.apache.beam.runners.flink.FlinkPipelineOptions;
import org.apache.beam.runners.flink.FlinkRunner;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.VarLongCoder;
import org.apache.beam.sdk.io.Read;
import org.apache.beam.sdk.options.PipelineOptionsFactory;
import org.apache.beam.sdk.state.StateSpec;
import org.apache.beam.sdk.state.StateSpecs;
import org.apache.beam.sdk.state.TimeDomain;
import org.apache.beam.sdk.state.Timer;
import org.apache.beam.sdk.state.TimerSpec;
import org.apache.beam.sdk.state.TimerSpecs;
import org.apache.beam.sdk.state.ValueState;
import org.apache.beam.sdk.transforms.Count;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.Reshuffle;
import org.apache.beam.sdk.transforms.Sum;
import org.apache.beam.sdk.transforms.View;
import org.apache.beam.sdk.transforms.join.CoGbkResult;
import org.apache.beam.sdk.transforms.join.CoGroupByKey;
import org.apache.beam.sdk.transforms.join.KeyedPCollectionTuple;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.transforms.windowing.FixedWindows;
import org.apache.beam.sdk.transforms.windowing.Sessions;
import org.apache.beam.sdk.transforms.windowing.SlidingWindows;
import org.apache.beam.sdk.transforms.windowing.Window;
import org.apache.beam.sdk.transforms.windowing.WindowFn;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.PCollectionView;
import org.apache.beam.sdk.values.TupleTag;
import org.joda.time.Duration;
import org.joda.time.Instant;

/** Pipelines as users write them for Beam's runner. */
final class BeamJobs {

    private static final Duration WINDOW = Duration.millis(500);

    private BeamJobs() {}

    static List<FrameworkJob> all() {
        return Arrays.asList(
                job(
                        "Beam, count per window",
                        RESULTS,
                        (pipeline, run) ->
                                write(
                                        windowed(pipeline, run, "A", FixedWindows.of(WINDOW))
                                                .apply(Count.perKey()),
                                        run)),
                job(
                        "Beam, sliding windows",
                        RESULTS,
                        (pipeline, run) ->
                                write(
                                        windowed(
                                                        pipeline,
                                                        run,
                                                        "A",
                                                        SlidingWindows.of(WINDOW)
                                                                .every(Duration.millis(250)))
                                                .apply(Sum.longsPerKey()),
                                        run)),
                job(
                        "Beam, sessions",
                        RESULTS,
                        (pipeline, run) ->
                                write(
                                        windowed(
                                                        pipeline,
                                                        run,
                                                        "A",
                                                        Sessions.withGapDuration(
                                                                Duration.millis(150)))
                                                .apply(Sum.longsPerKey()),
                                        run)),
                job(
                        "Beam, sum per window of counts per window",
                        RESULTS,
                        (pipeline, run) ->
                                write(
                                        windowed(pipeline, run, "A", FixedWindows.of(WINDOW))
                                                .apply("counts", Count.perKey())
                                                .apply("groups", ParDo.of(new Group()))
                                                .apply("sums", Sum.longsPerKey()),
                                        run)),
                job("Beam, coGroupByKey", RESULTS, BeamJobs::join),
                job(
                        "Beam, state and timers",
                        RESULTS,
                        (pipeline, run) ->
                                write(
                                        windowed(pipeline, run, "A", FixedWindows.of(WINDOW))
                                                .apply("state", ParDo.of(new CountToEnd())),
                                        run)),
                job(
                        "Beam, state and bundles",
                        ORDER_PER_KEY,
                        (pipeline, run) ->
                                write(
                                        events(pipeline, run, "A", false)
                                                .apply("state", ParDo.of(new CountInBundles())),
                                        run)),
                job("Beam, state and side input", RESULTS, BeamJobs::withSideInput),
                job(
                        "Beam, source with ids",
                        RESULTS,
                        (pipeline, run) ->
                                write(
                                        events(pipeline, run, "A", true)
                                                .apply(Window.into(FixedWindows.of(WINDOW)))
                                                .apply(Count.perKey()),
                                        run)),
                job(
                        "Beam, no state",
                        RESULTS,
                        (pipeline, run) ->
                                write(
                                        events(pipeline, run, "A", false)
                                                .apply(Reshuffle.viaRandomKey())
                                                .apply("groups", ParDo.of(new Group())),
                                        run)));
    }

    private interface Definition {
        void build(Pipeline pipeline, Run run);
    }

    private static FrameworkJob job(String name, Comparison comparison, Definition definition) {
        return new FrameworkJob(
                name,
                comparison,
                run -> {
                    FlinkPipelineOptions options =
                            PipelineOptionsFactory.as(FlinkPipelineOptions.class);
                    options.setRunner(FlinkRunner.class);
                    options.setStreaming(true);
                    options.setParallelism(Run.PARALLELISM);
                    options.setMaxParallelism(Run.MAX_PARALLELISM);
                    options.setCheckpointingInterval(200L);
                    options.setShutdownSourcesAfterIdleMs(1L);
                    Pipeline pipeline = Pipeline.create(options);
                    definition.build(pipeline, run);
                    pipeline.run();
                    return run.results::all;
                });
    }

    private static PCollection<KV<String, Long>> events(
            Pipeline pipeline, Run run, String name, boolean repeating) {
        return pipeline.apply(name, Read.from(new BeamSource(run.feed, name, repeating)));
    }

    private static PCollection<KV<String, Long>> windowed(
            Pipeline pipeline, Run run, String name, WindowFn<Object, ?> windows) {
        return events(pipeline, run, name, false).apply("windows of " + name, Window.into(windows));
    }

    private static void write(PCollection<KV<String, Long>> results, Run run) {
        results.apply("results", ParDo.of(new Write(run.results)));
    }

    private static void join(Pipeline pipeline, Run run) {
        TupleTag<Long> left = new TupleTag<>("left");
        TupleTag<Long> right = new TupleTag<>("right");
        write(
                KeyedPCollectionTuple.of(
                                left, windowed(pipeline, run, "A", FixedWindows.of(WINDOW)))
                        .and(right, windowed(pipeline, run, "B", FixedWindows.of(WINDOW)))
                        .apply(CoGroupByKey.create())
                        .apply("pairs", ParDo.of(new Pairs(left, right))),
                run);
    }

    private static void withSideInput(Pipeline pipeline, Run run) {
        PCollectionView<Map<String, Long>> first =
                windowed(pipeline, run, "A", FixedWindows.of(WINDOW))
                        .apply("first counts", Count.perKey())
                        .apply(View.asMap());
        write(
                windowed(pipeline, run, "B", FixedWindows.of(WINDOW))
                        .apply("state", ParDo.of(new CountFrom(first)).withSideInputs(first)),
                run);
    }

    /** A line is "key: end of the window, value". */
    private static final class Write extends DoFn<KV<String, Long>, Void> {
        private static final long serialVersionUID = 1L;
        private final String results;

        Write(Results results) {
            this.results = results.name;
        }

        @ProcessElement
        public void process(@Element KV<String, Long> result, BoundedWindow window) {
            Results.named(results)
                    .add(
                            String.format(
                                    "%s: %s %s",
                                    result.getKey(), window.maxTimestamp(), result.getValue()));
        }
    }

    /** The first letters of a key are that of its group. */
    private static final class Group extends DoFn<KV<String, Long>, KV<String, Long>> {
        private static final long serialVersionUID = 1L;

        @ProcessElement
        public void process(
                @Element KV<String, Long> record, OutputReceiver<KV<String, Long>> out) {
            out.output(KV.of(record.getKey().substring(0, 2), record.getValue()));
        }
    }

    private static final class Pairs extends DoFn<KV<String, CoGbkResult>, KV<String, Long>> {
        private static final long serialVersionUID = 1L;
        private final TupleTag<Long> left;
        private final TupleTag<Long> right;

        Pairs(TupleTag<Long> left, TupleTag<Long> right) {
            this.left = left;
            this.right = right;
        }

        @ProcessElement
        public void process(
                @Element KV<String, CoGbkResult> both, OutputReceiver<KV<String, Long>> out) {
            long pairs = count(both.getValue().getAll(left)) * count(both.getValue().getAll(right));
            out.output(KV.of(both.getKey(), pairs));
        }

        private static long count(Iterable<Long> values) {
            return StreamSupport.stream(values.spliterator(), false).count();
        }
    }

    /** Counts per key and window, and gives the count at the end of the window. */
    private static final class CountToEnd extends DoFn<KV<String, Long>, KV<String, Long>> {
        private static final long serialVersionUID = 1L;
        private static final String COUNT = "count";
        private static final String END = "end";

        @StateId(COUNT)
        private final StateSpec<ValueState<Long>> counts = StateSpecs.value(VarLongCoder.of());

        @TimerId(END)
        private final TimerSpec end = TimerSpecs.timer(TimeDomain.EVENT_TIME);

        @ProcessElement
        public void process(
                BoundedWindow window,
                @StateId(COUNT) ValueState<Long> count,
                @TimerId(END) Timer timer) {
            count.write(next(count));
            timer.set(window.maxTimestamp());
        }

        @OnTimer(END)
        public void onEnd(
                @Key String key,
                @StateId(COUNT) ValueState<Long> count,
                OutputReceiver<KV<String, Long>> out) {
            out.output(KV.of(key, count.read()));
        }
    }

    /** Counts per key, and gives the counts at the end of the bundle, as many sinks do. */
    private static final class CountInBundles extends DoFn<KV<String, Long>, KV<String, Long>> {
        private static final long serialVersionUID = 1L;
        private static final String COUNT = "count";

        @StateId(COUNT)
        private final StateSpec<ValueState<Long>> counts = StateSpecs.value(VarLongCoder.of());

        private transient List<KV<String, Long>> bundle;
        private transient Instant timestamp;
        private transient BoundedWindow window;

        @StartBundle
        public void start() {
            bundle = new ArrayList<>();
        }

        @ProcessElement
        public void process(
                @Element KV<String, Long> event,
                @Timestamp Instant time,
                BoundedWindow ofAll,
                @StateId(COUNT) ValueState<Long> count) {
            count.write(next(count));
            bundle.add(KV.of(event.getKey(), count.read()));
            timestamp = time;
            window = ofAll;
        }

        @FinishBundle
        public void finish(FinishBundleContext context) {
            bundle.forEach(result -> context.output(result, timestamp, window));
        }
    }

    /** Counts per key and window, from what the side input says. */
    private static final class CountFrom extends DoFn<KV<String, Long>, KV<String, Long>> {
        private static final long serialVersionUID = 1L;
        private static final String COUNT = "count";

        @StateId(COUNT)
        private final StateSpec<ValueState<Long>> counts = StateSpecs.value(VarLongCoder.of());

        private final PCollectionView<Map<String, Long>> first;

        CountFrom(PCollectionView<Map<String, Long>> first) {
            this.first = first;
        }

        @ProcessElement
        public void process(ProcessContext context, @StateId(COUNT) ValueState<Long> count) {
            count.write(next(count));
            String key = context.element().getKey();
            long from = context.sideInput(first).getOrDefault(key, 0L);
            context.output(KV.of(key, from + count.read()));
        }
    }

    private static long next(ValueState<Long> count) {
        Long before = count.read();
        return before == null ? 1 : before + 1;
    }
}
