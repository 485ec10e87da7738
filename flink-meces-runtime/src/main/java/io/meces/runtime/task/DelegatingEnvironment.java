// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.task;

import io.meces.flink.runtime.LineEnvironment;
import java.util.Map;
import java.util.concurrent.Future;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.api.common.JobID;
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
import org.apache.flink.runtime.taskexecutor.GlobalAggregateManager;
import org.apache.flink.runtime.taskmanager.TaskManagerRuntimeInfo;
import org.apache.flink.util.UserCodeClassLoader;

/**
 * An environment that is another one, but for what is overridden. What lines of Flink have
 * otherwise is in {@link LineEnvironment}. Thread-safe as Flink's own.
 */
abstract class DelegatingEnvironment extends LineEnvironment {

    DelegatingEnvironment(Environment environment) {
        super(environment);
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
