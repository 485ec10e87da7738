// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.task;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.flink.runtime.TimerParts;
import io.meces.flink.state.AccessMetrics;
import io.meces.flink.state.BackendEnvironment;
import io.meces.state.MecesKeyedStateBackend;
import io.meces.state.UnitKeyContext;
import java.io.ByteArrayInputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.KeyGroupStatePartitionStreamProvider;
import org.apache.flink.runtime.state.LocalRecoveryConfig;
import org.apache.flink.runtime.state.UncompressedStreamCompressionDecorator;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;
import org.apache.flink.streaming.api.operators.InternalTimeServiceManager;
import org.apache.flink.streaming.api.operators.InternalTimeServiceManagerImpl;
import org.apache.flink.streaming.api.operators.InternalTimer;
import org.apache.flink.streaming.api.operators.InternalTimerService;
import org.apache.flink.streaming.api.operators.InternalTimerServiceSerializationProxy;
import org.apache.flink.streaming.api.operators.KeyContext;
import org.apache.flink.streaming.api.operators.OperatorAccess;
import org.apache.flink.streaming.api.operators.Triggerable;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.tasks.TestProcessingTimeService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class KeyClocksTest {

    private static final int KEY_GROUPS = 8;
    private static final String NAME = "timers";

    /** Of different key-groups. */
    private static final int HERE = 1;

    private static final int COMES = 2;

    private final List<String> fired = new ArrayList<>();
    private final KeyClocks clocks = new KeyClocks(KEY_GROUPS);
    private MecesKeyedStateBackend<Integer> backend;
    private InternalTimeServiceManager<Integer> manager;
    private InternalTimerService<String> timers;

    @BeforeEach
    void open() throws Exception {
        assertThat(unitOf(HERE)).isNotEqualTo(unitOf(COMES));
        backend = newBackend();
        manager = manager(Collections.emptyList());
        timers = service(manager);
    }

    @AfterEach
    void close() {
        backend.dispose();
    }

    private static MecesKeyedStateBackend<Integer> newBackend() throws Exception {
        return MecesKeyedStateBackend.restore(
                new BackendEnvironment(
                        "operator",
                        null,
                        KeyClocksTest.class.getClassLoader(),
                        new ExecutionConfig(),
                        TtlTimeProvider.DEFAULT,
                        UncompressedStreamCompressionDecorator.INSTANCE,
                        AccessMetrics.none()),
                IntSerializer.INSTANCE,
                new UnitKeyContext<>(KeyGroupRange.of(0, KEY_GROUPS - 1), KEY_GROUPS, 1, null),
                new LocalRecoveryConfig(false, null),
                Collections.emptyList(),
                new CloseableRegistry());
    }

    private InternalTimeServiceManager<Integer> manager(
            Iterable<KeyGroupStatePartitionStreamProvider> restored) throws Exception {
        return clocks.create(
                new TimerParts<>(
                        backend,
                        KeyClocksTest.class.getClassLoader(),
                        keyContext(backend),
                        new TestProcessingTimeService(),
                        restored));
    }

    private static KeyContext keyContext(AbstractKeyedStateBackend<Integer> backend) {
        return new KeyContext() {
            @Override
            public void setCurrentKey(Object key) {
                backend.setCurrentKey((Integer) key);
            }

            @Override
            public Object getCurrentKey() {
                return backend.getCurrentKey();
            }
        };
    }

    private InternalTimerService<String> service(InternalTimeServiceManager<Integer> of) {
        return of.getInternalTimerService(
                NAME,
                IntSerializer.INSTANCE,
                StringSerializer.INSTANCE,
                new Triggerable<Integer, String>() {
                    @Override
                    public void onEventTime(InternalTimer<Integer, String> timer) {
                        fired.add(
                                timer.getKey()
                                        + " "
                                        + timer.getTimestamp()
                                        + " at "
                                        + timers.currentWatermark());
                    }

                    @Override
                    public void onProcessingTime(InternalTimer<Integer, String> timer) {
                        throw new IllegalStateException("none has been registered");
                    }
                });
    }

    private static int unitOf(int key) {
        return KeyGroupRangeAssignment.assignToKeyGroup(key, KEY_GROUPS);
    }

    private long timeOf(int key) {
        backend.setCurrentKey(key);
        return timers.currentWatermark();
    }

    @Test
    void aKeyThatHasComeStaysAtItsTime() throws Exception {
        manager.advanceWatermark(new Watermark(10));
        clocks.of(backend.units()).come(unitOf(COMES), 25);
        assertThat(timeOf(COMES)).isEqualTo(25);
        assertThat(timeOf(HERE)).isEqualTo(10);
        timers.registerEventTimeTimer("", 15);
        backend.setCurrentKey(COMES);
        timers.registerEventTimeTimer("", 20);
        timers.registerEventTimeTimer("", 26);
        manager.advanceWatermark(new Watermark(21));
        assertThat(fired).containsExactly("1 15 at 21", "2 20 at 25");
        manager.advanceWatermark(new Watermark(26));
        assertThat(fired).endsWith("2 26 at 26").hasSize(3);
        assertThat(timeOf(COMES)).isEqualTo(26);
        assertThat(timeOf(HERE)).isEqualTo(26);
    }

    @Test
    void withoutAKeyTimeIsTheWatermark() throws Exception {
        manager.advanceWatermark(new Watermark(10));
        clocks.of(backend.units()).come(unitOf(COMES), 25);
        assertThat(timeOf(COMES)).isEqualTo(25);
        clocks.beginWithoutKey();
        assertThat(timers.currentWatermark()).isEqualTo(10);
        assertThat(timeOf(COMES)).as("the same key selected again").isEqualTo(25);
    }

    /** There are operators that ask for the class of the manager. */
    @Test
    void managerAndServicesAreFlinks() {
        assertThat(manager).isInstanceOf(InternalTimeServiceManagerImpl.class);
        assertThat(service(manager)).isSameAs(timers);
        assertThat(OperatorAccess.timerService(manager, NAME)).isSameAs(timers);
        assertThat(OperatorAccess.timerService(manager, "another")).isNull();
        assertThat(((InternalTimeServiceManagerImpl<?>) manager).numEventTimeTimers()).isZero();
    }

    /** As RocksDB of 1.12 with timers on the heap leaves them in a savepoint. */
    @Test
    void takesTimersOfRawKeyedState() throws Exception {
        backend.setCurrentKey(COMES);
        timers.registerEventTimeTimer("", 20);
        DataOutputSerializer out = new DataOutputSerializer(64);
        new InternalTimerServiceSerializationProxy<>(
                        (InternalTimeServiceManagerImpl<Integer>) manager, unitOf(COMES))
                .write(out);
        backend.dispose();

        backend = newBackend();
        manager =
                manager(
                        Collections.singletonList(
                                new KeyGroupStatePartitionStreamProvider(
                                        new ByteArrayInputStream(out.getCopyOfBuffer()),
                                        unitOf(COMES))));
        timers = service(manager);
        manager.advanceWatermark(new Watermark(20));
        assertThat(fired).containsExactly("2 20 at 20");
    }
}
