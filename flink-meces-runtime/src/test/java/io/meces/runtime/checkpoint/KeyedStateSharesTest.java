// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.core.Growth;
import io.meces.core.plan.Assignment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.KeyGroupRangeOffsets;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@link KeyedStateShares}: each key-group once, from who has it, in linear time. */
class KeyedStateSharesTest {

    private static final int KEY_GROUPS = 4_096;
    private static final int SUBTASKS = 4;
    private static final OperatorID OPERATOR = new OperatorID(1, 2);

    private final AtomicLong cuts = new AtomicLong();

    private KeyGroupsStateHandle handle(KeyGroupRange range, int source) {
        return new KeyGroupsStateHandle(
                new KeyGroupRangeOffsets(range),
                new ByteStreamStateHandle("of-" + source, new byte[] {(byte) source})) {
            private static final long serialVersionUID = 1L;

            @Override
            public KeyGroupsStateHandle getIntersection(KeyGroupRange part) {
                cuts.incrementAndGet();
                return super.getIntersection(part);
            }
        };
    }

    private static OperatorSubtaskState keyed(KeyedStateHandle handle) {
        return OperatorSubtaskState.builder().setManagedKeyedState(handle).build();
    }

    /** Which handle a subtask reads each key-group from; fails if it is not exactly one. */
    private int[] sources(OperatorState state, int[] assignment) {
        KeyedStateShares shares = new KeyedStateShares(Assignment.of(assignment));
        int[] sources = new int[KEY_GROUPS];
        Arrays.fill(sources, -1);
        for (int i = 0; i < SUBTASKS; i++) {
            for (KeyedStateHandle handle :
                    shares.of(state, OperatorSubtaskState::getManagedKeyedState, i)) {
                ByteStreamStateHandle stream =
                        (ByteStreamStateHandle)
                                ((KeyGroupsStateHandle) handle).getDelegateStateHandle();
                for (int g : handle.getKeyGroupRange()) {
                    assertThat(assignment[g]).as("owner of %s", g).isEqualTo(i);
                    assertThat(sources[g]).as("earlier source of %s", g).isEqualTo(-1);
                    sources[g] = stream.getData()[0];
                }
            }
        }
        return sources;
    }

    @Test
    void takesEachKeyGroupFromWhoHadItInACheckpointOfThisJobManager() {
        int[] before = IntStream.range(0, KEY_GROUPS).map(g -> g / 3 % SUBTASKS).toArray();
        int[] after = IntStream.range(0, KEY_GROUPS).map(g -> g / 5 % SUBTASKS).toArray();
        ElasticOperatorState state =
                new ElasticOperatorState(OPERATOR, before, SUBTASKS, Collections.emptyList());
        for (int i = 0; i < SUBTASKS; i++) {
            state.putState(i, keyed(handle(KeyGroupRange.of(0, KEY_GROUPS - 1), i)));
        }
        assertThat(sources(state, after)).isEqualTo(before);
        assertThat(cuts.get()).isLessThanOrEqualTo(KEY_GROUPS);
    }

    @Test
    void takesEachKeyGroupFromTheRangeThatHasItInAnyOther() {
        List<Integer> expected = new ArrayList<>();
        OperatorState state = new OperatorState(OPERATOR, KEY_GROUPS / 2, KEY_GROUPS);
        for (int i = 0; i < state.getParallelism(); i++) {
            KeyGroupRange range =
                    KeyGroupRangeAssignment.computeKeyGroupRangeForOperatorIndex(
                            KEY_GROUPS, state.getParallelism(), i);
            state.putState(i, keyed(handle(range, i % 100)));
            for (int n = 0; n < range.getNumberOfKeyGroups(); n++) {
                expected.add(i % 100);
            }
        }
        int[] after = IntStream.range(0, KEY_GROUPS).map(g -> g / 5 % SUBTASKS).toArray();
        assertThat(sources(state, after))
                .isEqualTo(expected.stream().mapToInt(Integer::intValue).toArray());
        assertThat(cuts.get()).isLessThanOrEqualTo(KEY_GROUPS);
    }

    /** As a restart gives all of them their shares, of handles of some kind. */
    private static void shareAll(int parallelism, boolean files, boolean elastic) {
        int keyGroups = 1 << 13;
        Assignment assignment = Assignment.contiguous(keyGroups, parallelism);
        OperatorState state =
                elastic
                        ? new ElasticOperatorState(
                                OPERATOR,
                                assignment.toArray(),
                                parallelism,
                                Collections.emptyList())
                        : new OperatorState(OPERATOR, parallelism, keyGroups);
        for (int i = 0; i < parallelism; i++) {
            KeyGroupRange range =
                    KeyGroupRangeAssignment.computeKeyGroupRangeForOperatorIndex(
                            keyGroups, parallelism, i);
            StreamStateHandle stream = new ByteStreamStateHandle("of-" + i, new byte[1]);
            state.putState(
                    i,
                    keyed(
                            files
                                    ? new IncrementalRemoteKeyedStateHandle(
                                            new UUID(0, i),
                                            range,
                                            1,
                                            Collections.emptyMap(),
                                            Collections.emptyMap(),
                                            stream)
                                    : new KeyGroupsStateHandle(
                                            new KeyGroupRangeOffsets(range), stream)));
        }
        KeyedStateShares shares = new KeyedStateShares(assignment);
        for (int i = 0; i < parallelism; i++) {
            assertThat(shares.of(state, OperatorSubtaskState::getManagedKeyedState, i)).hasSize(1);
            assertThat(shares.of(state, OperatorSubtaskState::getRawKeyedState, i)).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({"true,true", "true,false", "false,true", "false,false"})
    void manySubtasksCostLittleMoreThanFew(boolean files, boolean elastic) {
        Growth.assertAtMost(
                10, () -> shareAll(8, files, elastic), () -> shareAll(256, files, elastic));
    }
}
