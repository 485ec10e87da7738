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

package io.meces.examples.cli;

import io.meces.examples.rest.RescalePlan;
import io.meces.examples.rest.RescaleStatus;
import java.io.PrintWriter;

/** Puts rescales into words. */
final class RescalePrinter {

    private RescalePrinter() {}

    /** Prints how a rescale stands. */
    static void print(RescaleStatus rescale, PrintWriter out) {
        out.printf("%s  %s after %d ms%n", rescale.id, rescale.state, rescale.durationMs);
        for (RescaleStatus.VertexChange vertex : rescale.vertices) {
            out.printf("  %s: %d to %d%n", vertex.name, vertex.from, vertex.to);
        }
        out.printf(
                "  steps %d of %d, units %d of %d (%d on demand), %d bytes; no task stopped for longer than"
                        + " %.1f ms%n",
                rescale.stepsCompleted,
                rescale.stepsTotal,
                rescale.unitsMigrated,
                rescale.unitsTotal,
                rescale.unitsOnDemand,
                rescale.bytes,
                rescale.longestStopMicros / 1_000.0);
        if (rescale.firstRecordMs != null) {
            out.printf("  first record at a new owner after %d ms%n", rescale.firstRecordMs);
        }
        if (rescale.longestWithoutCheckpointMs != null) {
            out.printf(
                    "  longest time without a checkpoint %d ms%n",
                    rescale.longestWithoutCheckpointMs);
        }
        if (rescale.attempt > 1) {
            out.printf("  attempt %d%n", rescale.attempt);
        }
        if (rescale.failure != null) {
            out.println("  " + rescale.failure);
        }
    }

    /** Prints what a rescale would do. */
    static void print(RescalePlan plan, PrintWriter out) {
        for (RescalePlan.Vertex vertex : plan.vertices) {
            out.printf("%s: %d to %d%n", vertex.name, vertex.from, vertex.to);
            out.println("  key-groups per subtask before: " + vertex.before);
            out.println("  key-groups per subtask after:  " + vertex.after);
            for (int step = 0; step < vertex.steps.size(); step++) {
                out.printf("  step %d:%n", step + 1);
                for (RescalePlan.Move move : vertex.steps.get(step)) {
                    out.printf("    key-group %d: %d to %d%n", move.keyGroup, move.from, move.to);
                }
            }
        }
    }
}
