// SPDX-License-Identifier: Apache-2.0
package io.meces.state.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.concurrent.RunnableFuture;
import java.util.stream.Collectors;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.checkpoint.CheckpointType;
import org.apache.flink.runtime.checkpoint.SavepointType;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.CheckpointStorageLocationReference;
import org.apache.flink.runtime.state.IncrementalKeyedStateHandle.HandleAndLocalPath;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SavepointKeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.memory.MemCheckpointStreamFactory;
import org.apache.flink.streaming.api.operators.TimerHeapInternalTimer;
import org.apache.flink.streaming.api.operators.TimerSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What snapshots of the formats of this line have in them, and who reads them. */
class SavepointFormatsTest {

    private static final int KEY_GROUP = 3;
    private static final String QUEUE = "_timer_state/event_timers";
    private static final CheckpointOptions NATIVE =
            new CheckpointOptions(
                    SavepointType.savepoint(SavepointFormatType.NATIVE),
                    CheckpointStorageLocationReference.getDefault());

    @TempDir Path directory;

    private final String key = Backends.keys(KEY_GROUP, 1).get(0);
    private Backends backends;
    private MecesRocksDBKeyedStateBackend<String> ours;
    private TimerHeapInternalTimer<String, String> timer;

    @BeforeEach
    void fill() throws Exception {
        backends = new Backends(directory);
        ours = backends.ours(ElasticMock.of(KEY_GROUP));
        Backends.fill(ours, key, 5);
        timer = new TimerHeapInternalTimer<>(7, key, "a");
        timers(ours).add(timer);
    }

    @AfterEach
    void close() throws Exception {
        backends.close();
    }

    /** Flink asks for a queue once. */
    private static KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<String, String>> timers(
            AbstractKeyedStateBackend<String> backend) {
        return backend.create(
                QUEUE, new TimerSerializer<>(StringSerializer.INSTANCE, StringSerializer.INSTANCE));
    }

    @Test
    void timersAreBesideTheStatesUnlessASavepointIsForAllBackends() {
        assertThat(
                        ours.requiresLegacySynchronousTimerSnapshots(
                                SavepointType.savepoint(SavepointFormatType.CANONICAL)))
                .isFalse();
        assertThat(ours.requiresLegacySynchronousTimerSnapshots(NATIVE.getCheckpointType()))
                .isTrue();
        assertThat(ours.requiresLegacySynchronousTimerSnapshots(CheckpointType.CHECKPOINT))
                .isTrue();
    }

    @Test
    void oneForAllBackendsHasStatesAndTimers() throws Exception {
        KeyedStateHandle savepoint = Backends.write(ours, 1, Backends.Kind.SAVEPOINT);
        assertThat(savepoint).isInstanceOf(SavepointKeyedStateHandle.class);
        AbstractKeyedStateBackend<String> stock = backends.stock(savepoint);
        AbstractKeyedStateBackend<String> resumed =
                backends.ours(ElasticMock.of(KEY_GROUP), savepoint);
        String expected = Backends.read(ours, key);
        assertThat(Backends.read(stock, key)).isEqualTo(expected);
        assertThat(Backends.read(resumed, key)).isEqualTo(expected);
        assertThat(timers(stock).poll()).isEqualTo(timer);
        KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<String, String>> timersOfResumed =
                timers(resumed);
        assertThat(timersOfResumed.poll()).isEqualTo(timer);
        assertThat(timersOfResumed.isEmpty()).isTrue();
    }

    @Test
    void aNativeOneHasTheFilesAndCheckpointsGoOn() throws Exception {
        KeyedStateHandle first = Backends.checkpoint(ours, 1);
        RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot =
                ours.snapshot(2, 2, new MemCheckpointStreamFactory(1 << 26), NATIVE);
        snapshot.run();
        KeyedStateHandle savepoint = snapshot.get().getJobManagerOwnedSnapshot();
        assertThat(savepoint).isInstanceOf(IncrementalRemoteKeyedStateHandle.class);
        String expected = Backends.read(ours, key);
        assertThat(Backends.read(backends.stock(savepoint), key)).isEqualTo(expected);
        assertThat(Backends.read(backends.ours(ElasticMock.of(KEY_GROUP), savepoint), key))
                .isEqualTo(expected);
        IncrementalRemoteKeyedStateHandle next =
                (IncrementalRemoteKeyedStateHandle) Backends.checkpoint(ours, 3);
        assertThat(next.getSharedState())
                .extracting(HandleAndLocalPath::getLocalPath)
                .containsExactlyElementsOf(
                        ((IncrementalRemoteKeyedStateHandle) first)
                                .getSharedState().stream()
                                        .map(HandleAndLocalPath::getLocalPath)
                                        .collect(Collectors.toList()));
    }
}
