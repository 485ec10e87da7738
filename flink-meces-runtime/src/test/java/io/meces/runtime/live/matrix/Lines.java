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
