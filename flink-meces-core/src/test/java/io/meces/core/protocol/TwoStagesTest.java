// SPDX-License-Identifier: Apache-2.0
package io.meces.core.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.core.command.StepMoves;
import io.meces.core.command.StepStatistics;
import io.meces.core.exchange.FlowControl;
import io.meces.core.exchange.Handover;
import io.meces.core.exchange.HandoverAlignment;
import io.meces.core.exchange.Handovers;
import io.meces.core.exchange.MigrationProtocolException;
import io.meces.core.exchange.Priority;
import io.meces.core.waiting.ReadAheadMemory;
import io.meces.core.waiting.Waiting;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Two vertices that are rescaled one after the other, while what the first has emitted is still in
 * the channels to the second: under random schedules each record of a key comes to the operator of
 * the second stage once and in the order in which the first stage has emitted it, whatever subtasks
 * of both stages the key has passed through.
 *
 * <p>The second stage is that of the product ({@link HandoverAlignment} below {@link
 * SubtaskMigration}); of the first one {@link Handovers} is. {@code -Dstages.seed=N} replays one,
 * {@code -Dstages.seeds=N} runs that many.
 */
class TwoStagesTest {

    private static final int SEEDS = Integer.getInteger("stages.seeds", 2_000);
    private static final int PRODUCERS = 3;
    private static final int CONSUMERS = 3;
    private static final int KEYS = 6;

    /** Ways to break the order. */
    private enum Variant {
        SOUND,
        /** The first stage tells nobody that keys move. */
        NO_HANDOVERS,
        /** A consumer takes the marker of its own step from a channel that waits. */
        MARKER_OVERTAKES
    }

    @Test
    void recordsOfAKeyStayInOrderThroughBothStages() throws Exception {
        Long one = Long.getLong("stages.seed");
        long moved = 0;
        for (long seed = one == null ? 0 : one; seed < (one == null ? SEEDS : one + 1); seed++) {
            Run run = new Run(seed, Variant.SOUND);
            run.run();
            assertThat(run.violations).as("-Dstages.seed=%d", seed).isEmpty();
            moved += run.keptBack;
        }
        assertThat(moved).as("otherwise it would prove little").isPositive();
    }

    @Test
    void itNoticesWhenNobodyIsTold() throws Exception {
        assertThat(violations(Variant.NO_HANDOVERS)).isPositive();
    }

    @Test
    void itNoticesAMarkerThatOvertakesWhatIsKept() throws Exception {
        assertThat(violations(Variant.MARKER_OVERTAKES)).isPositive();
    }

