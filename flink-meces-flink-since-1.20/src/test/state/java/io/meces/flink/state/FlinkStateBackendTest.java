// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.state;

import io.meces.state.MecesStateBackend;
import org.apache.flink.runtime.state.ConfigurableStateBackend;
import org.apache.flink.runtime.state.StateBackendTestBase;
import org.apache.flink.testutils.junit.extensions.parameterized.NoOpTestExtension;
import org.junit.jupiter.api.extension.ExtendWith;

/** Flink's own tests of a state backend. */
@ExtendWith(NoOpTestExtension.class)
class FlinkStateBackendTest extends StateBackendTestBase<MecesStateBackend> {

    @Override
    protected ConfigurableStateBackend getStateBackend() {
        return new MecesStateBackend();
    }

    @Override
    protected boolean isSerializerPresenceRequiredOnRestore() {
        return true;
    }

    @Override
    protected boolean supportsAsynchronousSnapshots() {
        return true;
    }
}
