// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.state.OperatorStateHandle;
import org.apache.flink.runtime.state.OperatorStreamStateHandle;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;
import org.apache.flink.util.InstantiationUtil;
import org.junit.jupiter.api.Test;

/** The bytes of {@link BroadcastTransfer}, which anybody may have sent where there is no TLS. */
class BroadcastTransferTest {

    private static OperatorStateHandle handle(StreamStateHandle stream) {
        return new OperatorStreamStateHandle(
                Collections.singletonMap(
                        "rules",
                        new OperatorStateHandle.StateMetaInfo(
                                new long[] {3}, OperatorStateHandle.Mode.BROADCAST)),
                stream);
    }

    private static final OperatorStateHandle RULES =
            handle(new ByteStreamStateHandle("state", new byte[] {1, 2, 3, 4}));

    @Test
    void comesAsItWas() throws Exception {
        List<OperatorStateHandle> handles = Arrays.asList(null, RULES, null);
        assertThat(BroadcastTransfer.deserialize(BroadcastTransfer.serialize(handles), 3))
                .isEqualTo(handles);
    }

    @Test
    void runsNothingThatComes() throws Exception {
        ArrayList<Object> objects = new ArrayList<>(Collections.singletonList(new Trap()));
        byte[] bytes = InstantiationUtil.serializeObject(objects);
        assertThatThrownBy(() -> BroadcastTransfer.deserialize(bytes, 1))
                .isInstanceOf(IOException.class);
        assertThat(Trap.SPRUNG.get()).isZero();
    }

    @Test
    void readsNoFileThatASenderNames() throws Exception {
        byte[] bytes =
                BroadcastTransfer.serialize(
                        Collections.singletonList(
                                handle(new FileStateHandle(new Path("/etc/passwd"), 10))));
        assertThatThrownBy(() -> BroadcastTransfer.deserialize(bytes, 1))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("in a file");
    }

    @Test
    void refusesWhatIsCutOrOfAnotherChain() throws Exception {
        byte[] bytes = BroadcastTransfer.serialize(Collections.singletonList(RULES));
        for (int length = 0; length < bytes.length; length++) {
            byte[] cut = Arrays.copyOf(bytes, length);
            assertThatThrownBy(() -> BroadcastTransfer.deserialize(cut, 1))
                    .isInstanceOf(IOException.class);
        }
        assertThatThrownBy(() -> BroadcastTransfer.deserialize(bytes, 2))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("of 1 operators came, not of 2");
    }

    /** Says so when it is deserialised. */
    private static final class Trap implements Serializable {
        private static final long serialVersionUID = 1L;
        private static final AtomicInteger SPRUNG = new AtomicInteger();

        private void readObject(ObjectInputStream in) {
            SPRUNG.incrementAndGet();
        }
    }
}
