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
import org.apache.flink.runtime.operators.coordination.CoordinationRequest;

/**
 * Asks for a rescale. Answered by {@link RescaleAccepted}, or with {@link #dryRun} by {@link
 * RescalePlans}; a refusal is a {@link RescaleRefusedException} and has changed nothing.
 */
public final class RescaleRequest implements CoordinationRequest {
    private static final long serialVersionUID = 1L;

    public final List<Target> targets;

    /** Key-groups that an instance gives or takes at most in a step; null: as configured. */
    @Nullable public final Integer batchSize;

    /** Where key-groups go to, as in {@code meces.rescale.strategy}; null: as configured. */
    @Nullable public final String strategy;

    public final boolean dryRun;

    public RescaleRequest(List<Target> targets, @Nullable Integer batchSize, boolean dryRun) {
        this(targets, batchSize, null, dryRun);
    }

    public RescaleRequest(
            List<Target> targets,
            @Nullable Integer batchSize,
            @Nullable String strategy,
            boolean dryRun) {
        this.targets = Collections.unmodifiableList(new ArrayList<>(targets));
        this.batchSize = batchSize;
        this.strategy = strategy;
        this.dryRun = dryRun;
    }

    /** A vertex, named by exactly one of id and name, and the parallelism that it shall have. */
    public static final class Target implements Serializable {
        private static final long serialVersionUID = 1L;

        /** The id of the job vertex in hex, or null. */
        @Nullable public final String id;

        /** The name of the job vertex, or of the first operator in it, or null. */
        @Nullable public final String name;

        public final int parallelism;

        private Target(@Nullable String id, @Nullable String name, int parallelism) {
            this.id = id;
            this.name = name;
            this.parallelism = parallelism;
        }

        public static Target byId(String id, int parallelism) {
            return new Target(id, null, parallelism);
        }

        public static Target byName(String name, int parallelism) {
            return new Target(null, name, parallelism);
        }
    }
}
