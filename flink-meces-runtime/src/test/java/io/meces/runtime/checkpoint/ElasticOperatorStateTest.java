// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.KeyGroupRangeOffsets;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.OperatorStateHandle;
import org.apache.flink.runtime.state.OperatorStreamStateHandle;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;
import org.apache.flink.util.InstantiationUtil;
import org.junit.jupiter.api.Test;

/** What {@link ElasticOperatorState} shows, for any assignment. */
class ElasticOperatorStateTest {

    private static final OperatorID OPERATOR = new OperatorID(1, 2);
    private static final List<OperatorStateHandle> NOTHING = Collections.emptyList();
    private static final byte[] HEAD = {9, 8, 7};

    /** Key-groups and who owns each; some active subtasks may own nothing. */
    static final class Case {
        final int[] owners;
        final int subtasks;

        Case(int[] owners, int more) {
            this.owners = owners;
            this.subtasks =
                    Math.min(owners.length, Arrays.stream(owners).max().getAsInt() + 1 + more);
        }

        @Override
        public String toString() {
            return subtasks + " subtasks, owners " + Arrays.toString(owners);
        }
    }

    @Provide
    Arbitrary<Case> cases() {
        return Arbitraries.integers()
                .between(1, 40)
                .flatMap(
                        keyGroups ->
                                Combinators.combine(
                                                Arbitraries.integers()
                                                        .between(0, Math.min(keyGroups, 8) - 1)
                                                        .array(int[].class)
                                                        .ofSize(keyGroups),
                                                Arbitraries.integers().between(0, 2))
                                        .as(Case::new));
    }

    /** Each subtask reports all key-groups, as our backend does; only its own have data. */
    private static ElasticOperatorState report(Case c, boolean inMemory) {
        ElasticOperatorState state =
                new ElasticOperatorState(OPERATOR, c.owners, c.subtasks, NOTHING);
        for (int i = 0; i < c.subtasks; i++) {
            state.putState(i, reported(c, i, inMemory));
        }
        return state;
    }

    private static OperatorSubtaskState reported(Case c, int subtask, boolean inMemory) {
        return OperatorSubtaskState.builder()
                .setManagedKeyedState(keyed(c, subtask, inMemory, "managed"))
                .setRawKeyedState(keyed(c, subtask, inMemory, "raw"))
                .setManagedOperatorState(operator(subtask))
                .build();
    }

