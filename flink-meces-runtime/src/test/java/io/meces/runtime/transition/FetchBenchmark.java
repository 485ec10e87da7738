/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

package io.meces.runtime.transition;

import io.meces.runtime.courier.Lane;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.apache.flink.runtime.jobgraph.JobVertexID;

/**
 * Measures the Netty service between two ends in this process, over loopback or a link of 100
 * Mbit/s: how long it takes to fetch a unit, alone and while the background is saturated; how fast
 * the background is; and how many I/Os a migrated MB costs.
 *
 * <pre>
 * mvn -pl flink-meces-runtime -am test-compile
 * java -cp … io.meces.runtime.transition.FetchBenchmark [loopback|100mbit]
 * </pre>
 */
public final class FetchBenchmark {

    /** As {@code meces.transition-service.in-flight-per-peer} by default. */
    private static final long WINDOW = 1 << 20;

    private static final int CHUNK = 64 * 1024;
    private static final PrintStream OUT =
            new PrintStream(new FileOutputStream(FileDescriptor.out), true);

    private FetchBenchmark() {}

    /** Runs everything; takes a minute. */
    public static void main(String[] args) throws Exception {
        boolean slow = args.length > 0 && args[0].equals("100mbit");
        OUT.printf("unit    background     p50 ms   p99 ms p99.9 ms   background MB/s%n");
        try (Ends ends = new Ends(slow)) {
            ends.fetch(10 * 1024, slow ? 200 : 20_000, false);
            for (int bytes : new int[] {1024, 10 * 1024, 1024 * 1024}) {
                int fetches = bytes > CHUNK ? 500 : slow ? 2_000 : 10_000;
                Result idle = ends.fetch(bytes, fetches, false);
                Result loaded = ends.fetch(bytes, fetches, true);
                OUT.println(row(bytes, "idle", idle));
                OUT.println(row(bytes, "saturated", loaded));
                OUT.printf(
                        "%7d ratio of p50 %.2f, of p99 %.2f%n",
                        bytes,
                        (double) loaded.percentile(0.5) / idle.percentile(0.5),
                        (double) loaded.percentile(0.99) / idle.percentile(0.99));
            }
        }
        OUT.printf("%n1 KB units as  pause µs  messages/MB  socket writes/MB  syscalls/MB  MB/s%n");
        for (int pauseMicros : new int[] {0, 100}) {
            try (Ends ends = new Ends(slow)) {
                ends.migrate(1024, 16 << 20, 0);
                OUT.println(ends.migrate(1024, 16 << 20, pauseMicros));
                OUT.println(ends.migrate(CHUNK, 16 << 20, 64 * pauseMicros));
            }
        }
    }

    private static String row(int bytes, String background, Result result) {
        return String.format(
                "%7d %-11s %9.3f %8.3f %8.3f %10.0f",
                bytes,
                background,
                result.percentile(0.5) / 1e6,
                result.percentile(0.99) / 1e6,
                result.percentile(0.999) / 1e6,
                result.megabytesPerSecond);
    }

    /** Sorted times of fetches, and what went on besides. */
    private static final class Result {
        private final long[] nanos;
        private final double megabytesPerSecond;

        private Result(long[] nanos, double megabytesPerSecond) {
            this.nanos = nanos;
            this.megabytesPerSecond = megabytesPerSecond;
            Arrays.sort(nanos);
        }

        private long percentile(double p) {
            return nanos[Math.min(nanos.length - 1, (int) Math.ceil(p * nanos.length))];
        }
    }

    /** A donor with a thread as a task has one, and a receiver with two: fetches, and installs. */
    private static final class Ends implements AutoCloseable {
        private final TransitionMetrics donorMetrics = TransitionMetrics.unregistered();
        private final TransitionMetrics receiverMetrics = TransitionMetrics.unregistered();
        private final NettyTransitionService donor = service(donorMetrics);
        private final NettyTransitionService receiver = service(receiverMetrics);
        private final TcpProxy[] link;
        private final TransitionAddress toDonor;
        private final TransitionAddress toReceiver;
        private final ExecutionAttemptID donorTask = new ExecutionAttemptID();
        private final ExecutionAttemptID receiverTask = new ExecutionAttemptID();
        private final TransitionMessage.Builder fromDonor = messages(donorTask);
        private final TransitionMessage.Builder fromReceiver = messages(receiverTask);
        private final BlockingQueue<TransitionMessage> donorInbox = new LinkedBlockingQueue<>();
        private final BlockingQueue<TransitionMessage> installs = new LinkedBlockingQueue<>();
        private final BlockingQueue<TransitionMessage> fetched = new LinkedBlockingQueue<>();
        private final Thread donorThread = new Thread(this::donate, "donor");
        private final Thread installer = new Thread(this::install, "installer");
        private volatile int backgroundBytes;
        private volatile long backgroundLimit = Long.MAX_VALUE;
        private volatile int pauseMicros;
        private volatile long installed;
        private volatile boolean closed;

        private Ends(boolean slow) throws IOException {
            link =
                    slow
                            ? new TcpProxy[] {
                                new TcpProxy(donor.address(), TcpProxy.MBIT_100),
                                new TcpProxy(receiver.address(), TcpProxy.MBIT_100)
                            }
                            : new TcpProxy[0];
            toDonor = slow ? link[0].address() : donor.address();
            toReceiver = slow ? link[1].address() : receiver.address();
            donor.register(donorTask, donorInbox::add);
            receiver.register(
                    receiverTask, m -> (m.lane() == Lane.BULK ? installs : fetched).add(m));
            donorThread.start();
            installer.start();
        }

