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

import io.meces.runtime.api.RescalePlans;
import java.util.List;
import java.util.stream.Collectors;
import javax.annotation.Nullable;
import org.apache.flink.runtime.rest.messages.ResponseBody;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonCreator;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonInclude;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonProperty;

/** The JSON of {@link RescalePlans}. */
public final class RescalePlansBody implements ResponseBody {

    @JsonProperty("vertices")
    public final List<VertexPlan> vertices;

    @JsonCreator
    public RescalePlansBody(@JsonProperty("vertices") List<VertexPlan> vertices) {
        this.vertices = vertices;
    }

    static RescalePlansBody of(RescalePlans plans) {
        return new RescalePlansBody(
                plans.vertices.stream().map(VertexPlan::of).collect(Collectors.toList()));
    }

    /** The JSON of {@link RescalePlans.VertexPlan}. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public static final class VertexPlan {
        @JsonProperty("id")
        public final String id;

        @JsonProperty("name")
        public final String name;

        @JsonProperty("from")
        public final int from;

        @JsonProperty("to")
        public final int to;

        @JsonProperty("strategy")
        public final String strategy;

        @JsonProperty("steps")
        public final List<List<Move>> steps;

        @JsonProperty("before")
        public final List<Integer> before;

        @JsonProperty("after")
        public final List<Integer> after;

        @Nullable
        @JsonProperty("load-before")
        public final List<Double> loadBefore;

        @Nullable
        @JsonProperty("load-after")
        public final List<Double> loadAfter;

        @JsonCreator
        public VertexPlan(
                @JsonProperty("id") String id,
                @JsonProperty("name") String name,
                @JsonProperty("from") int from,
                @JsonProperty("to") int to,
                @JsonProperty("strategy") String strategy,
                @JsonProperty("steps") List<List<Move>> steps,
                @JsonProperty("before") List<Integer> before,
                @JsonProperty("after") List<Integer> after,
                @Nullable @JsonProperty("load-before") List<Double> loadBefore,
                @Nullable @JsonProperty("load-after") List<Double> loadAfter) {
            this.id = id;
            this.name = name;
            this.from = from;
            this.to = to;
            this.strategy = strategy;
            this.steps = steps;
            this.before = before;
            this.after = after;
            this.loadBefore = loadBefore;
            this.loadAfter = loadAfter;
        }

        private static VertexPlan of(RescalePlans.VertexPlan plan) {
            return new VertexPlan(
                    plan.id,
                    plan.name,
                    plan.from,
                    plan.to,
                    plan.strategy,
                    plan.steps.stream()
                            .map(step -> step.stream().map(Move::of).collect(Collectors.toList()))
                            .collect(Collectors.toList()),
                    plan.before,
                    plan.after,
                    plan.loadBefore,
                    plan.loadAfter);
        }
    }

    /** The JSON of {@link RescalePlans.Move}. */
    public static final class Move {
        @JsonProperty("key-group")
        public final int keyGroup;

        @JsonProperty("from")
        public final int from;

        @JsonProperty("to")
        public final int to;

        @JsonCreator
        public Move(
                @JsonProperty("key-group") int keyGroup,
                @JsonProperty("from") int from,
                @JsonProperty("to") int to) {
            this.keyGroup = keyGroup;
            this.from = from;
            this.to = to;
        }

        private static Move of(RescalePlans.Move move) {
            return new Move(move.keyGroup, move.from, move.to);
        }
    }
}
