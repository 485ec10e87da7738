// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.state;

import io.meces.state.MecesStateBackend;
import org.apache.flink.runtime.state.ConfigurableStateBackend;
import org.apache.flink.runtime.state.StateBackendTestBase;
import org.apache.flink.testutils.junit.extensions.parameterized.NoOpTestExtension;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Flink's own tests of a state backend. */
@ExtendWith({NoOpTestExtension.class, FlinkStateBackendTest.WithoutLatency.class})
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

    /** The latency of accesses to states is not tracked. */
    static final class WithoutLatency implements ExecutionCondition {

        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            return context.getTestMethod()
                            .filter(test -> test.getName().equals("testEnableStateLatencyTracking"))
                            .isPresent()
                    ? ConditionEvaluationResult.disabled("latency is not tracked")
                    : ConditionEvaluationResult.enabled(null);
        }
    }
}
