// SPDX-License-Identifier: Apache-2.0
package io.meces.state;

import io.meces.flink.state.AccessMetrics;
import io.meces.flink.state.KeyedBackendBuilder;
import java.util.BitSet;
import java.util.Collection;
import javax.annotation.Nonnull;
import javax.annotation.Nullable;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.query.TaskKvStateRegistry;
import org.apache.flink.runtime.state.BackendBuildingException;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.LocalRecoveryConfig;
import org.apache.flink.runtime.state.StreamCompressionDecorator;
import org.apache.flink.runtime.state.heap.HeapBackendAssembly;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueSetFactory;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;

/**
 * Builds a {@link MecesKeyedStateBackend} and restores its state. Used once, by the task thread.
 *
 * @param <K> type of key
 */
public final class MecesKeyedStateBackendBuilder<K> extends KeyedBackendBuilder<K> {

    private final String operatorIdentifier;
    private final LocalRecoveryConfig localRecoveryConfig;
    private final int subGroups;
    @Nullable private final BitSet ownedKeyGroups;
    private AccessMetrics metrics = AccessMetrics.none();

    /**
     * A builder.
     *
     * @param operatorIdentifier names the backend in messages
     * @param numberOfKeyGroups the max parallelism
     * @param keyGroupRange the key-groups of the backend, for an elastic task all
     * @param stateHandles to be restored; any number, their declared ranges may overlap
     * @param subGroups number of sub-groups per key-group, 1..{@link SubGroups#MAX}
     * @param ownedKeyGroups of an elastic task: the key-groups that it has until units leave and
     *     come; null: all of the range, always
     */
    public MecesKeyedStateBackendBuilder(
            String operatorIdentifier,
            TaskKvStateRegistry kvStateRegistry,
            TypeSerializer<K> keySerializer,
            ClassLoader userCodeClassLoader,
            int numberOfKeyGroups,
            KeyGroupRange keyGroupRange,
            ExecutionConfig executionConfig,
            TtlTimeProvider ttlTimeProvider,
            @Nonnull Collection<KeyedStateHandle> stateHandles,
            StreamCompressionDecorator keyGroupCompressionDecorator,
            LocalRecoveryConfig localRecoveryConfig,
            CloseableRegistry cancelStreamRegistry,
            int subGroups,
            @Nullable BitSet ownedKeyGroups) {
        super(
                kvStateRegistry,
                keySerializer,
                userCodeClassLoader,
                numberOfKeyGroups,
                keyGroupRange,
                executionConfig,
                ttlTimeProvider,
                stateHandles,
                keyGroupCompressionDecorator,
                cancelStreamRegistry);
        if (!SubGroups.isValid(subGroups)) {
            throw new IllegalArgumentException(
                    "Sub-groups must be in the range 1.." + SubGroups.MAX + ", not " + subGroups);
        }
        this.operatorIdentifier = operatorIdentifier;
        this.localRecoveryConfig = localRecoveryConfig;
        this.subGroups = subGroups;
        this.ownedKeyGroups = ownedKeyGroups;
    }

    /** Has accesses to state measured. */
    MecesKeyedStateBackendBuilder<K> measured(AccessMetrics configured) {
        metrics = configured;
        return this;
    }

    /**
     * Builds the backend.
     *
     * @throws BackendBuildingException if the state cannot be restored
     */
    @Override
    public MecesKeyedStateBackend<K> build() throws BackendBuildingException {
        UnitKeyContext<K> keyContext =
                new UnitKeyContext<>(keyGroupRange, numberOfKeyGroups, subGroups, ownedKeyGroups);
        HeapPriorityQueueSetFactory queueFactory = new UnitQueueFactory(keyContext);
        HeapBackendAssembly<K> assembly =
                new HeapBackendAssembly<>(
                        keyContext,
                        keySerializerProvider,
                        localRecoveryConfig,
                        keyGroupCompressionDecorator,
                        queueFactory,
                        UnitStateTable::new);
        try {
            assembly.restore(restoreStateHandles, userCodeClassLoader, cancelStreamRegistry);
        } catch (Exception e) {
            throw new BackendBuildingException(
                    "Cannot restore the keyed state of " + operatorIdentifier, e);
        }
        return new MecesKeyedStateBackend<>(
                operatorIdentifier,
                kvStateRegistry,
                userCodeClassLoader,
                executionConfig,
                ttlTimeProvider,
                metrics,
                keyContext,
                queueFactory,
                assembly);
    }
}
