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

/** What can be rescaled in a job: the answer to {@code GET /jobs/:jobid/elasticity}. */
public final class Elasticity {
    public List<Vertex> vertices = new ArrayList<>();

    /** Why the job as a whole cannot be rescaled; null if it can. */
    @Nullable public String refusal;

    /** What of it cannot be done as somebody may expect. */
    public List<String> warnings = new ArrayList<>();

    /** One elastic vertex. */
    public static final class Vertex {
        public String id;
        public String name;
        public int parallelism;
        public int capacity;
        public int maxParallelism;
        public int subGroups;

        /** The key-groups of each subtask. */
        public List<List<Integer>> keyGroups = new ArrayList<>();
    }
}
