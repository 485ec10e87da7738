// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live.matrix;

import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.functions.sink.SinkFunction;

/** Collects the results of a run, and remembers which of them came before each barrier. */
final class Lines implements SinkFunction<String>, CheckpointedFunction {
    private static final long serialVersionUID = 1L;

    private final String runName;

    Lines(String runName) {
        this.runName = runName;
    }

    @Override
    public void invoke(String line, Context context) {
        Run.named(runName).line(line);
    }

    @Override
    public void snapshotState(FunctionSnapshotContext context) {
        Run.named(runName).checkpoint(context.getCheckpointId());
    }

    @Override
    public void initializeState(FunctionInitializationContext context) {}
}
