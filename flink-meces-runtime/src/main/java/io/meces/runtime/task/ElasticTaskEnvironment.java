/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

package io.meces.runtime.task;

import io.meces.core.plan.VertexLayout;
import io.meces.state.ElasticEnvironment;
import java.util.BitSet;
import java.util.Map;
import java.util.concurrent.Future;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.accumulators.AccumulatorRegistry;
import org.apache.flink.runtime.broadcast.BroadcastVariableManager;
import org.apache.flink.runtime.checkpoint.CheckpointMetrics;
import org.apache.flink.runtime.checkpoint.TaskStateSnapshot;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.apache.flink.runtime.externalresource.ExternalResourceInfoProvider;
import org.apache.flink.runtime.io.disk.iomanager.IOManager;
import org.apache.flink.runtime.io.network.TaskEventDispatcher;
import org.apache.flink.runtime.io.network.api.writer.ResultPartitionWriter;
import org.apache.flink.runtime.io.network.partition.consumer.IndexedInputGate;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.runtime.jobgraph.tasks.InputSplitProvider;
import org.apache.flink.runtime.jobgraph.tasks.TaskOperatorEventGateway;
import org.apache.flink.runtime.memory.MemoryManager;
import org.apache.flink.runtime.metrics.groups.TaskMetricGroup;
import org.apache.flink.runtime.query.TaskKvStateRegistry;
import org.apache.flink.runtime.state.TaskStateManager;
import org.apache.flink.runtime.taskexecutor.GlobalAggregateManager;
import org.apache.flink.runtime.taskmanager.TaskManagerRuntimeInfo;
import org.apache.flink.util.UserCodeClassLoader;

/**
 * The environment of an elastic subtask. It tells the active parallelism at the deployment where
 * Flink's own would tell the capacity, has no local recovery, and is Flink's own in all else.
 *
 * <p>A subtask that was activated in the running job has a task name of its own. What sinks derive
 * from name and index, such as Kafka's transactional ids, is then never that of an earlier subtask
 * with this index: that one's may be in the list state of any subtask, and in use.
 */
final class ElasticTaskEnvironment implements Environment, ElasticEnvironment {

    private final Environment environment;
    private final VertexLayout layout;
    private final TaskInfo taskInfo;
    private final TaskStateManager taskStateManager;

    ElasticTaskEnvironment(Environment environment, VertexLayout layout) {
        this.environment = environment;
        this.layout = layout;
        this.taskStateManager = new RemoteTaskStateManager(environment.getTaskStateManager());
        TaskInfo original = environment.getTaskInfo();
        String activation = layout.activation(original.getIndexOfThisSubtask());
        // Flink forbids an index beyond the parallelism
        int parallelism = Math.max(layout.parallelism(), original.getIndexOfThisSubtask() + 1);
        this.taskInfo =
                new TaskInfo(
                        // in front, as sinks cut long names off
                        activation == null
                                ? original.getTaskName()
                                : activation + " " + original.getTaskName(),
                        original.getMaxNumberOfParallelSubtasks(),
                        original.getIndexOfThisSubtask(),
                        parallelism,
                        original.getAttemptNumber(),
                        original.getAllocationIDAsString());
    }

    @Override
    public int subGroups() {
        return layout.subGroups();
    }

    @Override
    public BitSet keyGroups() {
        return layout.keyGroupsOf(taskInfo.getIndexOfThisSubtask());
    }

    @Override
    public TaskInfo getTaskInfo() {
        return taskInfo;
    }

    @Override
    public ExecutionConfig getExecutionConfig() {
        return environment.getExecutionConfig();
    }

    @Override
    public JobID getJobID() {
        return environment.getJobID();
    }

    @Override
    public JobVertexID getJobVertexId() {
        return environment.getJobVertexId();
    }

    @Override
    public ExecutionAttemptID getExecutionId() {
        return environment.getExecutionId();
    }

    @Override
    public Configuration getTaskConfiguration() {
        return environment.getTaskConfiguration();
    }

    @Override
    public TaskManagerRuntimeInfo getTaskManagerInfo() {
        return environment.getTaskManagerInfo();
    }

    @Override
    public TaskMetricGroup getMetricGroup() {
        return environment.getMetricGroup();
    }

    @Override
    public Configuration getJobConfiguration() {
        return environment.getJobConfiguration();
    }

    @Override
    public InputSplitProvider getInputSplitProvider() {
        return environment.getInputSplitProvider();
    }

    @Override
    public TaskOperatorEventGateway getOperatorCoordinatorEventGateway() {
        return environment.getOperatorCoordinatorEventGateway();
    }

    @Override
    public IOManager getIOManager() {
        return environment.getIOManager();
    }

    @Override
    public MemoryManager getMemoryManager() {
        return environment.getMemoryManager();
    }

    @Override
    public UserCodeClassLoader getUserCodeClassLoader() {
        return environment.getUserCodeClassLoader();
    }

    @Override
    public Map<String, Future<Path>> getDistributedCacheEntries() {
        return environment.getDistributedCacheEntries();
    }

    @Override
    public BroadcastVariableManager getBroadcastVariableManager() {
        return environment.getBroadcastVariableManager();
    }

    @Override
    public TaskStateManager getTaskStateManager() {
        return taskStateManager;
    }

    @Override
    public GlobalAggregateManager getGlobalAggregateManager() {
        return environment.getGlobalAggregateManager();
    }

    @Override
    public ExternalResourceInfoProvider getExternalResourceInfoProvider() {
        return environment.getExternalResourceInfoProvider();
    }

    @Override
    public AccumulatorRegistry getAccumulatorRegistry() {
        return environment.getAccumulatorRegistry();
    }

    @Override
    public TaskKvStateRegistry getTaskKvStateRegistry() {
        return environment.getTaskKvStateRegistry();
    }

    @Override
    public void acknowledgeCheckpoint(long checkpointId, CheckpointMetrics metrics) {
        environment.acknowledgeCheckpoint(checkpointId, metrics);
    }

    @Override
    public void acknowledgeCheckpoint(
            long checkpointId, CheckpointMetrics metrics, TaskStateSnapshot state) {
        environment.acknowledgeCheckpoint(checkpointId, metrics, state);
    }

    @Override
    public void declineCheckpoint(long checkpointId, Throwable cause) {
        environment.declineCheckpoint(checkpointId, cause);
    }

    @Override
    public void failExternally(Throwable cause) {
        environment.failExternally(cause);
    }

    @Override
    public ResultPartitionWriter getWriter(int index) {
        return environment.getWriter(index);
    }

    @Override
    public ResultPartitionWriter[] getAllWriters() {
        return environment.getAllWriters();
    }

    @Override
    public IndexedInputGate getInputGate(int index) {
        return environment.getInputGate(index);
    }

    @Override
    public IndexedInputGate[] getAllInputGates() {
        return environment.getAllInputGates();
    }

    @Override
    public TaskEventDispatcher getTaskEventDispatcher() {
        return environment.getTaskEventDispatcher();
    }
}
