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

package io.meces.core.rescale;

import io.meces.core.messaging.TransitionAddress;
import io.meces.core.plan.Step;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The subtasks that take part in the rescale of a vertex: where they are, and how far they are in
 * event time. Owned by the JobMaster's main thread.
 */
final class Participants {

    private final Set<Integer> told = new TreeSet<>();
    private final Map<Integer, TransitionAddress> addresses = new HashMap<>();
    private final Map<Integer, Long> watermarks = new HashMap<>();
    private long watermarkOfReceivers = Long.MIN_VALUE;

    /** They are told to begin. */
    void add(Collection<Integer> subtasks) {
        told.addAll(subtasks);
    }

    /** Those that were told to begin, whether they have reported it or not. */
    Set<Integer> told() {
        return told;
    }

    void onBegun(int subtask, TransitionAddress address) {
        addresses.put(subtask, address);
    }

    /** They have all begun. */
    void onAllBegun(List<Step> steps) {
        for (Step step : steps) {
            for (int receiver : step.receivers()) {
                watermarkOfReceivers = Math.max(watermarkOfReceivers, watermarks.get(receiver));
            }
        }
    }

    /** One has told its watermark. */
    void onWatermark(int subtask, long watermark) {
        watermarks.merge(subtask, watermark, Math::max);
    }

    /** Whether the job has event time; otherwise no watermark has ever come. */
    boolean haveEventTime() {
        return watermarks.values().stream().anyMatch(w -> w > Long.MIN_VALUE);
    }

    /** To what receivers may have risen. */
    long watermarkOfReceivers() {
        return watermarkOfReceivers;
    }

    TransitionAddress address(int subtask) {
        return addresses.get(subtask);
    }

    /**
     * The watermark to which all receivers may rise: none must pass any donor that still has
     * something to give. To be called between two steps; in the second one they all stand at it.
     *
     * @param left the steps that are left, the next one included
     */
    long nextWatermarkOfReceivers(List<Step> left) {
        long lowestOfDonors = Long.MAX_VALUE;
        for (Step step : left) {
            for (int donor : step.donors()) {
                lowestOfDonors = Math.min(lowestOfDonors, watermarks.get(donor));
            }
        }
        watermarkOfReceivers = Math.max(watermarkOfReceivers, lowestOfDonors);
        return watermarkOfReceivers;
    }
}
