// SPDX-License-Identifier: Apache-2.0
package io.meces.benchmarks;

import io.meces.core.plan.Assignment;
import io.meces.runtime.checkpoint.ElasticOperatorState;
import io.meces.runtime.checkpoint.KeyedStateShares;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Collections;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.StateAssignmentOperation;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.KeyGroupRangeOffsets;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What the JobManager does to store a checkpoint of one keyed operator with scattered key-groups
 * and state that is small enough for the metadata, without any storage, and to restart from it.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 2, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 4, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Fork(1)
public class MetadataBenchmark {

    private static final int SUBTASKS = 8;
    private static final int CAPACITY = 32;

    /** Serializers, of the size that the test jobs have. */
    private static final int HEAD_BYTES = 2_400;

    private static final int KEY_GROUP_BYTES = 16;

    @Param({"128", "1024", "4096", "8192", "32768"})
    public int maxParallelism;

    private int[] owners;
    private OperatorSubtaskState[] reported;
    private OperatorState completed;
    private OperatorState stored;

    /** Makes what the subtasks report. */
    @Setup
    public void report() {
        owners = IntStream.range(0, maxParallelism).map(g -> g % SUBTASKS).toArray();
        reported = new OperatorSubtaskState[SUBTASKS];
        for (int i = 0; i < SUBTASKS; i++) {
            long[] offsets =
                    IntStream.range(0, maxParallelism)
                            .mapToLong(g -> HEAD_BYTES + (long) g * KEY_GROUP_BYTES)
                            .toArray();
            reported[i] =
                    OperatorSubtaskState.builder()
                            .setManagedKeyedState(
                                    new KeyGroupsStateHandle(
                                            new KeyGroupRangeOffsets(
                                                    0, maxParallelism - 1, offsets),
                                            new ByteStreamStateHandle(
                                                    "state-" + i,
                                                    new byte
                                                            [HEAD_BYTES
                                                                    + maxParallelism
                                                                            * KEY_GROUP_BYTES])))
                            .build();
        }
        completed = collect();
        stored =
                new OperatorState(new OperatorID(1, 2), completed.getParallelism(), maxParallelism);
        completed.getSubtaskStates().forEach(stored::putState);
    }

    /** Before any task is told, in the main thread if a rescale has held the checkpoint back. */
    @Benchmark
    public ElasticOperatorState begin() {
        return new ElasticOperatorState(
                new OperatorID(1, 2), owners, SUBTASKS, Collections.emptyList());
    }

    /** Collects, cuts and writes to nowhere; under the coordinator's lock, in an I/O thread. */
    @Benchmark
    public int store() throws IOException {
        OperatorState state = collect();
        try (DataOutputStream metadata = new DataOutputStream(new Nowhere())) {
            Checkpoints.storeCheckpointMetadata(
                    new CheckpointMetadata(
                            1, Collections.singletonList(state), Collections.emptyList()),
                    metadata);
            return metadata.size();
        }
    }

    /**
     * What Flink does before our redistributing at a restart, for all of the capacity; main thread.
     */
    @Benchmark
    public int restartByFlink() {
        int handles = 0;
        for (int i = 0; i < CAPACITY; i++) {
            handles +=
                    StateAssignmentOperation.getManagedKeyedStateHandles(
                                    completed,
                                    KeyGroupRangeAssignment.computeKeyGroupRangeForOperatorIndex(
                                            maxParallelism, CAPACITY, i))
                            .size();
        }
        return handles;
    }

    /** Redistributes what this JobManager has collected; main thread. */
    @Benchmark
    public int restart() {
        return redistribute(completed);
    }

    /** Redistributes what another JobManager has stored; main thread. */
    @Benchmark
    public int restartFromMetadata() {
        return redistribute(stored);
    }

    private int redistribute(OperatorState state) {
        KeyedStateShares shares = new KeyedStateShares(Assignment.of(owners));
        int handles = 0;
        for (int i = 0; i < SUBTASKS; i++) {
            handles += shares.of(state, OperatorSubtaskState::getManagedKeyedState, i).size();
        }
        return handles;
    }

    private OperatorState collect() {
        ElasticOperatorState state = begin();
        for (int i = 0; i < SUBTASKS; i++) {
            state.putState(i, reported[i]);
        }
        return state;
    }

    private static final class Nowhere extends OutputStream {
        @Override
        public void write(int b) {}

        @Override
        public void write(byte[] bytes, int from, int count) {}
    }
}
