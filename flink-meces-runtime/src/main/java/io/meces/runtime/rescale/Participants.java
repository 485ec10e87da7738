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

import io.meces.runtime.event.TaskReport;
import io.meces.runtime.plan.Step;
import io.meces.runtime.transition.TransitionAddress;
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

    void onBegun(int subtask, TaskReport.Begun report) {
        addresses.put(subtask, report.address);
        watermarks.put(subtask, report.watermark);
    }

    /** They have all begun. */
    void level(List<Step> steps) {
        for (Step step : steps) {
            for (int receiver : step.receivers()) {
                watermarkOfReceivers = Math.max(watermarkOfReceivers, watermarks.get(receiver));
            }
        }
    }

    void onCompleted(int subtask, long watermark) {
        watermarks.put(subtask, watermark);
    }

    TransitionAddress address(int subtask) {
        return addresses.get(subtask);
    }

    /**
     * The watermark at which all receivers are to stand in the next step: none must pass any donor
     * that still has something to give.
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