        private static NettyTransitionService service(TransitionMetrics metrics)
                throws IOException {
            return new NettyTransitionService(InetAddress.getLoopbackAddress(), 0, metrics);
        }

        private static TransitionMessage.Builder messages(ExecutionAttemptID from) {
            return new TransitionMessage.Builder(
                    new TransitionOrigin(
                            new JobID(), new JobVertexID(), UUID.randomUUID(), from, 0));
        }

        /** As a task: messages first, then the background. */
        private void donate() {
            byte[] state = new byte[0];
            long sent = 0;
            long confirmed = 0;
            long sequence = 0;
            try {
                while (!closed) {
                    int bytes = backgroundBytes;
                    boolean push = bytes > 0 && sent - confirmed < WINDOW && sent < backgroundLimit;
                    TransitionMessage message =
                            push ? donorInbox.poll() : donorInbox.poll(1, TimeUnit.MILLISECONDS);
                    if (message == null && push) {
                        if (state.length != bytes) {
                            state = new byte[bytes];
                        }
                        donor.send(
                                toReceiver,
                                fromDonor
                                        .unit(receiverTask, 0, 0, state)
                                        .sequenced(Lane.BULK, sequence++));
                        sent += bytes;
                        if (pauseMicros > 0) {
                            LockSupport.parkNanos(1_000L * pauseMicros);
                        }
                    } else if (message != null
                            && message.kind() == TransitionMessage.Kind.REQUEST) {
                        donor.send(
                                toReceiver,
                                fromDonor
                                        .unit(receiverTask, 0, 0, new byte[message.unit()])
                                        .sequenced(Lane.URGENT, sequence++));
                    } else if (message != null) {
                        confirmed += message.unit();
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private void install() {
            long count = 0;
            try {
                while (!closed) {
                    TransitionMessage message = installs.take();
                    int bytes = message.payload().length;
                    // one confirmation for all that is here, as a task does
                    while ((message = installs.poll()) != null) {
                        bytes += message.payload().length;
                    }
                    count += bytes;
                    installed = count;
                    receiver.send(
                            toDonor,
                            fromReceiver
                                    .installed(donorTask, 0, bytes)
                                    .sequenced(Lane.CONTROL, -1));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private Result fetch(int bytes, int times, boolean background) throws Exception {
            backgroundBytes = background ? CHUNK : 0;
            if (background) {
                LockSupport.parkNanos(500_000_000L);
            }
            long before = installed;
            long start = System.nanoTime();
            long[] nanos = new long[times];
            for (int i = 0; i < times; i++) {
                long begin = System.nanoTime();
                receiver.send(
                        toDonor,
                        fromReceiver.request(donorTask, 0, bytes).sequenced(Lane.CONTROL, -1));
                if (fetched.poll(60, TimeUnit.SECONDS) == null) {
                    throw new TimeoutException("a unit of " + bytes + " bytes");
                }
                nanos[i] = System.nanoTime() - begin;
                LockSupport.parkNanos(200_000);
            }
            double seconds = (System.nanoTime() - start) / 1e9;
            double rate = (installed - before) / seconds / (1 << 20);
            backgroundBytes = 0;
            LockSupport.parkNanos(300_000_000L);
            return new Result(nanos, rate);
        }

        /** Moves so many bytes in the background; what that costs. */
        private String migrate(int unit, long bytes, int pause) throws Exception {
            long target = installed + bytes;
            long messages = donorMetrics.messagesSent();
            long writes = donorMetrics.flushes();
            long calls = writeCalls();
            pauseMicros = pause;
            backgroundLimit = target;
            long start = System.nanoTime();
            backgroundBytes = unit;
            while (installed < target) {
                if (System.nanoTime() - start > 120_000_000_000L) {
                    throw new TimeoutException(installed + " bytes of " + target);
                }
                LockSupport.parkNanos(1_000_000);
            }
            double seconds = (System.nanoTime() - start) / 1e9;
            backgroundBytes = 0;
            double megabytes = bytes / (double) (1 << 20);
            return String.format(
                    "%-12s %10d %12.1f %17.1f %12.1f %5.0f",
                    unit == 1024 ? "single units" : "64 KB chunks",
                    pause,
                    (donorMetrics.messagesSent() - messages) / megabytes,
                    (donorMetrics.flushes() - writes) / megabytes,
                    (writeCalls() - calls) / megabytes,
                    megabytes / seconds);
        }

        /** Calls of write of this process, both ends and wake-ups of their threads included. */
        private static long writeCalls() throws IOException {
            Path io = Paths.get("/proc/self/io");
            if (!Files.exists(io)) {
                return 0;
            }
            for (String line :
                    new String(Files.readAllBytes(io), StandardCharsets.US_ASCII).split("\n")) {
                if (line.startsWith("syscw: ")) {
                    return Long.parseLong(line.substring(7).trim());
                }
            }
            return 0;
        }

        @Override
        public void close() throws InterruptedException {
            closed = true;
            donorThread.interrupt();
            installer.interrupt();
            donorThread.join(10_000);
            installer.join(10_000);
            for (TcpProxy proxy : link) {
                proxy.close();
            }
            donor.close();
            receiver.close();
        }
    }
}
