// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.io.IOException;
import java.util.List;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.runtime.state.OperatorBackendSerializationProxy;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot;

/** What a snapshot of operator state begins with. Pure. */
public final class OperatorStateHeader {

    private OperatorStateHeader() {}

    /** Writes which states there are. */
    public static void write(
            List<StateMetaInfoSnapshot> lists,
            List<StateMetaInfoSnapshot> broadcasts,
            DataOutputView out)
            throws IOException {
        new OperatorBackendSerializationProxy(lists, broadcasts, false).write(out);
    }
}
