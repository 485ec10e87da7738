// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.state;

import com.esotericsoftware.kryo.Serializer;
import java.lang.reflect.Field;
import java.util.Collection;
import java.util.Collections;
import java.util.Set;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.typeutils.runtime.PojoSerializer;
import org.apache.flink.api.java.typeutils.runtime.kryo.KryoSerializer;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.AbstractStateBackend;
import org.apache.flink.runtime.state.CheckpointStorageAccess;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.OperatorStateBackend;
import org.apache.flink.runtime.state.TestLocalRecoveryConfig;
import org.apache.flink.runtime.state.UncompressedStreamCompressionDecorator;
import org.apache.flink.runtime.state.heap.HeapKeyedStateBackend;
import org.apache.flink.runtime.state.heap.HeapKeyedStateBackendBuilder;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueSetFactory;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;

/** What tests do with backends otherwise in each line of Flink. */
public final class TestBackends {

    private TestBackends() {}

    /** Samples of {@code LossyValues} that it keeps, or cannot read, so that a job fails. */
    public static Set<String> notChangedByKryo() {
        return Collections.emptySet();
    }

    /** Flink's own backend on the heap. */
    public static <K> HeapKeyedStateBackend<K> heap(
            TypeSerializer<K> keySerializer,
            int numberOfKeyGroups,
            KeyGroupRange range,
            TtlTimeProvider time,
            Collection<KeyedStateHandle> handles)
            throws Exception {
        return new HeapKeyedStateBackendBuilder<>(
                        null,
                        keySerializer,
                        TestBackends.class.getClassLoader(),
                        numberOfKeyGroups,
                        range,
                        new ExecutionConfig(),
                        time,
                        handles,
                        UncompressedStreamCompressionDecorator.INSTANCE,
                        TestLocalRecoveryConfig.disabled(),
                        new HeapPriorityQueueSetFactory(range, numberOfKeyGroups, 128),
                        true,
                        new CloseableRegistry())
                .build();
    }

    /** The keyed backend of the operator "op", made as by Flink. */
    public static <K> AbstractKeyedStateBackend<K> keyed(
            AbstractStateBackend backend,
            Environment environment,
            TypeSerializer<K> keySerializer,
            int numberOfKeyGroups,
            KeyGroupRange range,
            Collection<KeyedStateHandle> handles)
            throws Exception {
        return backend.createKeyedStateBackend(
                environment,
                new JobID(),
                "op",
                keySerializer,
                numberOfKeyGroups,
                range,
                null,
                TtlTimeProvider.DEFAULT,
                new UnregisteredMetricsGroup(),
                handles,
                new CloseableRegistry());
    }

    /** The operator backend of the operator "op", without state. */
    public static OperatorStateBackend operator(
            AbstractStateBackend backend, Environment environment) throws Exception {
        return backend.createOperatorStateBackend(
                environment, "op", Collections.emptyList(), new CloseableRegistry());
    }

    public static void initialize(CheckpointStorageAccess storage) throws Exception {
        storage.initializeBaseLocations();
    }

    public static <T> PojoSerializer<T> pojoSerializer(
            Class<T> type, TypeSerializer<?>[] serializers, Field[] fields) {
        return new PojoSerializer<>(type, serializers, fields, new ExecutionConfig());
    }

    public static <T> TypeSerializer<T> serializer(
            TypeInformation<T> type, ExecutionConfig config) {
        return type.createSerializer(config);
    }

    public static <T> KryoSerializer<T> kryo(Class<T> type, ExecutionConfig config) {
        return new KryoSerializer<>(type, config);
    }

    /** Has Kryo use a serializer for a type. */
    public static <T extends Serializer<?>> void addKryoSerializer(
            ExecutionConfig config, Class<?> type, Class<T> serializer) {
        config.addDefaultKryoSerializer(type, serializer);
    }

    /** Whether a backend of a job says as well where its checkpoints go. */
    public static boolean haveStorage() {
        return true;
    }

    /** Whether state outside the range of an ordinary task is refused. */
    public static boolean refuseStateOfOthers() {
        return true;
    }

    /** Whether two serializers of the same keys are alike, whatever they have seen. */
    public static boolean takeKeysOfUnregisteredSubclasses() {
        return true;
    }
}
