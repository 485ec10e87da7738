// SPDX-License-Identifier: Apache-2.0
package io.meces.core.job;

import io.meces.api.Elasticity;
import io.meces.api.KeyGroups;
import io.meces.core.plan.Assignment;
import io.meces.core.plan.VertexLoad;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import javax.annotation.Nullable;

/** What is shown of an elastic vertex. */
public final class ShownVertex {

    private ShownVertex() {}

    /** What is shown of a vertex. */
    public static Elasticity.Vertex elasticity(ElasticVertex vertex) {
        Assignment assignment = vertex.assignment();
        List<List<Integer>> keyGroups = new ArrayList<>();
        for (int i = 0; i < vertex.connected(); i++) {
            keyGroups.add(
                    i < assignment.parallelism()
                            ? new ArrayList<>(assignment.keyGroupsOf(i))
                            : new ArrayList<>());
        }
        return new Elasticity.Vertex(
                vertex.id().toString(),
                vertex.name(),
                vertex.connected(),
                vertex.capacity(),
                vertex.maxParallelism(),
                vertex.subGroups(),
                keyGroups);
    }

    /**
     * @param load null: it is not known
     * @param bytes how much state each key-group has; null: it is not known
     */
    public static KeyGroups keyGroups(
            ElasticVertex vertex, @Nullable VertexLoad load, @Nullable long[] bytes) {
        Assignment assignment = vertex.assignment();
        List<Integer> owners = new ArrayList<>();
        List<Double> recordsPerSecond = new ArrayList<>();
        List<Long> entries = new ArrayList<>();
        for (int keyGroup = 0; keyGroup < assignment.keyGroups(); keyGroup++) {
            owners.add(assignment.owner(keyGroup));
            if (load != null) {
                // more digits say nothing, and there may be thousands of them
                recordsPerSecond.add(Math.round(load.recordsPerSecond(keyGroup) * 100) / 100.0);
                entries.add(load.entries(keyGroup));
            }
        }
        return new KeyGroups(
                vertex.id().toString(),
                vertex.name(),
                owners,
                load == null ? null : recordsPerSecond,
                load == null ? null : entries,
                bytes == null ? null : Arrays.stream(bytes).boxed().collect(Collectors.toList()),
                vertex.connected());
    }
}
