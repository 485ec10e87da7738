// SPDX-License-Identifier: Apache-2.0
package io.meces.benchmarks;

import io.meces.core.command.TaskCommand;
import io.meces.runtime.transition.Transition;
import io.meces.runtime.transition.TransitionMetrics;
import io.meces.runtime.transition.TransitionService;
import io.meces.runtime.transition.TransitionServiceFactory;
import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.memory.DataInputDeserializer;

/** A {@link FetchNode} in this process. One thread at a time calls it. */
final class FetchNodeServer implements FetchNode {

    private static final long PATIENCE_SECONDS = 120;

    /** What units of one size take in memory at most, so that they are few if they are large. */
    private static final int BYTES_PER_SET = 1 << 20;

    private static final int MAX_UNITS = 256;

    private final Map<Integer, ExchangeTask> tasks = new HashMap<>();
    private TransitionMetrics metrics = TransitionMetrics.unregistered();
    private Transition transition;
    private final LongAdder bytesInstalled = new LongAdder();
    private CompletableFuture<Void> pushed = CompletableFuture.completedFuture(null);

    /**
     * A node as a process.
     *
     * @param args the port to which it connects, to be called
     */
    public static void main(String[] args) throws Exception {
        ProcessCalls.serve(new FetchNodeServer(), FetchNode.class, Integer.parseInt(args[0]));
    }

    @Override
    public void open(
            Map<String, String> configuration,
            int[] subtasks,
            int fetchedBytes,
            int backgroundBytes)
            throws Exception {
        close();
        Configuration settings = Configuration.fromMap(configuration);
        metrics = TransitionMetrics.unregistered();
        TransitionService service =
                TransitionServiceFactory.of(settings)
                        .create(InetAddress.getLoopbackAddress(), settings, metrics);
        transition = new Transition(service, metrics, settings);
        service.practice();
        for (int subtask : subtasks) {
            tasks.put(
                    subtask,
                    new ExchangeTask(
                            transition,
                            subtask,
                            new Supply(fetchedBytes, new LongAdder()),
                            new Supply(backgroundBytes, bytesInstalled)));
        }
    }

    @Override
    public TaskCommand.Peer peer(int subtask) {
        return tasks.get(subtask).asPeer();
    }

    @Override
    public void meet(int subtask, TaskCommand.Peer peer) throws Exception {
        tasks.get(subtask).meet(peer);
    }

    @Override
    public ExchangeTask.Times fetch(int subtask, int times, long intervalNanos) throws Exception {
        return tasks.get(subtask).fetch(times, intervalNanos);
    }

    @Override
    public void push(int subtask, long units, long nanosPerUnit) throws Exception {
        pushed = tasks.get(subtask).push(units, nanosPerUnit);
    }

    @Override
    public void awaitPushed() throws Exception {
        pushed.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    @Override
    public Counts counts() throws IOException {
        return new Counts(
                metrics.messagesSent(),
                metrics.flushes(),
                metrics.messagesRepeated(),
                writeCalls(),
                bytesInstalled.sum(),
                pauseMillis(),
                ManagementFactory.getCompilationMXBean().getTotalCompilationTime());
    }

    @Override
    public void collectGarbage() {
        System.gc();
    }

    private static long pauseMillis() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .mapToLong(GarbageCollectorMXBean::getCollectionTime)
                .sum();
    }

    private static long writeCalls() throws IOException {
        Path io = Paths.get("/proc/self/io");
        if (Files.exists(io)) {
            for (String line : Files.readAllLines(io, StandardCharsets.US_ASCII)) {
                if (line.startsWith("syscw: ")) {
                    return Long.parseLong(line.substring(7).trim());
                }
            }
        }
        return 0;
    }

    @Override
    public void close() throws Exception {
        for (ExchangeTask task : tasks.values()) {
            task.check();
            task.close();
        }
        tasks.clear();
        if (transition != null) {
            transition.close();
            transition = null;
        }
    }

    /** Units of one size. Owned by a task thread. */
    private final class Supply implements ExchangeTask.States {
        private final Units units;
        private final LongAdder installed;
        private final int count;
        private int last = -1;

        private Supply(int bytes, LongAdder installed) throws Exception {
            this.installed = installed;
            count = Math.min(MAX_UNITS, Math.max(1, BYTES_PER_SET / bytes));
            units = Units.extracted(count, bytes);
        }

        @Override
        public int count() {
            return count;
        }

        @Override
        public byte[] extract(int unit) {
            return units.copy(unit);
        }

        @Override
        public void install(int unit, DataInputDeserializer state) throws Exception {
            if (unit <= last) {
                units.replaceReceiver();
            }
            last = unit;
            installed.add(state.available());
            units.install(unit, state);
        }
    }
}
