// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.state;

import io.meces.state.ElasticStateBackend;
import java.util.function.Supplier;
import javax.annotation.Nullable;
import org.apache.flink.runtime.state.StateBackend;

/** Flink has no backend yet that keeps state on the heap and stores no checkpoints. */
public final class HashMapBackends {

    private HashMapBackends() {}

    /** Always null. */
    @Nullable
    public static <B extends DelegatingStateBackend & ElasticStateBackend>
            ElasticStateBackend inPlaceOf(StateBackend other, Supplier<B> ours) {
        return null;
    }
}
