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

package io.meces.runtime.checkpoint;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import javax.annotation.Nullable;
import org.apache.flink.runtime.checkpoint.PendingCheckpoint;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;

/**
 * Which checkpoints have been acknowledged for those who cannot, and who has left. A checkpoint
 * waits for the attempts that were current when it was triggered, also for those that leave before
 * its barrier comes. Owned by the JobMaster's main thread.
 */
public final class Acknowledgements {

    /** Far more than can leave while a checkpoint is on its way. */
    private static final int REMEMBERED = 10_000;

    /** The oldest first. */
    private final Set<ExecutionAttemptID> former = new LinkedHashSet<>();

    private final Set<Long> begun = new HashSet<>();

    /**
     * An attempt acknowledges nothing any more. It is remembered although it has been acknowledged
     * once, as until it is replaced further checkpoints are triggered that wait for it.
     */
    public void onLeaving(ExecutionAttemptID attempt) {
        former.add(attempt);
        if (former.size() > REMEMBERED) {
            former.remove(former.iterator().next());
        }
    }

    /**
     * A task has acknowledged a checkpoint. Several can be on their way, and the first
     * acknowledgement of a later one can come before that of an earlier one.
     *
     * @param pending those that are on their way, by id
     * @return the checkpoint if that is its first acknowledgement; null if not, or if it is not on
     *     its way any more
     */
    @Nullable
    public PendingCheckpoint beginning(
            long checkpoint, Supplier<Map<Long, PendingCheckpoint>> pending) {
        if (begun.contains(checkpoint)) {
            return null;
        }
        Map<Long, PendingCheckpoint> onTheirWay = pending.get();
        begun.retainAll(onTheirWay.keySet());
        PendingCheckpoint first = onTheirWay.get(checkpoint);
        if (first != null) {
            begun.add(checkpoint);
        }
        return first;
    }

    /** The attempts that have left for which a checkpoint waits. */
    public List<ExecutionAttemptID> formerAwaitedBy(PendingCheckpoint checkpoint) {
        List<ExecutionAttemptID> awaited = new ArrayList<>(former);
        awaited.removeIf(checkpoint::isAcknowledgedBy);
        return awaited;
    }
}
