// SPDX-License-Identifier: Apache-2.0
package io.meces.api;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.regex.Pattern;
import javax.annotation.Nullable;

/**
 * Asks for a rescale. Answered by {@link RescaleAccepted}, or as a {@link #dryRun} by {@link
 * RescalePlans}; a refusal is a {@link RescaleRefusedException} and has changed nothing. Immutable.
 */
public final class RescaleRequest implements Serializable {
    private static final long serialVersionUID = 1L;

    private List<Target> vertices = new ArrayList<>();
    @Nullable private Integer batchSize;
    @Nullable private String strategy;
    private boolean dryRun;

    private RescaleRequest() {}

    private RescaleRequest(RescaleRequest other) {
        this.vertices = other.vertices;
        this.batchSize = other.batchSize;
        this.strategy = other.strategy;
        this.dryRun = other.dryRun;
    }

    /** For vertices that are rescaled one after the other. */
    public static RescaleRequest of(List<Target> vertices) {
        RescaleRequest request = new RescaleRequest();
        request.vertices = new ArrayList<>(vertices);
        return request;
    }

    public static RescaleRequest of(Target... vertices) {
        return of(Arrays.asList(vertices));
    }

    /** The same, with other steps. */
    public RescaleRequest withBatchSize(@Nullable Integer keyGroups) {
        RescaleRequest request = new RescaleRequest(this);
        request.batchSize = keyGroups;
        return request;
    }

    /** The same, with another plan. */
    public RescaleRequest withStrategy(@Nullable String name) {
        RescaleRequest request = new RescaleRequest(this);
        request.strategy = name;
        return request;
    }

    /** Asks what the same would do. */
    public RescaleRequest asDryRun() {
        RescaleRequest request = new RescaleRequest(this);
        request.dryRun = true;
        return request;
    }

    public List<Target> vertices() {
        return vertices == null ? Collections.emptyList() : Collections.unmodifiableList(vertices);
    }

    /** Key-groups that a subtask gives or takes at most in a step; null: as configured. */
    @Nullable
    public Integer batchSize() {
        return batchSize;
    }

    /** Where key-groups go to, as in {@code meces.rescale.strategy}; null: as configured. */
    @Nullable
    public String strategy() {
        return strategy;
    }

    public boolean dryRun() {
        return dryRun;
    }

    /**
     * Checks what can be checked without the job.
     *
     * @throws RescaleRefusedException of kind {@code BAD_REQUEST} if something is missing or out of
     *     bounds; the message names it as JSON has it
     */
    public void validate() throws RescaleRefusedException {
        if (vertices().isEmpty()) {
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
        for (int i = 0; i < vertices.size(); i++) {
            String problem = vertices.get(i) == null ? Target.NOTHING : vertices.get(i).problem();
            if (problem != null) {
                throw malformed("\"vertices\"[" + i + "] has " + problem);
            }
        }
    }

    /** That of a request that says what it must not. */
    public static RescaleRefusedException malformed(String message) {
        return new RescaleRefusedException(
                RescaleRefusedException.Kind.BAD_REQUEST, "Malformed request: " + message);
    }

    /** A vertex, named by exactly one of id and name, and what parallelism it shall have. */
    public static final class Target implements Serializable {
        private static final long serialVersionUID = 1L;
        private static final Pattern ID = Pattern.compile("[0-9a-fA-F]{32}");
        private static final String NOTHING =
                "neither \"id\" nor \"name\": give exactly one of them.";

        @Nullable private String id;
        @Nullable private String name;
        @Nullable private Integer parallelism;

        private Target() {}

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

        /** By its id if it looks like one, which has 32 hex digits; otherwise by its name. */
        public static Target of(String vertex, int parallelism) {
            return ID.matcher(vertex).matches()
                    ? byId(vertex, parallelism)
                    : byName(vertex, parallelism);
        }

        /** The id of the job vertex in hex, or null. */
        @Nullable
        public String id() {
            return id;
        }

        /** The name of the job vertex, or of the first operator in it, or null. */
        @Nullable
        public String name() {
            return name;
        }

        /** What it shall have; 0 if the request does not say so. */
        public int parallelism() {
            return parallelism == null ? 0 : parallelism;
        }

        @Nullable
        String problem() {
            if (id == null && name == null) {
                return NOTHING;
            } else if (id != null && name != null) {
                return "both \"id\" and \"name\": give exactly one of them.";
            } else if (parallelism == null) {
                return "no \"parallelism\": say how many subtasks it shall have.";
            }
            return parallelism < 1
                    ? "the \"parallelism\" " + parallelism + ": it must be at least 1."
                    : null;
        }
    }
}
