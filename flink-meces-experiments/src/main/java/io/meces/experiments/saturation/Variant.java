// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.saturation;

import com.fasterxml.jackson.annotation.JsonValue;
import io.meces.experiments.cluster.FlinkCluster;
import javax.annotation.Nullable;

/** A Flink to be measured. */
final class Variant {
    private final String name;

    /** To which parallelism a vertex can be rescaled; null for stock Flink. */
    @Nullable final Integer capacity;

    private Variant(String name, @Nullable Integer capacity) {
        this.name = name;
        this.capacity = capacity;
    }

    /** Flink as it is: state on the heap, Netty shuffle, its own entry point. */
    static Variant stock() {
        return new Variant("stock", null);
    }

    /** Flink with flink-meces. */
    static Variant elastic(int capacity) {
        return new Variant("capacity-" + capacity, capacity);
    }

    @JsonValue
    @Override
    public String toString() {
        return name;
    }

    boolean isStock() {
        return capacity == null;
    }

    /** Makes the cluster one of this variant. */
    void applyTo(FlinkCluster.Spec spec) {
        spec.stock(isStock());
        if (capacity != null) {
            spec.config("meces.rescale.max-parallelism", String.valueOf(capacity));
        }
    }
}
