// SPDX-License-Identifier: Apache-2.0
package io.meces.api;

import java.io.Serializable;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Between which parallelisms vertices of a job are to run from now on: Flink's contract with
 * autoscalers (FLIP-291). Its JSON is Flink's, and not as the rule of this package says: {@code
 * {"<vertex id>": {"parallelism": {"lowerBound": 1, "upperBound": 4}}}}. Immutable.
 */
public final class ResourceRequirements implements Serializable {
    private static final long serialVersionUID = 1L;

    private final LinkedHashMap<String, ParallelismBounds> vertices;

    /**
     * @param vertices by the id of the vertex, 32 hex digits
     */
    public ResourceRequirements(Map<String, ParallelismBounds> vertices) {
        this.vertices = new LinkedHashMap<>(vertices);
    }

    /** By the id of the vertex, 32 hex digits. */
    public Map<String, ParallelismBounds> vertices() {
        return Collections.unmodifiableMap(vertices);
    }

    /**
     * Refuses what no job could be asked for.
     *
     * @throws RescaleRefusedException {@code BAD_REQUEST}, with what is wrong
     */
    public void validate() throws RescaleRefusedException {
        if (vertices.isEmpty()) {
            throw RescaleRequest.malformed("it names no vertex.");
        }
        for (Map.Entry<String, ParallelismBounds> vertex : vertices.entrySet()) {
            ParallelismBounds bounds = vertex.getValue();
            if (bounds.lower() < 1 || bounds.upper() < bounds.lower()) {
                throw RescaleRequest.malformed(
                        "lowerBound "
                                + bounds.lower()
                                + " and upperBound "
                                + bounds.upper()
                                + " of vertex "
                                + vertex.getKey()
                                + " are not possible: it must be 1 <= lowerBound <= upperBound.");
            }
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ResourceRequirements
                && vertices.equals(((ResourceRequirements) other).vertices);
    }

    @Override
    public int hashCode() {
        return vertices.hashCode();
    }

    @Override
    public String toString() {
        return vertices.toString();
    }
}