    private static int violations(Variant variant) throws Exception {
        int violations = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            Run run = new Run(seed, variant);
            try {
                run.run();
            } catch (MigrationProtocolException e) {
                violations++;
            }
            violations += run.violations.size();
        }
        return violations;
    }

    /** What a channel between the stages brings. */
    private static final class Element implements MigratingElement {
        private final int channel;
        private final int key;
        private final int sequence;
        private final Handover handedOver;
        private final Handover takenOver;
        private final int donor;
        private final long marker;

        private Element(
                int channel,
                int key,
                int sequence,
                Handover handedOver,
                Handover takenOver,
                int donor,
                long marker) {
            this.channel = channel;
            this.key = key;
            this.sequence = sequence;
            this.handedOver = handedOver;
            this.takenOver = takenOver;
            this.donor = donor;
            this.marker = marker;
        }

        @Override
        public boolean isForAllKeys() {
            return false;
        }

        @Override
        public int channel() {
            return channel;
        }

        @Override
        public int unit() {
            return key;
        }

        private static Element record(int channel, int key, int sequence) {
            return new Element(channel, key, sequence, null, null, -1, -1);
        }

        private static Element marker(int channel, long step) {
            return new Element(channel, -1, -1, null, null, -1, step);
        }
    }

    /** Something that can be done now. */
    private interface Action {
        void run() throws Exception;
    }

    /** One schedule. */
    private static final class Run {
        private final SplittableRandom random;
        private final Variant variant;
        private final Producer[] producers = new Producer[PRODUCERS];
        private final Consumer[] consumers = new Consumer[CONSUMERS];

        /** By key: the producer that holds it; -1 while it is on its way. */
        private final int[] producerOf = new int[KEYS];

        private final int[] emitted = new int[KEYS];
        private final int[] processed = new int[KEYS];
        private final List<String> violations = new ArrayList<>();

        /** Moves of the first stage that have not begun, and units on their way. */
        private final ArrayDeque<int[]> moves = new ArrayDeque<>();

        private final List<Action> onTheWay = new ArrayList<>();
        private int[] consumerOf = new int[KEYS];
        private long steps;
        private long stepOfConsumers = -1;
        private int[] nextConsumerOf;
        private int rescalesLeft = 6;
        private int recordsLeft = 150;
        private int keptBack;

        Run(long seed, Variant variant) {
            this.random = new SplittableRandom(seed);
            this.variant = variant;
            for (int p = 0; p < PRODUCERS; p++) {
                producers[p] = new Producer(p);
            }
            for (int c = 0; c < CONSUMERS; c++) {
                consumers[c] = new Consumer(c);
            }
            for (int k = 0; k < KEYS; k++) {
                producerOf[k] = random.nextInt(PRODUCERS);
                consumerOf[k] = random.nextInt(CONSUMERS);
            }
            for (Producer producer : producers) {
                producer.routing = consumerOf.clone();
            }
        }

        void run() throws Exception {
            List<Action> possible = new ArrayList<>();
            do {
                possible.clear();
                collect(possible);
                if (!possible.isEmpty()) {
                    possible.get(random.nextInt(possible.size())).run();
                }
            } while (!possible.isEmpty());
            for (int k = 0; k < KEYS; k++) {
                if (processed[k] != emitted[k]) {
                    violations.add(processed[k] + " of " + emitted[k] + " of key " + k);
                }
            }
        }

        private void collect(List<Action> possible) {
            boolean firstRests = moves.isEmpty() && onTheWay.isEmpty();
            if (firstRests && stepOfConsumers < 0 && rescalesLeft > 0) {
                possible.add(random.nextBoolean() ? this::rescaleFirst : this::rescaleSecond);
            }
            if (!moves.isEmpty()) {
                possible.add(this::giveKeys);
            }
            if (!onTheWay.isEmpty()) {
                possible.add(() -> onTheWay.remove(random.nextInt(onTheWay.size())).run());
            }
            for (Producer producer : producers) {
                if (recordsLeft > 0 && producer.holdsAny()) {
                    possible.add(producer::emit);
                    possible.add(producer::emit);
                }
                if (stepOfConsumers >= 0 && producer.step < stepOfConsumers) {
                    possible.add(producer::switchRouting);
                }
            }
            for (Consumer consumer : consumers) {
                consumer.collect(possible);
            }
        }

        /** Each key moves from a donor to a receiver, one step. */
        private void rescaleFirst() {
            rescalesLeft--;
            steps++;
            int receiver = random.nextInt(PRODUCERS);
            for (int k = 0; k < KEYS; k++) {
                if (producerOf[k] != receiver && random.nextBoolean()) {
                    moves.add(new int[] {k, producerOf[k], receiver});
                }
            }
        }

        private void giveKeys() throws Exception {
            int[] move = moves.poll();
            Handover handover = producers[move[1]].handovers.handOver(steps);
            producerOf[move[0]] = -1;
            onTheWay.add(
                    () -> {
                        producers[move[2]].handovers.takeOver(move[1], handover);
                        producerOf[move[0]] = move[2];
                    });
        }

        private void rescaleSecond() throws Exception {
            rescalesLeft--;
            int receiver = random.nextInt(CONSUMERS);
            List<int[]> list = new ArrayList<>();
            nextConsumerOf = consumerOf.clone();
            for (int k = 0; k < KEYS; k++) {
                if (consumerOf[k] != receiver && random.nextBoolean()) {
                    list.add(new int[] {k, consumerOf[k], receiver});
                    nextConsumerOf[k] = receiver;
                }
            }
            stepOfConsumers = ++steps;
            StepMoves step =
                    new StepMoves(
                            stepOfConsumers,
                            list.stream().mapToInt(m -> m[0]).toArray(),
                            list.stream().mapToInt(m -> m[1]).toArray(),
                            list.stream().mapToInt(m -> m[2]).toArray(),
                            0);
            for (Consumer consumer : consumers) {
                consumer.begin(step);
            }
        }

        private void onConsumersDone() {
            if (Arrays.stream(consumers).allMatch(c -> c.completed)) {
                stepOfConsumers = -1;
                consumerOf = nextConsumerOf;
            }
        }

        /** A subtask of the first stage. */
        private final class Producer implements Handovers.Port {
            private final int index;
            private final Handovers handovers = new Handovers(this);
            private int[] routing;
            private long step;

            Producer(int index) {
                this.index = index;
            }

            boolean holdsAny() {
                return Arrays.stream(producerOf).anyMatch(p -> p == index);
            }

            void emit() {
                int[] held =
                        java.util.stream.IntStream.range(0, KEYS)
                                .filter(k -> producerOf[k] == index)
                                .toArray();
                int key = held[random.nextInt(held.length)];
                recordsLeft--;
                consumers[routing[key]]
                        .channels
                        .get(index)
                        .add(Element.record(index, key, emitted[key]++));
            }

            void switchRouting() {
                step = stepOfConsumers;
                routing = nextConsumerOf.clone();
                broadcast(Element.marker(index, step));
            }

            private void broadcast(Element element) {
                for (Consumer consumer : consumers) {
                    consumer.channels.get(index).add(element);
                }
            }

            @Override
            public int handedOver(Handover handover) {
                if (variant != Variant.NO_HANDOVERS) {
                    broadcast(new Element(index, -1, -1, handover, null, -1, -1));
                }
                return 1;
            }

            @Override
            public int takenOver(int donor, Handover handover) {
                if (variant != Variant.NO_HANDOVERS) {
                    broadcast(new Element(index, -1, -1, null, handover, donor, -1));
                }
                return 1;
            }
        }

        /** A subtask of the second stage. */
        private final class Consumer implements MigrationPort<Element> {
            private final int index;
            private final List<ArrayDeque<Element>> channels = new ArrayList<>();
            private final HandoverAlignment<Element> alignment = new HandoverAlignment<>(PRODUCERS);
            private SubtaskMigration<Element> migration;
            private boolean completed = true;

            /** By sender and priority: what has not been handled. */
            private final List<ArrayDeque<Action>> messages = new ArrayList<>();

            Consumer(int index) {
                this.index = index;
                for (int p = 0; p < PRODUCERS; p++) {
                    channels.add(new ArrayDeque<>());
                }
                for (int i = 0; i < CONSUMERS * Priority.COUNT; i++) {
                    messages.add(new ArrayDeque<>());
                }
            }

            void begin(StepMoves step) throws Exception {
                completed = false;
                SubtaskMigration<Element> next =
                        new SubtaskMigration<>(
                                new MigrationSettings(
                                        index,
                                        KEYS,
                                        1,
                                        MigrationOrder.DEMAND,
                                        new FlowControl(0, 0, 1, 1),
                                        new MigrationSettings.Pace(
                                                1 + random.nextInt(20),
                                                0,
                                                0,
                                                new MigrationSettings.Turn(16, 1),
                                                new MigrationSettings.Turn(16, 16)),
                                        ReadAheadMemory.unlimited().share()),
                                new MigrationStart(
                                        true, allChannels(), new BitSet(), false, 0, false),
                                this,
                                this::process,
                                new Waiting<>(() -> 0, nanos -> {}));
                if (migration != null) {
                    migration.end();
                    next.adopt(migration);
                }
                migration = next;
                migration.startStep(step, 0);
            }

            private BitSet allChannels() {
                BitSet all = new BitSet();
                all.set(0, PRODUCERS);
                return all;
            }

            void collect(List<Action> possible) {
                if (migration == null || !migration.hasBacklog() || migration.readsAhead()) {
                    for (ArrayDeque<Element> channel : channels) {
                        if (!channel.isEmpty()) {
                            possible.add(() -> read(channel.poll()));
                        }
                    }
                    if (alignment.hasReadable()) {
                        possible.add(() -> handle(alignment.poll()));
                    }
                }
                for (ArrayDeque<Action> priority : messages) {
                    if (!priority.isEmpty()) {
                        possible.add(() -> priority.poll().run());
                    }
                }
                if (migration != null && migration.hasBacklog()) {
                    possible.add(() -> migration.processBacklog());
                }
                if (migration != null && migration.canPush()) {
                    possible.add(() -> migration.push(migration.nextPushReceiver(r -> true)));
                }
            }

            private void read(Element element) throws Exception {
                if (alignment.mayRead(element.channel)
                        || variant == Variant.MARKER_OVERTAKES && element.marker >= 0) {
                    handle(element);
                } else {
                    keptBack++;
                    alignment.keep(element.channel, element);
                }
            }

            private void handle(Element element) throws Exception {
                if (element.handedOver != null) {
                    alignment.onHandedOver(element.channel, element.handedOver);
                } else if (element.takenOver != null) {
                    alignment.onTakenOver(element.channel, element.donor, element.takenOver);
                } else if (element.marker >= 0) {
                    migration.onMarker(element.marker, element.channel);
                } else if (migration == null) {
                    process(element);
                } else {
                    migration.onRecord(element);
                }
            }

            @Override
            public long nanoTime() {
                return 0;
            }

            private void process(Element record) {
                if (processed[record.key] != record.sequence) {
                    violations.add(
                            "number "
                                    + record.sequence
                                    + " of key "
                                    + record.key
                                    + " instead of "
                                    + processed[record.key]);
                }
                processed[record.key]++;
            }

            private void send(int to, Priority priority, Action atReceiver) {
                consumers[to]
                        .messages
                        .get(index * Priority.COUNT + priority.ordinal())
                        .add(atReceiver);
            }

            @Override
            public long sendUnit(int receiver, int unit, boolean onDemand) {
                Consumer to = consumers[receiver];
                send(
                        receiver,
                        onDemand ? Priority.URGENT : Priority.BULK,
                        () -> to.migration.onUnitInstalled(index, unit));
                return 1;
            }

            @Override
            public void forward(int receiver, int unit, Element record) {
                Consumer to = consumers[receiver];
                send(
                        receiver,
                        Priority.CONTROL,
                        () -> to.migration.onForwarded(index, unit, record));
            }

            @Override
            public void forwardAhead(int receiver, int unit, Element record) {
                Consumer to = consumers[receiver];
                send(
                        receiver,
                        Priority.URGENT,
                        () -> to.migration.onForwardedAhead(index, unit, record));
            }

            @Override
            public void sendPassed(int receiver, int channel) {
                Consumer to = consumers[receiver];
                send(receiver, Priority.CONTROL, () -> to.migration.onPassed(index, channel));
            }

            @Override
            public void sendAligned(int receiver) {
                Consumer to = consumers[receiver];
                send(receiver, Priority.CONTROL, () -> to.migration.onAligned(index));
            }

            @Override
            public void sendRequest(int donor, int unit) {
                Consumer to = consumers[donor];
                send(donor, Priority.CONTROL, () -> to.migration.onRequest(index, unit));
            }

            @Override
            public void sendBroadcastState(BitSet receivers) {
                throw new UnsupportedOperationException();
            }

            @Override
            public void stepCompleted(long step, StepStatistics statistics) {
                completed = true;
                onConsumersDone();
            }
        }
    }
}
