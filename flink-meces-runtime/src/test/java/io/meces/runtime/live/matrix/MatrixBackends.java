// SPDX-License-Identifier: Apache-2.0
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
