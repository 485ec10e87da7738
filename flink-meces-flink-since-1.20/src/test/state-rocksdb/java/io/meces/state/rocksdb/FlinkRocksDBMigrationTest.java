// SPDX-License-Identifier: Apache-2.0
package io.meces.state.rocksdb;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import org.apache.flink.runtime.state.CheckpointStorage;
import org.apache.flink.runtime.state.StateBackendMigrationTestBase;
import org.apache.flink.runtime.state.storage.JobManagerCheckpointStorage;
import org.apache.flink.testutils.junit.extensions.parameterized.Parameter;
import org.apache.flink.testutils.junit.extensions.parameterized.ParameterizedTestExtension;
import org.apache.flink.testutils.junit.extensions.parameterized.Parameters;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDir;

/** Flink's own tests of state whose serializer has changed, in elastic tasks. */
@ExtendWith({ParameterizedTestExtension.class, FlinkRocksDBMigrationTest.WithoutTimers.class})
public class FlinkRocksDBMigrationTest
        extends StateBackendMigrationTestBase<MecesRocksDBStateBackend> {

    @TempDir Path directory;

    /** Flink's extension asks for one. */
    @Parameter public String backend;

    @Parameters(name = "{0}")
    public static List<String> backends() {
        return Collections.singletonList("RocksDB");
    }

    @Override
    protected MecesRocksDBStateBackend getStateBackend() throws IOException {
        return InElasticTasks.in(directory);
    }

    @Override
    protected CheckpointStorage getCheckpointStorage() {
        return new JobManagerCheckpointStorage();
    }

    /** They are on the heap, and their queues not in the checkpoint of the backend. */
    static final class WithoutTimers implements ExecutionCondition {

        private static final String OF_TIMERS =
                "testPriorityQueueStateCreationFailsIfNewSerializerIsNotCompatible";

        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            return context.getTestMethod()
                            .filter(test -> test.getName().equals(OF_TIMERS))
                            .isPresent()
                    ? ConditionEvaluationResult.disabled("no timers in the checkpoint")
                    : ConditionEvaluationResult.enabled(null);
        }
    }
}
