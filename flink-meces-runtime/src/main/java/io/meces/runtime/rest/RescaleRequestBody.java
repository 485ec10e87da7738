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

import io.meces.runtime.api.RescaleRefusedException;
import io.meces.runtime.api.RescaleRequest;
import java.util.ArrayList;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.runtime.rest.messages.RequestBody;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonCreator;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonInclude;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonProperty;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.annotation.JsonDeserialize;

/**
 * The JSON of {@link RescaleRequest}, for example {@code
 * {"vertices":[{"name":"count","parallelism":3}],"batch-size":10,"dry-run":false}}. All but the
 * vertices may be left out. Fields that it does not know are an error.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public final class RescaleRequestBody implements RequestBody {

    @Nullable
    @JsonProperty("vertices")
    public final List<Vertex> vertices;

    @Nullable
    @JsonProperty("batch-size")
    public final Integer batchSize;

    @Nullable
    @JsonProperty("strategy")
    public final String strategy;

    @Nullable
    @JsonProperty("dry-run")
    public final Boolean dryRun;

    @JsonCreator
    public RescaleRequestBody(
            @Nullable @JsonProperty("vertices") List<Vertex> vertices,
            @Nullable @JsonProperty("batch-size") @JsonDeserialize(using = WholeNumber.class)
                    Integer batchSize,
            @Nullable @JsonProperty("strategy") String strategy,
            @Nullable @JsonProperty("dry-run") Boolean dryRun) {
        this.vertices = vertices;
        this.batchSize = batchSize;
        this.strategy = strategy;
        this.dryRun = dryRun;
    }

    /**
     * The request that this stands for.
     *
     * @throws RescaleRefusedException of kind {@code BAD_REQUEST} if something is missing or out of
     *     bounds
     */
    RescaleRequest toRequest() throws RescaleRefusedException {
        if (vertices == null || vertices.isEmpty()) {
            throw malformed(
                    "\"vertices\" is missing or empty: name at least one, as in"
                            + " {\"vertices\":[{\"name\":\"count\",\"parallelism\":3}]}.");
        }
        if (batchSize != null && batchSize < 1) {
            throw malformed(
                    "\"batch-size\" is "
                            + batchSize
                            + ": it must be at least 1. Leave it out for the configured one.");
        }
        List<RescaleRequest.Target> targets = new ArrayList<>();
        for (int i = 0; i < vertices.size(); i++) {
            targets.add(target(vertices.get(i), "\"vertices\"[" + i + "]"));
        }
        return new RescaleRequest(targets, batchSize, strategy, dryRun != null && dryRun);
    }

    private static RescaleRequest.Target target(@Nullable Vertex vertex, String where)
            throws RescaleRefusedException {
        if (vertex == null || (vertex.id == null) == (vertex.name == null)) {
            throw malformed(
                    where
                            + " has "
                            + (vertex == null || vertex.id == null ? "neither" : "both")
                            + " \"id\" "
                            + (vertex == null || vertex.id == null ? "nor" : "and")
                            + " \"name\": give exactly one of them.");
        }
        if (vertex.parallelism == null) {
            throw malformed(
                    where + " has no \"parallelism\": say how many subtasks it shall have.");
        }
        if (vertex.parallelism < 1) {
            throw malformed(
                    where
                            + " has the \"parallelism\" "
                            + vertex.parallelism
                            + ": it must be at least 1.");
        }
        return vertex.id != null
                ? RescaleRequest.Target.byId(vertex.id, vertex.parallelism)
                : RescaleRequest.Target.byName(vertex.name, vertex.parallelism);
    }

    static RescaleRefusedException malformed(String message) {
        return new RescaleRefusedException(
                RescaleRefusedException.Kind.BAD_REQUEST, "Malformed request: " + message);
    }

    /** The JSON of {@link RescaleRequest.Target}. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public static final class Vertex {

        @Nullable
        @JsonProperty("id")
        public final String id;

        @Nullable
        @JsonProperty("name")
        public final String name;

        @Nullable
        @JsonProperty("parallelism")
        public final Integer parallelism;

        @JsonCreator
        public Vertex(
                @Nullable @JsonProperty("id") String id,
                @Nullable @JsonProperty("name") String name,
                @Nullable @JsonProperty("parallelism") @JsonDeserialize(using = WholeNumber.class)
                        Integer parallelism) {
            this.id = id;
            this.name = name;
            this.parallelism = parallelism;
        }
    }
}
