// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition;

import io.meces.core.exchange.PeerMessage;
import io.meces.core.exchange.Priority;
import io.meces.core.exchange.TransitionAddress;
import io.meces.core.id.AttemptId;
import io.meces.state.DetachedThreads;
import java.net.InetAddress;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.Configuration;

/**
 * Makes Netty services that do to messages whatever a service may do: of a hundred each, some are
 * dropped, some are sent twice, some are delayed by up to 300 ms, and some are overtaken by the
 * next one. Also those within the TaskManager.
 */
public final class FaultyTransitionServiceFactory implements TransitionServiceFactory {

    public static final ConfigOption<Long> SEED =
            ConfigOptions.key("test.faults.seed").longType().noDefaultValue();

    /** Of messages, for each kind of fault; at most 25. */
    public static final ConfigOption<Integer> PERCENT =
            ConfigOptions.key("test.faults.percent").intType().defaultValue(20);

    /** If it is set, what makes units in the background readable is late, and nothing else. */
    public static final ConfigOption<Integer> SCHEMA_DELAY_MS =
            ConfigOptions.key("test.faults.schema-delay").intType().defaultValue(0);

    private static final List<Faulty> MADE = new CopyOnWriteArrayList<>();

    @Override
    public TransitionService create(
            InetAddress host, Configuration configuration, TransitionMetrics metrics)
            throws Exception {
        Faulty service =
                new Faulty(
                        new NettyTransitionServiceFactory().create(host, configuration, metrics),
                        metrics,
                        configuration.get(SEED) + MADE.size(),
                        configuration.get(PERCENT),
                        configuration.get(SCHEMA_DELAY_MS));
        MADE.add(service);
        return service;
    }

    /** The services that were made in this JVM for a seed. */
    public static List<Faulty> made() {
        return MADE;
    }

    /** A service with faults. Thread-safe. */
    public static final class Faulty implements TransitionService {
        private static final int DELAY_MS = 300;
        private static final int OVERTAKEN_MS = 20;

        private final TransitionService service;
        private final TransitionMetrics metrics;
        private final Random random;
        private final int percent;
        private final int schemaDelayMs;
        private final AtomicLong faults = new AtomicLong();
        private final AtomicReference<Runnable> overtaken = new AtomicReference<>();
        private final ScheduledExecutorService timer =
                Executors.newSingleThreadScheduledExecutor(new DetachedThreads("faults"));

        private Faulty(
                TransitionService service,
                TransitionMetrics metrics,
                long seed,
                int percent,
                int schemaDelayMs) {
            this.service = service;
            this.metrics = metrics;
            this.random = new Random(seed);
            this.percent = percent;
            this.schemaDelayMs = schemaDelayMs;
        }

        public TransitionMetrics metrics() {
            return metrics;
        }

        /** How many messages did not go straight through. */
        public long faults() {
            return faults.get();
        }

        @Override
        public void send(TransitionAddress to, TransitionMessage message) {
            Runnable sending = () -> service.send(to, message);
            if (schemaDelayMs > 0) {
                if (message.kind() == PeerMessage.Kind.SCHEMA
                        && message.priority() == Priority.BULK) {
                    faults.incrementAndGet();
                    later(sending, schemaDelayMs);
                } else {
                    sending.run();
                }
                return;
            }
            int fate = random.nextInt(100) / percent;
            if (fate < 4) {
                faults.incrementAndGet();
            }
            switch (fate) {
                case 0:
                    break;
                case 1:
                    sending.run();
                    sending.run();
                    break;
                case 2:
                    later(sending, 1 + random.nextInt(DELAY_MS));
                    break;
                case 3:
                    run(overtaken.getAndSet(sending));
                    later(() -> run(overtaken.getAndSet(null)), OVERTAKEN_MS);
                    break;
                default:
                    sending.run();
                    run(overtaken.getAndSet(null));
            }
        }

        private static void run(Runnable sending) {
            if (sending != null) {
                sending.run();
            }
        }

        private void later(Runnable sending, int delayMs) {
            try {
                timer.schedule(sending, delayMs, TimeUnit.MILLISECONDS);
            } catch (RejectedExecutionException closed) {
                faults.incrementAndGet();
            }
        }

        @Override
        public TransitionAddress address() {
            return service.address();
        }

        @Override
        public void register(AttemptId task, TransitionInbox inbox) {
            service.register(task, inbox);
        }

        @Override
        public void unregister(AttemptId task) {
            service.unregister(task);
        }

        @Override
        public void prepare(TransitionAddress to) {
            service.prepare(to);
        }

        @Override
        public void release(TransitionAddress to, TransitionMessage message) {
            service.release(to, message);
        }

        @Override
        public void close() {
            timer.shutdownNow();
            service.close();
        }
    }
}
