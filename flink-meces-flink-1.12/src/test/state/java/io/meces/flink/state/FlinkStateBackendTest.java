// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.state.MecesStateBackend;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.runtime.state.StateBackendTestBase;
import org.junit.Test;

/** Flink's own tests of a state backend. */
public class FlinkStateBackendTest extends StateBackendTestBase<MecesStateBackend> {

    @Override
    protected MecesStateBackend getStateBackend() {
        return new MecesStateBackend();
    }

    @Override
    protected boolean isSerializerPresenceRequiredOnRestore() {
        return true;
    }

    @Test
    public void snapshotsAreAsynchronous() throws Exception {
        assertThat(createKeyedBackend(IntSerializer.INSTANCE).supportsAsynchronousSnapshots())
                .isTrue();
    }
}
