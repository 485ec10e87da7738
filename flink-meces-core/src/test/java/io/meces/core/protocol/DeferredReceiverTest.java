// SPDX-License-Identifier: Apache-2.0
package io.meces.core.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.core.command.StepMoves;
import io.meces.core.exchange.ExchangeMetrics;
import io.meces.core.exchange.FlowControl;
import io.meces.core.exchange.Handovers;
import io.meces.core.exchange.InFlightBytes;
import io.meces.core.exchange.PeerExchange;
import io.meces.core.exchange.PeerLink;
import io.meces.core.exchange.TaskThread;
import io.meces.core.store.DeferredKey;
import io.meces.core.store.KeyCodec;
import io.meces.core.waiting.ReadAheadMemory;
import io.meces.core.waiting.Waiting;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.NavigableSet;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * When a receiver processes what has waited for data. Subtask 1 takes key-group 0, which is one
 * unit, from subtask 0; its unit is here, its data is not.
 */
class DeferredReceiverTest {

    private static final UUID RESCALE = new UUID(1, 1);
    private static final int DONOR = 0;

    private final List<String> log = new ArrayList<>();
    private final Data data = new Data();
    private final Waiting<Record> waiting = new Waiting<>(() -> 0, nanos -> {});
    private long come;
    private DeferredReceiver<Record> receiver;
    private long watermark;

    /** Whether the watermark was said to wait when it had not risen at all inputs. */
    private boolean whileRising;

    /** A record, or something else without a key. */
    private static final class Record implements MigratingElement {
        private final String key;
        private final int number;

        Record(String key, int number) {
            this.key = key;
            this.number = number;
        }

        @Override
        public int channel() {
            return 0;
        }

        @Override
        public int unit() {
            return key == null ? -1 : 0;
        }

        @Override
        public boolean isForAllKeys() {
            return false;
        }

        @Override
        public String toString() {
            return key + number;
        }
    }

    @BeforeEach
    void begin() throws Exception {
        MigrationSettings settings =
                new MigrationSettings(
                        1,
                        8,
                        1,
                        MigrationOrder.DEMAND,
                        new FlowControl(0, 0, 1, 1),
                        MigrationSettings.Pace.OF_TASKS,
                        ReadAheadMemory.unlimited().share());
        PeerExchange exchange =
                new PeerExchange(
                        RESCALE,
                        settings.flowControl,
                        link(),
                        System::nanoTime,
                        new Handovers(Indifferent.of(Handovers.Port.class)),
                        (from, priority, message) -> {},
                        () -> {});
        StepMoves step = new StepMoves(1, new int[] {0}, new int[] {DONOR}, new int[] {1}, 0);
        exchange.startStep(1, Collections.singletonMap(DONOR, "donor"));
        BitSet channels = new BitSet();
        channels.set(0, 2);
        receiver =
                new DeferredReceiver<>(
                        settings,
                        environment(),
                        new MigrationStart(true, channels, new BitSet(), false, 0, false),
                        data,
                        exchange,
                        waiting,
                        new Host());
        receiver.startStep(step);
        receiver.installer().onUnitInstalled(0);
        receiver.allow(Long.MAX_VALUE);
        log.clear();
    }

    private void read(String key, int number) throws Exception {
        receiver.process(new Record(key, number));
    }

    private void keyComes(String key) throws Exception {
        KeyCodec.Answer answer = new KeyCodec.Answer();
        answer.add(key(key), new byte[] {1});
        receiver.installer().onKeys(DONOR, 0, answer.take());
    }

    private static DeferredKey key(String key) {
        return new DeferredKey(new byte[] {(byte) key.charAt(0)});
    }

    private void processAll() throws Exception {
        for (int before = log.size(); receiver.processNext(); before = log.size()) {
            assertThat(log).hasSizeGreaterThan(before);
        }
    }

    @Test
    void dataIsPutInWithoutProcessingWhatHasWaited() throws Exception {
        for (int i = 0; i < 100; i++) {
            read("a", i);
        }
        keyComes("a");
        assertThat(log).isEmpty();
        assertThat(receiver.canProcess()).isTrue();
        assertThat(waiting.parked()).isEqualTo(100);

        assertThat(receiver.processNext()).isTrue();
        assertThat(log).containsExactly("a0");
        processAll();
        assertThat(log).hasSize(100).endsWith("a99");
        assertThat(receiver.canProcess()).isFalse();
    }

    @Test
    void aRecordDoesNotOvertakeThoseOfItsKeyThatAreReady() throws Exception {
        read("a", 1);
        read("b", 1);
        keyComes("b");
        keyComes("a");
        read("a", 2);
        assertThat(log).isEmpty();
        processAll();
        assertThat(log).containsExactly("b1", "a1", "a2");
        read("a", 3);
        assertThat(log).endsWith("a3");
    }

