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

package io.meces.runtime.rest;

import io.meces.runtime.api.Elasticity;
import java.util.List;
import java.util.stream.Collectors;
import javax.annotation.Nullable;
import org.apache.flink.runtime.rest.messages.ResponseBody;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonCreator;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonProperty;

/** The JSON of {@link Elasticity}. */
public final class ElasticityBody implements ResponseBody {

    @JsonProperty("vertices")
    public final List<Vertex> vertices;

    @Nullable
    @JsonProperty("refusal")
    public final String refusal;

    @JsonProperty("warnings")
    public final List<String> warnings;

    @JsonCreator
    public ElasticityBody(
            @JsonProperty("vertices") List<Vertex> vertices,
            @Nullable @JsonProperty("refusal") String refusal,
            @JsonProperty("warnings") List<String> warnings) {
        this.vertices = vertices;
        this.refusal = refusal;
        this.warnings = warnings;
    }

    static ElasticityBody of(Elasticity elasticity) {
        return new ElasticityBody(
                elasticity.vertices.stream().map(Vertex::of).collect(Collectors.toList()),
                elasticity.refusal,
                elasticity.warnings);
    }

    /** The JSON of {@link Elasticity.Vertex}. */
    public static final class Vertex {
        @JsonProperty("id")
        public final String id;

        @JsonProperty("name")
        public final String name;

        @JsonProperty("parallelism")
        public final int parallelism;

        @JsonProperty("capacity")
        public final int capacity;

        @JsonProperty("max-parallelism")
        public final int maxParallelism;

        @JsonProperty("sub-groups")
        public final int subGroups;

        @JsonProperty("key-groups")
        public final List<List<Integer>> keyGroups;

        @JsonCreator
        public Vertex(
                @JsonProperty("id") String id,
                @JsonProperty("name") String name,
                @JsonProperty("parallelism") int parallelism,
                @JsonProperty("capacity") int capacity,
                @JsonProperty("max-parallelism") int maxParallelism,
                @JsonProperty("sub-groups") int subGroups,
                @JsonProperty("key-groups") List<List<Integer>> keyGroups) {
            this.id = id;
            this.name = name;
            this.parallelism = parallelism;
            this.capacity = capacity;
            this.maxParallelism = maxParallelism;
            this.subGroups = subGroups;
            this.keyGroups = keyGroups;
        }

        private static Vertex of(Elasticity.Vertex vertex) {
            return new Vertex(
                    vertex.id,
                    vertex.name,
                    vertex.parallelism,
                    vertex.capacity,
                    vertex.maxParallelism,
                    vertex.subGroups,
                    vertex.keyGroups);
        }
    }
}
