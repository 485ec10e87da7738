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

/** What can be rescaled in a job, and how it stands. */
public final class Elasticity implements CoordinationResponse {
    private static final long serialVersionUID = 1L;

    /** The elastic vertices, upstream ones first. */
    public final List<Vertex> vertices;

    /** Why the job as a whole cannot be rescaled, with the remedy; null if it can. */
    @Nullable public final String refusal;

    /** What of the job cannot be done as somebody may expect, with the remedy. */
    public final List<String> warnings;

    public Elasticity(List<Vertex> vertices, @Nullable String refusal, List<String> warnings) {
        this.vertices = Collections.unmodifiableList(new ArrayList<>(vertices));
        this.refusal = refusal;
        this.warnings = Collections.unmodifiableList(new ArrayList<>(warnings));
    }

    /** One elastic vertex. */
    public static final class Vertex implements Serializable {
        private static final long serialVersionUID = 1L;

        /** The id of the job vertex, in hex. */
        public final String id;

        public final String name;

        /** The number of active subtasks. They have the indices 0 to parallelism - 1. */
        public final int parallelism;

        /** The largest parallelism that a rescale can ask for. */
        public final int capacity;

        public final int maxParallelism;

        /** Sub-groups per key-group. */
        public final int subGroups;

        /** The key-groups of each active subtask, in ascending order. */
        public final List<List<Integer>> keyGroups;

        public Vertex(
                String id,
                String name,
                int parallelism,
                int capacity,
                int maxParallelism,
                int subGroups,
                List<List<Integer>> keyGroups) {
            this.id = id;
            this.name = name;
            this.parallelism = parallelism;
            this.capacity = capacity;
            this.maxParallelism = maxParallelism;
            this.subGroups = subGroups;
            this.keyGroups = Collections.unmodifiableList(new ArrayList<>(keyGroups));
        }
    }
}