    @Test
    void theWatermarkRisesBehindThoseThatAreReadyAndCameBeforeIt() throws Exception {
        read("a", 1);
        read("a", 2);
        come = 70;
        read(null, 0);
        keyComes("a");
        read("a", 3);
        assertThat(log).containsExactly("null0");
        receiver.processNext();
        assertThat(log).endsWith("a1");
        processAll();
        assertThat(log).containsExactly("null0", "a1", "a2", "raise 70", "a3");
    }

    @Test
    void theWatermarkWaitsUntilItHasRisenAtAllInputs() throws Exception {
        assertThat(receiver.isWatermarkWaiting()).isFalse();
        read("a", 1);
        come = 70;
        read(null, 0);
        assertThat(receiver.isWatermarkWaiting()).isTrue();
        keyComes("a");
        assertThat(receiver.isWatermarkWaiting()).isTrue();
        processAll();
        assertThat(log).endsWith("raise 70");
        assertThat(whileRising).isTrue();
        assertThat(receiver.isWatermarkWaiting()).isFalse();
    }

    @Test
    void aWatermarkThatAnEventHasLetRiseWaitsToo() throws Exception {
        come = 70;
        assertThat(receiver.isWatermarkWaiting()).isTrue();
        receiver.tick();
        assertThat(log).containsExactly("raise 70");
        assertThat(receiver.isWatermarkWaiting()).isFalse();
    }

    @Test
    void nothingIsProcessedWhileAKeyGroupIsBeingCompleted() throws Exception {
        read("a", 1);
        keyComes("a");
        data.whenComplete = null;
        receiver.installer().onEnd(DONOR, 0);
        assertThat(receiver.canProcess()).isFalse();
        assertThat(receiver.processNext()).isFalse();
        data.whenComplete.run();
        processAll();
        assertThat(log).startsWith("a1").endsWith("completed");
    }

    @Test
    void whatIsProcessedIsProgress() throws Exception {
        read("a", 1);
        keyComes("a");
        long before = receiver.progress();
        receiver.processNext();
        assertThat(receiver.progress()).isGreaterThan(before);
    }

    @Test
    void theDataIsCompleteWhenWhatHasWaitedIsProcessed() throws Exception {
        read("a", 1);
        receiver.installer().onEnd(DONOR, 0);
        assertThat(log).isEmpty();
        assertThat(receiver.isIncomplete()).isTrue();
        processAll();
        assertThat(log).containsExactly("a1", "raise " + Long.MAX_VALUE, "completed");
        assertThat(receiver.isIncomplete()).isFalse();
    }

    private final class Host implements DeferredReceiver.Host<Record> {

        @Override
        public void toOperator(Record element) {
            log.add(element.toString());
        }

        @Override
        public void closeWatermark() {
            log.add("close");
        }

        @Override
        public void dataCompleted() {
            log.add("completed");
        }
    }

    /** What is put in is here at once, but for the end. */
    private static final class Data extends UnusedData {

        /** Null: not at once. */
        private TaskThread.Mail whenComplete = () -> {};

        @Override
        public void installKey(int keyGroup, DeferredKey key, ByteBuffer data) {
            // it is here
        }

        @Override
        public void complete(int keyGroup, NavigableSet<DeferredKey> here, TaskThread.Mail done)
                throws Exception {
            if (whenComplete == null) {
                whenComplete = done;
            } else {
                done.run();
            }
        }
    }

    private static PeerLink link() {
        return Indifferent.of(
                PeerLink.class,
                new InFlightBytes(1, change -> {}),
                Indifferent.of(ExchangeMetrics.class));
    }

    @SuppressWarnings("unchecked")
    private MigrationEnvironment<Record> environment() {
        return Indifferent.of(
                MigrationEnvironment.class,
                Indifferent.of(TaskThread.class),
                link(),
                Proxy.newProxyInstance(
                        getClass().getClassLoader(),
                        new Class<?>[] {MigrationInputs.class},
                        (inputs, method, args) -> {
                            switch (method.getName()) {
                                case "keyOf":
                                    return key(((Record) args[0]).key);
                                case "watermark":
                                    return watermark;
                                case "uncappedWatermark":
                                    return come;
                                case "raiseWatermark":
                                    log.add("raise " + args[0]);
                                    whileRising = receiver.isWatermarkWaiting();
                                    watermark = Math.min((long) args[0], come);
                                    return null;
                                default:
                                    throw new AssertionError(method.getName());
                            }
                        }));
    }
}
