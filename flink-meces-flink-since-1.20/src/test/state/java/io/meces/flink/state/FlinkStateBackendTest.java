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
@ExtendWith({NoOpTestExtension.class, FlinkStateBackendTest.Untracked.class})
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

    /** Neither the latency of accesses to states nor the size of values is tracked. */
    static final class Untracked implements ExecutionCondition {

        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            return context.getTestMethod()
                            .filter(
                                    test ->
                                            test.getName().equals("testEnableStateLatencyTracking")
                                                    || test.getName()
                                                            .equals("testEnableStateSizeTracking"))
                            .isPresent()
                    ? ConditionEvaluationResult.disabled("it is not tracked")
                    : ConditionEvaluationResult.enabled(null);
        }
    }
}
