// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import javax.annotation.Nullable;
import org.apache.flink.runtime.checkpoint.metadata.MetadataV3Serializer;
import org.apache.flink.runtime.state.OperatorStateHandle;

/** What the metadata of a checkpoint have of the state of an operator. Pure. */
public final class OperatorStateMetadata {

    private OperatorStateMetadata() {}

    public static void write(@Nullable OperatorStateHandle handle, DataOutputStream out)
            throws IOException {
        MetadataV3Serializer.INSTANCE.serializeOperatorStateHandleUtil(handle, out);
    }

    @Nullable
    public static OperatorStateHandle read(DataInputStream in) throws IOException {
        return MetadataV3Serializer.INSTANCE.deserializeOperatorStateHandleUtil(in);
    }
}
