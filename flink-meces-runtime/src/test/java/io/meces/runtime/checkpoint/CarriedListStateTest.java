// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.meces.runtime.FlinkIds;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.api.common.JobID;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.checkpoint.CheckpointProperties;
import org.apache.flink.runtime.checkpoint.CompletedCheckpoint;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.state.CompletedCheckpointStorageLocation;
import org.apache.flink.runtime.state.OperatorStateHandle;
import org.apache.flink.runtime.state.OperatorStateHandle.Mode;
import org.apache.flink.runtime.state.OperatorStateHandle.StateMetaInfo;
import org.apache.flink.runtime.state.OperatorStreamStateHandle;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;
import org.apache.flink.util.FlinkException;
import org.junit.jupiter.api.Test;

/** What of list state is carried, and how it is merged. */
class CarriedListStateTest {

    private static final OperatorID OPERATOR = new OperatorID(1, 2);

    /** A stream of a head and elements of one character. */
    private static OperatorStateHandle stream(String head, String elements, Mode mode) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        byte[] headBytes = head.getBytes(StandardCharsets.US_ASCII);
        bytes.write(headBytes, 0, headBytes.length);
        long[] offsets = new long[elements.length()];
        for (int i = 0; i < offsets.length; i++) {
            offsets[i] = bytes.size();
            bytes.write(elements.charAt(i));
        }
        return new OperatorStreamStateHandle(
                new TreeMap<>(Collections.singletonMap("list", new StateMetaInfo(offsets, mode))),
                new ByteStreamStateHandle(head + elements, bytes.toByteArray()));
    }

    private static CompletedCheckpoint checkpoint(OperatorSubtaskState... subtasks) {
        OperatorState state = new OperatorState(OPERATOR, subtasks.length, 128);
        for (int i = 0; i < subtasks.length; i++) {
            state.putState(i, subtasks[i]);
        }
        return new CompletedCheckpoint(
                new JobID(),
                1,
                0,
                1,
                Collections.singletonMap(OPERATOR, state),
                Collections.emptyList(),
                CheckpointProperties.forSavepoint(true),
                new NoLocation());
    }

    private static OperatorSubtaskState managed(OperatorStateHandle handle) {
        return OperatorSubtaskState.builder().setManagedOperatorState(handle).build();
    }

    private static CarriedListState carry(
            CarriedListState before, int from, OperatorSubtaskState... subtasks)
            throws IOException, FlinkException {
        return before.with(
                checkpoint(subtasks),
                Collections.singleton(OPERATOR),
                Collections.singletonMap(FlinkIds.of(OPERATOR), "settled"),
                from,
                subtasks.length);
    }

    private static List<String> elements(CarriedListState carried) throws IOException {
        List<String> elements = new ArrayList<>();
        for (OperatorStateHandle handle : carried.of(OPERATOR)) {
            for (long offset : handle.getStateNameToPartitionOffsets().get("list").getOffsets()) {
                try (FSDataInputStream in = handle.openInputStream()) {
                    in.seek(offset);
                    elements.add(String.valueOf((char) in.read()));
                }
            }
        }
        return elements;
    }

    @Test
    void streamsWithTheSameHeadBecomeOne() throws Exception {
        CarriedListState carried =
                carry(
                        CarriedListState.none(),
                        1,
                        managed(stream("head", "xyz", Mode.UNION)),
                        managed(stream("head", "ab", Mode.UNION)),
                        managed(stream("head", "c", Mode.UNION)));
        assertThat(elements(carried)).containsExactly("a", "b", "c");
        assertThat(carried.parts()).isEqualTo(1);
        carried = carry(carried, 0, managed(stream("head", "de", Mode.UNION)));
        assertThat(elements(carried)).containsExactly("a", "b", "c", "d", "e");
        assertThat(carried.parts()).isEqualTo(1);
        carried = carry(carried, 0, managed(stream("other", "f", Mode.UNION)));
        carried = carry(carried, 0, managed(stream("head", "g", Mode.SPLIT_DISTRIBUTE)));
        assertThat(elements(carried)).containsExactly("a", "b", "c", "d", "e", "f", "g");
        assertThat(carried.parts()).isEqualTo(3);
    }

    @Test
    void emptyListsAndBroadcastStateAreNotCarried() throws Exception {
        CarriedListState carried =
                carry(
                        CarriedListState.none(),
                        0,
                        managed(stream("head", "", Mode.SPLIT_DISTRIBUTE)),
                        managed(stream("head", "a", Mode.BROADCAST)),
                        OperatorSubtaskState.builder().build());
        assertThat(carried.parts()).isZero();
        assertThat(carried.of(OPERATOR)).isEmpty();
    }

    @Test
    void settledStateIsNotCarried() throws Exception {
        byte[] bytes = "headxyz".getBytes(StandardCharsets.US_ASCII);
        Map<String, StateMetaInfo> both = new TreeMap<>();
        both.put("settled", new StateMetaInfo(new long[] {4, 5}, Mode.SPLIT_DISTRIBUTE));
        both.put("list", new StateMetaInfo(new long[] {6}, Mode.SPLIT_DISTRIBUTE));
        OperatorStateHandle handle =
                new OperatorStreamStateHandle(both, new ByteStreamStateHandle("both", bytes));
        OperatorStateHandle transactions =
                new OperatorStreamStateHandle(
                        Collections.singletonMap("settled", both.get("settled")),
                        new ByteStreamStateHandle("transactions", bytes));

        CarriedListState carried = carry(CarriedListState.none(), 0, managed(transactions));
        assertThat(carried.parts()).isZero();

        carried = carry(carried, 0, managed(handle), managed(handle));
        assertThat(carried.of(OPERATOR))
                .allSatisfy(
                        part ->
                                assertThat(part.getStateNameToPartitionOffsets())
                                        .containsOnlyKeys("list"));
        assertThat(elements(carried)).containsExactly("z", "z");
    }

    @Test
    void whatIsTooLargeOrRawIsNotCarried() {
        OperatorStateHandle large =
                new OperatorStreamStateHandle(
                        Collections.singletonMap(
                                "list", new StateMetaInfo(new long[] {0}, Mode.SPLIT_DISTRIBUTE)),
                        new FileStateHandle(new Path("/none"), CarriedListState.LIMIT + 1));
        assertThatThrownBy(() -> carry(CarriedListState.none(), 0, managed(large)))
                .hasMessageContaining("exceeds");
        OperatorSubtaskState raw =
                OperatorSubtaskState.builder()
                        .setRawOperatorState(stream("", "a", Mode.SPLIT_DISTRIBUTE))
                        .build();
        assertThatThrownBy(() -> carry(CarriedListState.none(), 0, raw))
                .hasMessageContaining("raw operator state");
    }

    /** A checkpoint that is not stored anywhere. */
    private static final class NoLocation implements CompletedCheckpointStorageLocation {
        private static final long serialVersionUID = 1L;

        @Override
        public String getExternalPointer() {
            return "none";
        }

        @Override
        public StreamStateHandle getMetadataHandle() {
            return new ByteStreamStateHandle("none", new byte[0]);
        }

        @Override
        public void disposeStorageLocation() {
            // there is none
        }
    }
}
