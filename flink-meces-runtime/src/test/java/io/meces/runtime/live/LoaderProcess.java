// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import io.meces.api.RescaleStatus;
import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.testing.MecesMiniCluster;
import java.io.InputStream;
import java.io.ObjectStreamClass;
import java.io.OutputStream;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.sink.DiscardingSink;
import org.apache.flink.streaming.api.functions.source.SourceFunction;
import org.apache.flink.util.Collector;

/**
 * A process whose cluster runs a job with a jar of its own, rescales it and cancels it. It ends
 * well if afterwards no TaskManager holds a class loader of the job. It needs a JVM that does not
 * keep what is softly reachable, as Java's serialization has classes in such caches.
 */
public final class LoaderProcess {

    private static final long PATIENCE_NANOS = 60_000_000_000L;

    /**
     * The class loaders of the job in the TaskManagers. The JobManager has another one, which Flink
     * keeps for minutes in what it has scheduled for the job.
     */
    private static final Queue<WeakReference<ClassLoader>> LOADERS = new ConcurrentLinkedQueue<>();

    private static final ReferenceQueue<ClassLoader> GONE = new ReferenceQueue<>();
    private static final CountDownLatch COUNTED = new CountDownLatch(1_000);

    private LoaderProcess() {}

    public static void main(String[] args) throws Exception {
        Path jar = Paths.get(args[0]);
        try (OutputStream out = Files.newOutputStream(jar);
                JarOutputStream entries = new JarOutputStream(out)) {
            add(entries, Count.class);
        }
        Configuration settings = new Configuration();
        settings.setString("taskmanager.network.netty.client.numThreads", "1");
        try (MecesMiniCluster cluster = Clusters.start(2, 2, settings)) {
            cluster.flink().executeJobBlocking(connecting());
            JobGraph graph = job();
            graph.addJar(new org.apache.flink.core.fs.Path(jar.toUri()));
            JobID job = cluster.submit(graph);
            COUNTED.await();
            Ledger.awaitOrFail("all subtasks", () -> Clusters.knowsToRun(cluster, job, 0));
            for (int parallelism : new int[] {3, 2}) {
                check(
                        cluster.rescale(job, "count", parallelism).get().status()
                                == RescaleStatus.FINISHED,
                        "The rescale has failed");
            }
            cluster.cancel(job).get();
            check(!LOADERS.isEmpty(), "The job has not run");
            awaitNoneLeft();
        }
        System.exit(0);
    }

    private static void add(JarOutputStream jar, Class<?> type) throws Exception {
        String name = type.getName().replace('.', '/') + ".class";
        jar.putNextEntry(new JarEntry(name));
        try (InputStream in = type.getClassLoader().getResourceAsStream(name)) {
            byte[] buffer = new byte[8192];
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                jar.write(buffer, 0, n);
            }
        }
    }

    /**
     * Without a jar, and not elastic. The thread of Flink's Netty that connects to others keeps the
     * context class loader of the task that needs it first, also on a stock Flink.
     */
    private static JobGraph connecting() {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.setParallelism(4);
        env.generateSequence(1, 1_000).rebalance().addSink(new DiscardingSink<>());
        return TestGraphs.of(env, "connecting");
    }

    private static JobGraph job() {
        StreamExecutionEnvironment env = Jobs.environment(100);
        env.addSource(new Numbers())
                .setParallelism(1)
                .keyBy(number -> number % 100, Types.LONG)
                .process(new Count())
                .name("count")
                .uid("count")
                .addSink(new DiscardingSink<>());
        return TestGraphs.of(env, "loader");
    }

    private static void awaitNoneLeft() throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (LOADERS.stream().anyMatch(loader -> loader.get() != null)) {
            if (System.nanoTime() - deadline >= 0) {
                throw new IllegalStateException(
                        "The class loader of the job is held, perhaps by " + holders());
            }
            System.gc();
            // Java's cache of serializable classes lets go of them when it is used
            ObjectStreamClass.lookup(String.class);
            GONE.remove(100);
        }
    }

    /** Flink gives tasks a loader around that of the job. */
    private static Collection<Thread> holders() {
        Collection<Thread> holders = new ArrayList<>();
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            ClassLoader context = thread.getContextClassLoader();
            if (context != null && context != LoaderProcess.class.getClassLoader()) {
                holders.add(thread);
            }
        }
        return holders;
    }

    private static void check(boolean condition, String otherwise) {
        if (!condition) {
            throw new IllegalStateException(otherwise);
        }
    }

    /** By {@link Count}, whose package is another one at run time. */
    public static void loadedBy(ClassLoader loader) {
        check(loader != LoaderProcess.class.getClassLoader(), "The job has no class loader");
        LOADERS.add(new WeakReference<>(loader, GONE));
    }

    public static void counted() {
        COUNTED.countDown();
    }

    private static final class Numbers implements SourceFunction<Long> {
        private volatile boolean running = true;

        @Override
        public void run(SourceContext<Long> context) {
            for (long number = 0; running; number++) {
                synchronized (context.getCheckpointLock()) {
                    context.collect(number);
                }
            }
        }

        @Override
        public void cancel() {
            running = false;
        }
    }

    /** In the jar. */
    public static final class Count extends KeyedProcessFunction<Long, Long, Long> {

        private transient ValueState<Long> count;

        @Override
        public void open(Configuration parameters) {
            loadedBy(Count.class.getClassLoader());
            count = getRuntimeContext().getState(new ValueStateDescriptor<>("count", Types.LONG));
        }

        @Override
        public void processElement(Long number, Context context, Collector<Long> out)
                throws Exception {
            Long before = count.value();
            count.update(before == null ? 1 : before + 1);
            out.collect(count.value());
            counted();
        }
    }
}
