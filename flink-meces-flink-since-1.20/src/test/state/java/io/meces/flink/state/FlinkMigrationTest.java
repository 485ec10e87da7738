// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.state;

import io.meces.state.MecesStateBackend;
import java.util.Collections;
import java.util.List;
import org.apache.flink.runtime.state.StateBackendMigrationTestBase;
import org.apache.flink.testutils.junit.extensions.parameterized.Parameter;
import org.apache.flink.testutils.junit.extensions.parameterized.ParameterizedTestExtension;
import org.apache.flink.testutils.junit.extensions.parameterized.Parameters;
import org.junit.jupiter.api.extension.ExtendWith;

/** Flink's own tests of state whose serializer has changed. */
@ExtendWith(ParameterizedTestExtension.class)
public class FlinkMigrationTest extends StateBackendMigrationTestBase<MecesStateBackend> {

    /** Flink's extension asks for one. */
    @Parameter public String backend;

    @Parameters(name = "{0}")
    public static List<String> backends() {
        return Collections.singletonList("heap");
    }

    @Override
    protected MecesStateBackend getStateBackend() {
        return new MecesStateBackend();
    }
}
