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

package io.meces.runtime.api;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.runtime.operators.coordination.CoordinationResponse;

/** What a rescale would do: the answer to a dry run. */
public final class RescalePlans implements CoordinationResponse {
    private static final long serialVersionUID = 1L;

    /** One for each vertex that was asked for, in the order in which they would be rescaled. */
    public final List<VertexPlan> vertices;

    public RescalePlans(List<VertexPlan> vertices) {
        this.vertices = Collections.unmodifiableList(new ArrayList<>(vertices));
    }

    /** The plan of one vertex. */
    public static final class VertexPlan implements Serializable {
        private static final long serialVersionUID = 1L;

        public final String id;
        public final String name;
        public final int from;
        public final int to;

        /** The name of the strategy. */
        public final String strategy;

        /** The moves of each step. Empty if there is nothing to move. */
        public final List<List<Move>> steps;

        /** Key-groups per subtask before the rescale; the index is that of the subtask. */
        public final List<Integer> before;

        /** Key-groups per subtask after the rescale; the index is that of the subtask. */
        public final List<Integer> after;

        /** Records and timers per second of each subtask before the rescale; null: unknown. */
        @Nullable public final List<Double> loadBefore;

        /** Likewise after the rescale, if the load stays as it is. */
        @Nullable public final List<Double> loadAfter;

        public VertexPlan(
                String id,
                String name,
                int from,
                int to,
                String strategy,
                List<List<Move>> steps,
                List<Integer> before,
                List<Integer> after,
                @Nullable List<Double> loadBefore,
                @Nullable List<Double> loadAfter) {
            this.id = id;
            this.name = name;
            this.from = from;
            this.to = to;
            this.strategy = strategy;
            this.steps = Collections.unmodifiableList(new ArrayList<>(steps));
            this.before = Collections.unmodifiableList(new ArrayList<>(before));
            this.after = Collections.unmodifiableList(new ArrayList<>(after));
            this.loadBefore = loadBefore;
            this.loadAfter = loadAfter;
        }
    }

    /** A key-group goes from one subtask to another. */
    public static final class Move implements Serializable {
        private static final long serialVersionUID = 1L;

        public final int keyGroup;
        public final int from;
        public final int to;

        public Move(int keyGroup, int from, int to) {
            this.keyGroup = keyGroup;
            this.from = from;
            this.to = to;
        }
    }
}
