// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.state;

import io.meces.state.ElasticStateBackend;
import java.io.IOException;
import java.util.function.Supplier;
import javax.annotation.Nullable;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.AbstractStateBackend;
import org.apache.flink.runtime.state.OperatorStateBackend;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;

/** Ours in place of Flink's backend that keeps state on the heap and stores no checkpoints. */
public final class HashMapBackends {

    private HashMapBackends() {}

    /**
     * Null if it is another, or of a class that extends it, which may do what nobody knows.
     *
     * @param ours keeps state; where checkpoints are stored is left to the job
     */
    @Nullable
    public static <B extends DelegatingStateBackend & ElasticStateBackend>
            ElasticStateBackend inPlaceOf(StateBackend other, Supplier<B> ours) {
        if (other.getClass() != HashMapStateBackend.class) {
            return null;
        }
        B backend = ours.get();
        return new WithoutStorage(backend, backend.subGroups());
    }

    /** Flink asks a backend that is also a {@code CheckpointStorage}, and no other storage. */
    private static final class WithoutStorage extends AbstractStateBackend
            implements ElasticStateBackend {

        private static final long serialVersionUID = 1L;

        private final DelegatingStateBackend ours;
        private final int subGroups;

        WithoutStorage(DelegatingStateBackend ours, int subGroups) {
            this.ours = ours;
            this.subGroups = subGroups;
        }

        @Override
        public int subGroups() {
            return subGroups;
        }

        @Override
        public <K> AbstractKeyedStateBackend<K> createKeyedStateBackend(
                KeyedStateBackendParameters<K> parameters) throws IOException {
            return ours.createKeyedStateBackend(parameters);
        }

        @Override
        public OperatorStateBackend createOperatorStateBackend(
                OperatorStateBackendParameters parameters) throws Exception {
            return ours.createOperatorStateBackend(parameters);
        }

        @Override
        public boolean supportsNoClaimRestoreMode() {
            return ours.supportsNoClaimRestoreMode();
        }

        @Override
        public boolean supportsSavepointFormat(SavepointFormatType format) {
            return ours.supportsSavepointFormat(format);
        }

        @Override
        public String toString() {
            return "MecesStateBackend (sub-groups: " + subGroups + ")";
        }
    }
}
