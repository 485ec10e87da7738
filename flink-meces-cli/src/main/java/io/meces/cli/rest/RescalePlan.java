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

package io.meces.cli.rest;

import java.util.ArrayList;
import java.util.List;
import javax.annotation.Nullable;

/** What a rescale would do: the answer to a dry run. */
public final class RescalePlan {
    public List<Vertex> vertices = new ArrayList<>();

    /** The plan of one vertex. */
    public static final class Vertex {
        public String id;
        public String name;
        public int from;
        public int to;

        /** The name of the strategy. */
        public String strategy;

        public List<List<Move>> steps = new ArrayList<>();

        /** Key-groups per subtask before. */
        public List<Integer> before = new ArrayList<>();

        /** Key-groups per subtask after. */
        public List<Integer> after = new ArrayList<>();

        /** Records and timers per second of each subtask before; null: unknown. */
        @Nullable public List<Double> loadBefore;

        /** Likewise after, if the load stays as it is. */
        @Nullable public List<Double> loadAfter;
    }

    /** A key-group goes from one subtask to another. */
    public static final class Move {
        public int keyGroup;
        public int from;
        public int to;
    }
}
