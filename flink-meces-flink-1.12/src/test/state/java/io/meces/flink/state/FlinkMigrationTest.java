// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.state;

import io.meces.state.MecesStateBackend;
import org.apache.flink.runtime.state.StateBackendMigrationTestBase;

/** Flink's own tests of state whose serializer has changed. */
public class FlinkMigrationTest extends StateBackendMigrationTestBase<MecesStateBackend> {

    @Override
    protected MecesStateBackend getStateBackend() {
        return new MecesStateBackend();
    }
}
