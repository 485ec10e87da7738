// SPDX-License-Identifier: Apache-2.0
package io.meces.state.rocksdb;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.apache.flink.runtime.state.CheckpointStorage;
import org.apache.flink.runtime.state.ConfigurableStateBackend;
import org.apache.flink.runtime.state.StateBackendTestBase;
import org.apache.flink.runtime.state.storage.JobManagerCheckpointStorage;
import org.apache.flink.testutils.junit.extensions.parameterized.NoOpTestExtension;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDir;

/**
 * Flink's own tests of a state backend, in elastic tasks and with incremental checkpoints: what its
 * {@code EmbeddedRocksDBStateBackendTest} begins from.
 */
@ExtendWith({NoOpTestExtension.class, FlinkRocksDBStateBackendTest.InTime.class})
class FlinkRocksDBStateBackendTest extends StateBackendTestBase<MecesRocksDBStateBackend> {

    @TempDir Path directory;

    @Override
    protected ConfigurableStateBackend getStateBackend() throws IOException {
        return InElasticTasks.in(directory);
    }

    @Override
    protected CheckpointStorage getCheckpointStorage() {
        return new JobManagerCheckpointStorage();
    }

    @Override
    protected boolean isSerializerPresenceRequiredOnRestore() {
        return false;
    }

    @Override
    protected boolean supportsAsynchronousSnapshots() {
        return true;
    }

    @Override
    protected boolean isSafeToReuseKVState() {
        return false;
    }

    /** In others each of dozens of subtasks gets the files of all, which FileSets deals out. */
    static final class InTime implements ExecutionCondition {

        private static final List<String> TAKE_MINUTES =
                Arrays.asList(
                        "testKeyGroupsSnapshotRestoreScaleUpUnEvenDistribute",
                        "testKeyGroupsSnapshotRestoreScaleDownUnEvenDistribute");

        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            return context.getTestMethod()
                            .filter(test -> TAKE_MINUTES.contains(test.getName()))
                            .isPresent()
                    ? ConditionEvaluationResult.disabled("takes minutes")
                    : ConditionEvaluationResult.enabled(null);
        }
    }
}