    private static KeyedStateHandle keyed(Case c, int subtask, boolean inMemory, String kind) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.write(HEAD, 0, HEAD.length);
        long[] offsets = new long[c.owners.length];
        for (int g = 0; g < offsets.length; g++) {
            boolean owns = c.owners[g] == subtask;
            // as a raw stream leaves out what is not written
            offsets[g] = kind.equals("raw") && !owns ? -1 : bytes.size();
            if (offsets[g] >= 0) {
                bytes.write(g);
                bytes.write(owns ? 1 : 0);
            }
        }
        String name = kind + "-" + subtask;
        StreamStateHandle stream =
                inMemory
                        ? new ByteStreamStateHandle(name, bytes.toByteArray())
                        : new FileStateHandle(new Path("/none/" + name), bytes.size());
        return new KeyGroupsStateHandle(
                new KeyGroupRangeOffsets(0, offsets.length - 1, offsets), stream);
    }

    private static OperatorStateHandle operator(int subtask) {
        // names in the same order in all maps: the hash code of a handle depends on it
        Map<String, OperatorStateHandle.StateMetaInfo> states = new HashMap<>();
        states.put(
                "a",
                new OperatorStateHandle.StateMetaInfo(
                        new long[] {0}, OperatorStateHandle.Mode.SPLIT_DISTRIBUTE));
        states.put(
                "b",
                new OperatorStateHandle.StateMetaInfo(
                        new long[] {1}, OperatorStateHandle.Mode.BROADCAST));
        return new OperatorStreamStateHandle(
                states, new ByteStreamStateHandle("operator-" + subtask, new byte[] {1, 2}));
    }

    private static <T> T only(Iterable<T> handles) {
        assertThat(handles).hasSize(1);
        return handles.iterator().next();
    }

    @Property
    void showsEachSubtaskItsContiguousRangeFromTheOwner(@ForAll("cases") Case c) throws Exception {
        ElasticOperatorState state = report(c, true);
        int shown = state.getParallelism();
        assertThat(shown).isBetween(c.subtasks, c.owners.length);
        for (int i = 0; i < shown; i++) {
            KeyGroupRange range =
                    KeyGroupRangeAssignment.computeKeyGroupRangeForOperatorIndex(
                            c.owners.length, shown, i);
            for (KeyedStateHandle handle :
                    Arrays.asList(
                            only(state.getState(i).getManagedKeyedState()),
                            only(state.getState(i).getRawKeyedState()))) {
                assertThat(handle.getKeyGroupRange()).isEqualTo(range);
                KeyGroupsStateHandle slice = (KeyGroupsStateHandle) handle;
                try (FSDataInputStream in = slice.openInputStream()) {
                    byte[] head = new byte[HEAD.length];
                    new DataInputStream(in).readFully(head);
                    assertThat(head).isEqualTo(HEAD);
                    for (int g : range) {
                        in.seek(slice.getOffsetForKeyGroup(g));
                        assertThat(in.read()).as("key-group").isEqualTo(g);
                        assertThat(in.read()).as("data of key-group %s", g).isEqualTo(1);
                    }
                }
            }
        }
    }

    @Property
    void writesNoMoreThanWasCollectedButForTheHeads(@ForAll("cases") Case c) {
        ElasticOperatorState state = report(c, true);
        long written = 0;
        for (OperatorSubtaskState shown : state.getStates()) {
            written += only(shown.getManagedKeyedState()).getStateSize();
        }
        assertThat(written)
                .isEqualTo(2L * c.owners.length + (long) state.getParallelism() * HEAD.length);
    }

    /** However many slices there are. */
    @Test
    void looksAtTheKeyGroupsOfAHandleOnce() {
        int[] owners = IntStream.range(0, 4_096).map(g -> g % 3).toArray();
        Case scattered = new Case(owners, 0);
        AtomicLong looks = new AtomicLong();
        ElasticOperatorState state = new ElasticOperatorState(OPERATOR, owners, 3, NOTHING);
        for (int i = 0; i < 3; i++) {
            KeyGroupsStateHandle handle =
                    (KeyGroupsStateHandle) keyed(scattered, i, true, "managed");
            state.putState(
                    i,
                    OperatorSubtaskState.builder()
                            .setManagedKeyedState(
                                    new KeyGroupsStateHandle(
                                            handle.getGroupRangeOffsets(),
                                            handle.getDelegateStateHandle()) {
                                        private static final long serialVersionUID = 1L;

                                        @Override
                                        public long getOffsetForKeyGroup(int keyGroup) {
                                            looks.incrementAndGet();
                                            return super.getOffsetForKeyGroup(keyGroup);
                                        }
                                    })
                            .build());
        }
        assertThat(state.getStates()).hasSize(owners.length);
        assertThat(looks.get()).isEqualTo(3L * owners.length);
    }

    /** A slice repeats the serializers for its readers; a completed checkpoint stays in memory. */
    @Test
    void keepsTheBytesOfAHandleOnce() {
        int[] owners = IntStream.range(0, 8_192).map(g -> g % 3).toArray();
        int head = 4 << 20;
        assertThat((long) head * owners.length)
                .as("would not fit")
                .isGreaterThan(Runtime.getRuntime().maxMemory());
        ElasticOperatorState state = new ElasticOperatorState(OPERATOR, owners, 3, NOTHING);
        for (int i = 0; i < 3; i++) {
            long[] offsets = IntStream.range(0, owners.length).mapToLong(g -> head + g).toArray();
            state.putState(
                    i,
                    OperatorSubtaskState.builder()
                            .setManagedKeyedState(
                                    new KeyGroupsStateHandle(
                                            new KeyGroupRangeOffsets(0, owners.length - 1, offsets),
                                            new ByteStreamStateHandle(
                                                    "state-" + i, new byte[head + owners.length])))
                            .build());
        }
        assertThat(state.getStates())
                .hasSize(owners.length)
                .allMatch(shown -> only(shown.getManagedKeyedState()).getStateSize() == head + 1);
    }

    @Property
    void showsTheLeastParallelismThatCan(@ForAll("cases") Case c) {
        int shown =
                new ElasticOperatorState(OPERATOR, c.owners, c.subtasks, NOTHING).getParallelism();
        for (int p = c.subtasks; p < shown; p++) {
            int parallelism = p;
            assertThat(
                            IntStream.range(0, parallelism)
                                    .mapToObj(
                                            i ->
                                                    KeyGroupRangeAssignment
                                                            .computeKeyGroupRangeForOperatorIndex(
                                                                    c.owners.length,
                                                                    parallelism,
                                                                    i)))
                    .as("ranges at %s", parallelism)
                    .anyMatch(
                            r ->
                                    IntStream.rangeClosed(r.getStartKeyGroup(), r.getEndKeyGroup())
                                                    .map(g -> c.owners[g])
                                                    .distinct()
                                                    .count()
                                            > 1);
        }
    }

    @Property
    void showsAnAssignmentOfFlinkAtItsOwnParallelism(@ForAll("cases") Case c) {
        int[] owners =
                IntStream.range(0, c.owners.length)
                        .map(
                                g ->
                                        KeyGroupRangeAssignment.computeOperatorIndexForKeyGroup(
                                                c.owners.length, c.subtasks, g))
                        .toArray();
        assertThat(new ElasticOperatorState(OPERATOR, owners, c.subtasks, NOTHING).getParallelism())
                .isEqualTo(c.subtasks);
    }

    @Property
    void keepsOperatorStateAndRepeatsWhatIsBroadcast(@ForAll("cases") Case c) {
        ElasticOperatorState state = report(c, true);
        for (int i = 0; i < state.getParallelism(); i++) {
            OperatorStateHandle handle = only(state.getState(i).getManagedOperatorState());
            if (i < c.subtasks) {
                assertThat(handle).isEqualTo(operator(i));
            } else {
                assertThat(handle.getStateNameToPartitionOffsets()).containsOnlyKeys("b");
            }
        }
        OperatorState collected = state.asCollected();
        assertThat(collected.getParallelism()).isEqualTo(c.subtasks);
        for (int i = 0; i < c.subtasks; i++) {
            assertThat(collected.getState(i)).isEqualTo(reported(c, i, true));
        }
    }

    @Property
    void showsWhatIsCarriedAsFurtherSubtasks(@ForAll("cases") Case c) {
        int room = Math.min(2, c.owners.length - c.subtasks);
        List<OperatorStateHandle> carried =
                Arrays.asList(operator(100), operator(101)).subList(0, room);
        ElasticOperatorState state =
                new ElasticOperatorState(OPERATOR, c.owners, c.subtasks, carried);
        OperatorState collected = state.asCollected();
        for (int i = 0; i < room; i++) {
            assertThat(only(state.getState(c.subtasks + i).getManagedOperatorState()))
                    .isEqualTo(carried.get(i));
            assertThat(only(collected.getState(c.subtasks + i).getManagedOperatorState()))
                    .isEqualTo(carried.get(i));
        }
        assertThat(state.getStateSize()).isEqualTo(2L * room);
    }

    @Property
    void isPlainInMetadataAndInStores(@ForAll("cases") Case c, @ForAll boolean inMemory)
            throws Exception {
        ElasticOperatorState state = report(c, inMemory);
        state.setCoordinatorState(new ByteStreamStateHandle("coordinator", new byte[] {5}));

        ByteArrayOutputStream metadata = new ByteArrayOutputStream();
        Checkpoints.storeCheckpointMetadata(
                new CheckpointMetadata(
                        7, Collections.singletonList(state), Collections.emptyList()),
                new DataOutputStream(metadata));
        OperatorState read =
                only(
                        Checkpoints.loadCheckpointMetadata(
                                        new DataInputStream(
                                                new ByteArrayInputStream(metadata.toByteArray())),
                                        getClass().getClassLoader(),
                                        null)
                                .getOperatorStates());
        assertThat(read.getClass()).isEqualTo(OperatorState.class);
        assertThat(state).isEqualTo(read);

        Object stored =
                InstantiationUtil.deserializeObject(
                        InstantiationUtil.serializeObject(state), getClass().getClassLoader());
        assertThat(stored.getClass()).isEqualTo(OperatorState.class);
        assertThat(stored).isEqualTo(read);
    }

    @Property(tries = 100)
    void discardsEachFileOnce(@ForAll("cases") Case c) throws Exception {
        Map<String, Integer> discarded = new TreeMap<>();
        ElasticOperatorState state =
                new ElasticOperatorState(OPERATOR, c.owners, c.subtasks, NOTHING);
        long size = 0;
        for (int i = 0; i < c.subtasks; i++) {
            String name = "file-" + i;
            KeyGroupsStateHandle handle =
                    new KeyGroupsStateHandle(
                            new KeyGroupRangeOffsets(0, c.owners.length - 1),
                            new FileStateHandle(new Path("/none/" + name), 10 + i) {
                                private static final long serialVersionUID = 1L;

                                @Override
                                public void discardState() {
                                    discarded.merge(name, 1, Integer::sum);
                                }
                            });
            size += handle.getStateSize();
            state.putState(i, OperatorSubtaskState.builder().setManagedKeyedState(handle).build());
        }
        assertThat(state.getStates()).hasSize(Math.max(c.subtasks, state.getParallelism()));
        assertThat(state.getStateSize()).isEqualTo(size);
        state.discardState();
        assertThat(discarded).hasSize(c.subtasks).allSatisfy((f, n) -> assertThat(n).isOne());
    }
}
