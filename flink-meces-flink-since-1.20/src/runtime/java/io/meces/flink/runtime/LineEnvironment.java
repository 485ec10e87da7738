// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.util.concurrent.ExecutorService;
import org.apache.flink.api.common.JobInfo;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.runtime.checkpoint.CheckpointException;
import org.apache.flink.runtime.checkpoint.channel.ChannelStateWriteRequestExecutorFactory;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.jobgraph.JobType;
import org.apache.flink.runtime.memory.SharedResources;
import org.apache.flink.runtime.state.CheckpointStorageAccess;
import org.apache.flink.runtime.taskmanager.TaskManagerActions;

/**
 * What only this line of Flink has of an environment, or has with other types. Thread-safe as
 * Flink's own.
 */
public abstract class LineEnvironment extends ChannelStateEnvironment {

    protected LineEnvironment(Environment environment) {
        super(environment);
    }

    @Override
    public void declineCheckpoint(long checkpointId, CheckpointException cause) {
        environment.declineCheckpoint(checkpointId, cause);
    }

    @Override
    public JobType getJobType() {
        return environment.getJobType();
    }

    @Override
    public JobInfo getJobInfo() {
        return environment.getJobInfo();
    }

    @Override
    public SharedResources getSharedResources() {
        return environment.getSharedResources();
    }

    @Override
    public TaskManagerActions getTaskManagerActions() {
        return environment.getTaskManagerActions();
    }

    @Override
    public MailboxExecutor getMainMailboxExecutor() {
        return environment.getMainMailboxExecutor();
    }

    @Override
    public ExecutorService getAsyncOperationsThreadPool() {
        return environment.getAsyncOperationsThreadPool();
    }

    @Override
    public CheckpointStorageAccess getCheckpointStorageAccess() {
        return environment.getCheckpointStorageAccess();
    }

    @Override
    public ChannelStateWriteRequestExecutorFactory getChannelStateExecutorFactory() {
        return environment.getChannelStateExecutorFactory();
    }

    @Override
    public void setMainMailboxExecutor(MailboxExecutor it) {
        environment.setMainMailboxExecutor(it);
    }

    @Override
    public void setAsyncOperationsThreadPool(ExecutorService it) {
        environment.setAsyncOperationsThreadPool(it);
    }

    @Override
    public void setCheckpointStorageAccess(CheckpointStorageAccess it) {
        environment.setCheckpointStorageAccess(it);
    }
}
