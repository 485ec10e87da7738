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

package io.meces.experiments.saturation;

import io.meces.experiments.cluster.FlinkCluster;
import javax.annotation.Nullable;

/** A Flink to be measured. */
final class Variant {
    final String name;

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
