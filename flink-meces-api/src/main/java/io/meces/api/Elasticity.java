// SPDX-License-Identifier: Apache-2.0
package io.meces.api;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import javax.annotation.Nullable;

/** What can be rescaled in a job, and how it stands. Immutable. */
public final class Elasticity implements Serializable {
    private static final long serialVersionUID = 1L;

    private List<Vertex> vertices = new ArrayList<>();
    @Nullable private String refusal;
    private List<String> warnings = new ArrayList<>();

    private Elasticity() {}

    public Elasticity(List<Vertex> vertices, @Nullable String refusal, List<String> warnings) {
        this.vertices = new ArrayList<>(vertices);
        this.refusal = refusal;
        this.warnings = new ArrayList<>(warnings);
    }

    /** The elastic vertices, upstream ones first. */
    public List<Vertex> vertices() {
        return Collections.unmodifiableList(vertices);
    }

    /** Why the job as a whole cannot be rescaled, with the remedy; null if it can. */
    @Nullable
    public String refusal() {
        return refusal;
    }

    /** What of the job cannot be done as somebody may expect, with the remedy. */
    public List<String> warnings() {
        return Collections.unmodifiableList(warnings);
    }

    /** One elastic vertex. Immutable. */
    public static final class Vertex implements Serializable {
        private static final long serialVersionUID = 1L;

        private String id;
        private String name;
        private int parallelism;
        private int capacity;
        private int maxParallelism;
        private int subGroups;
        private List<List<Integer>> keyGroups = new ArrayList<>();

        private Vertex() {}

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
            this.keyGroups = new ArrayList<>(keyGroups);
        }

        /** The id of the job vertex, in hex. */
        public String id() {
            return id;
        }

        public String name() {
            return name;
        }

        /** The number of active subtasks. They have the indices 0 to parallelism - 1. */
        public int parallelism() {
            return parallelism;
        }

        /** The largest parallelism that a rescale can ask for. */
        public int capacity() {
            return capacity;
        }

        public int maxParallelism() {
            return maxParallelism;
        }

        /** Sub-groups per key-group. */
        public int subGroups() {
            return subGroups;
        }

        /** The key-groups of each active subtask, in ascending order. */
        public List<List<Integer>> keyGroups() {
            return Collections.unmodifiableList(keyGroups);
        }
    }
}
