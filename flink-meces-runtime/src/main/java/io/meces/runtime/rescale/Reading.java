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

package io.meces.runtime.rescale;

import io.meces.api.RescaleState;
import java.util.function.Consumer;
import org.apache.flink.util.FlinkException;

/** Scale-in: what the subtasks that leave have of list state is read from a checkpoint. */
final class Reading extends State {

    private final long checkpoint;
    private final Consumer<Runnable> then;

    /**
     * @param then is given what has later checkpoints carry that state
     */
    Reading(VertexRescale rescale, long checkpoint, Consumer<Runnable> then) {
        super(rescale, RescaleState.READING);
        this.checkpoint = checkpoint;
        this.then = then;
    }

    @Override
    void enter() {
        failAfterStepTimeout();
        after(
                context.readListState(way.vertex, way.to, way.from, checkpoint),
                (carry, failure) -> {
                    if (failure != null) {
                        rescale.failJob(
                                new FlinkException(
                                        "The list state of subtasks that leave is handed"
                                                + " over by a restart of the job at the"
                                                + " new parallelism",
                                        failure));
                    } else {
                        then.accept(carry);
                    }
                });
    }
}
