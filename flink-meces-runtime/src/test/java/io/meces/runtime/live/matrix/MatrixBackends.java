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

import java.nio.file.Path;
import javax.annotation.Nullable;
import org.apache.flink.runtime.state.StateBackend;

/** State backends whose TTL has the clock of a run. */
interface MatrixBackends {

    StateBackend ours(Run run, int subGroups);

    /** Whether savepoints of both have timers at the same place. */
    boolean writeTheSameBytes();

    /** Where checkpoints are kept, per job; null if nowhere. */
    @Nullable
    Path checkpoints();

    /** The one of Flink that ours is in place of. */
    StateBackend flinks(Run run);
}
