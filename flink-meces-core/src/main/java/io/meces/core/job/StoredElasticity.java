// SPDX-License-Identifier: Apache-2.0
package io.meces.core.job;

import io.meces.api.ParallelismBounds;
import io.meces.api.RescaleCause;
import io.meces.core.id.VertexId;
import io.meces.core.plan.Assignment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import javax.annotation.Nullable;

/**
 * What a new JobManager has to know of the elasticity of a job: stored in each checkpoint, as its
 * state can be redistributed to any assignment. An immutable value.
 */
public final class StoredElasticity {

    private final List<Vertex> vertices;
    @Nullable private final Rescale rescale;
    private final Map<VertexId, ParallelismBounds> requirements;

    /**
     * @param requirements between which parallelisms vertices are to run (FLIP-291)
     */
    public StoredElasticity(
            List<Vertex> vertices,
            @Nullable Rescale rescale,
            Map<VertexId, ParallelismBounds> requirements) {
        this.vertices = Collections.unmodifiableList(new ArrayList<>(vertices));
        this.rescale = rescale;
        this.requirements = Collections.unmodifiableMap(new LinkedHashMap<>(requirements));
    }

    /** Without requirements. */
    public StoredElasticity(List<Vertex> vertices, @Nullable Rescale rescale) {
        this(vertices, rescale, Collections.emptyMap());
    }

    public List<Vertex> vertices() {
        return vertices;
    }

    /** The rescale that was running and is to go on; null: none. */
    @Nullable
    public Rescale rescale() {
        return rescale;
    }

    /** Between which parallelisms vertices are to run. */
    public Map<VertexId, ParallelismBounds> requirements() {
        return requirements;
    }

    /** The largest parallelism that each vertex has, or is on its way to. */
    public Map<VertexId, Integer> parallelisms() {
        Map<VertexId, Integer> largest = new HashMap<>();
        Stream<Vertex> places = vertices.stream();
        if (rescale != null) {
            places =
                    Stream.concat(
                            places,
                            rescale.targets.stream().flatMap(t -> Stream.of(t.origin, t.goal)));
        }
        places.forEach(place -> largest.merge(place.id, place.parallelism, Math::max));
        return largest;
    }

    /** How a vertex is to be restored. */
    public static final class Vertex {
        public final VertexId id;
        public final int parallelism;
        public final Assignment assignment;

        public Vertex(VertexId id, int parallelism, Assignment assignment) {
            this.id = id;
            this.parallelism = parallelism;
            this.assignment = assignment;
        }

        @Override
        public String toString() {
            return id + " at " + parallelism + " " + assignment;
        }
    }

    /** A rescale that had begun. */
    public static final class Rescale {
        public final UUID id;
        public final RescaleCause cause;

        /** Ms since the epoch. */
        public final long startTime;

        public final int batchSize;

        /** How often it has been begun. */
        public final int attempt;

        final List<Target> targets;

        public Rescale(
                UUID id,
                RescaleCause cause,
                long startTime,
                int batchSize,
                int attempt,
                List<Target> targets) {
            this.id = id;
            this.cause = cause;
            this.startTime = startTime;
            this.batchSize = batchSize;
            this.attempt = attempt;
            this.targets = Collections.unmodifiableList(new ArrayList<>(targets));
        }
    }

    /** Where a vertex came from, for a rollback, and where it goes to. */
    public static final class Target {
        final Vertex origin;
        final Vertex goal;

        public Target(Vertex origin, Vertex goal) {
            this.origin = origin;
            this.goal = goal;
        }
    }
}
